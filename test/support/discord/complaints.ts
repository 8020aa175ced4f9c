// What Discord, or the people on it, would punish: pings that nobody asked for, haste, identifies, answers that come too late. Each is one
// sentence that begins with the name of its rule.
import { mentionsIn } from "./wire.ts";
import type { JsonObject } from "./model.ts";

export class Complaints {
  readonly list: string[] = [];
  readonly #editsInFlight = new Set<string>();

  add(rule: string, detail: string): void {
    this.list.push(`${rule}: ${detail}`);
  }

  /** Whom the words ping, as Discord reads them: without `allowed_mentions` everybody who is mentioned. */
  aboutWords(where: string, content: string, allowed: JsonObject | undefined): void {
    for (const ping of pingsOf(content, allowed)) this.add("ping", `${where} pings ${ping}`);
  }

  /** @returns the end of this edit, to be called once. */
  beginEdit(message: string): () => void {
    if (this.#editsInFlight.has(message)) this.add("edits", `two edits of ${message} at the same time`);
    this.#editsInFlight.add(message);
    return () => void this.#editsInFlight.delete(message);
  }
}

function pingsOf(content: string, allowed: JsonObject | undefined): readonly string[] {
  const parse = allowed === undefined ? ["everyone", "users", "roles"] : listOf(allowed["parse"]);
  const users = allowed === undefined ? [] : listOf(allowed["users"]);
  const roles = allowed === undefined ? [] : listOf(allowed["roles"]);
  const mentionedRoles = [...content.matchAll(/<@&(\d+)>/g)].map(([, id]) => id ?? "");
  return [
    ...(parse.includes("everyone") ? (content.match(/@(?:everyone|here)\b/g) ?? []) : []),
    ...mentionsIn(content).filter((id) => parse.includes("users") || users.includes(id)),
    ...mentionedRoles.filter((id) => parse.includes("roles") || roles.includes(id)),
  ];
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
