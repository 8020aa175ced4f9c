// Modals and home tabs: who has which one open, and the trigger ids that may open one.
import { Refusal } from "./api/call.ts";
import { faultsInBlocks } from "./block-rules.ts";
import type { JsonObject } from "./message.ts";
import { objectsIn, stringIn } from "./rendering.ts";

export interface View {
  readonly id: string;
  readonly user: string;
  content: JsonObject;
  hash: string;
}

const triggerLifeMs = 3000;

export class Views {
  readonly #open = new Map<string, View[]>();
  readonly #homes = new Map<string, View>();
  readonly #triggers = new Map<string, { user: string; expiresAtMs: number; isUsed: boolean }>();
  readonly #newId: (prefix: string) => string;
  readonly #nowMs: () => number;

  constructor(newId: (prefix: string) => string, nowMs: () => number) {
    this.#newId = newId;
    this.#nowMs = nowMs;
  }

  newTrigger(user: string): string {
    const id = `${this.#newId("1")}.${this.#newId("2")}.local`;
    this.#triggers.set(id, { user, expiresAtMs: this.#nowMs() + triggerLifeMs, isUsed: false });
    return id;
  }

  /** The modal that a person has in front of them. */
  top(user: string): View | undefined {
    return this.#open.get(user)?.at(-1);
  }

  home(user: string): View | undefined {
    return this.#homes.get(user);
  }

  openWith(triggerId: string, content: JsonObject, how: "open" | "push"): View {
    const trigger = this.#triggers.get(triggerId);
    if (!trigger) throw new Refusal("invalid_trigger_id");
    if (trigger.isUsed) throw new Refusal("exchanged_trigger_id");
    if (this.#nowMs() > trigger.expiresAtMs) throw new Refusal("expired_trigger_id");
    const stack = how === "push" ? (this.#open.get(trigger.user) ?? []) : [];
    if (stack.length >= 3) throw new Refusal("push_limit_reached");
    check(content, "modal");
    trigger.isUsed = true;
    return this.push(trigger.user, content, stack);
  }

  push(user: string, content: JsonObject, stack = this.#open.get(user) ?? []): View {
    check(content, "modal");
    const view: View = { id: this.#newId("V"), user, content, hash: this.#newId("h") };
    this.#open.set(user, [...stack, view]);
    return view;
  }

  update(
    find: { id?: string | undefined; externalId?: string | undefined },
    content: JsonObject,
    hash?: string,
  ): View {
    const every = [...this.#open.values()].flat();
    const view = every.find(
      (one) =>
        one.id === find.id ||
        (find.externalId !== undefined && one.content["external_id"] === find.externalId),
    );
    if (!view) throw new Refusal("not_found");
    if (hash !== undefined && hash !== view.hash) throw new Refusal("hash_conflict");
    check(content, "modal");
    view.content = content;
    view.hash = this.#newId("h");
    return view;
  }

  publish(user: string, content: JsonObject, hash?: string): View {
    const before = this.#homes.get(user);
    if (hash !== undefined && hash !== before?.hash) throw new Refusal("hash_conflict");
    check(content, "home");
    const view: View = { id: before?.id ?? this.#newId("V"), user, content, hash: this.#newId("h") };
    this.#homes.set(user, view);
    return view;
  }

  /** Takes the uppermost away, or all of them. */
  close(user: string, which: "top" | "all"): void {
    const left = which === "all" ? [] : (this.#open.get(user) ?? []).slice(0, -1);
    this.#open.set(user, left);
  }
}

function check(content: JsonObject, type: "modal" | "home"): void {
  const messages: string[] = [];
  if (content["type"] !== type) messages.push(`[ERROR] must be ${type} [json-pointer:/view/type]`);
  if (JSON.stringify(content).length > 250_000) throw new Refusal("view_too_large");
  for (const name of ["title", "submit", "close"]) {
    const text = content[name] as JsonObject | undefined;
    if (text === undefined) {
      if (name === "title" && type === "modal") messages.push("[ERROR] missing required field: title");
      continue;
    }
    const length = stringIn(text, "text").length;
    if (text["type"] !== "plain_text" || length < 1 || length > 24) {
      messages.push(`[ERROR] plain text of 1 to 24 characters [json-pointer:/view/${name}]`);
    }
  }
  if (stringIn(content, "private_metadata").length > 3000)
    messages.push("[ERROR] private_metadata is too long");
  if (stringIn(content, "callback_id").length > 255) messages.push("[ERROR] callback_id is too long");
  const hasInput = objectsIn(content["blocks"]).some((block) => block["type"] === "input");
  if (hasInput && type === "modal" && content["submit"] === undefined)
    messages.push("[ERROR] submit is missing");
  messages.push(...faultsInBlocks(content["blocks"], type));
  if (messages.length > 0) throw new Refusal("invalid_arguments", { response_metadata: { messages } });
}
