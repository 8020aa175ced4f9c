// What the platform, or the people on it, would punish: pings that nobody asked for, previews, blank messages, haste. Each is
// one sentence that begins with the name of its rule. A refused call is in the list of calls and not here, unless Slack would
// have taken it in silence.
import { controlsOf, objectsIn, readable } from "./rendering.ts";
import type { JsonObject, StoredMessage } from "./message.ts";
import { mentionsIn } from "./wire-text.ts";

export interface PaceOptions {
  /** Default 1. */
  readonly perSecond?: number;
  /** How many may come at once after a pause. Default 5 for posts in a channel, 2 for edits of a message. */
  readonly burst?: number;
}

export interface ComplaintOptions {
  readonly posts?: PaceOptions;
  readonly edits?: PaceOptions;
}

export class Complaints {
  readonly list: string[] = [];
  /** Ids of people and groups that the bot may ping. */
  readonly allowedMentions = new Set<string>();
  readonly #options: ComplaintOptions;
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();
  readonly #editsInFlight = new Map<string, number>();

  constructor(options: ComplaintOptions = {}) {
    this.#options = options;
  }

  add(rule: string, detail: string): void {
    this.list.push(`${rule}: ${detail}`);
  }

  /** What is wrong with words of the bot, in whichever call they came. */
  aboutWords(where: string, message: Pick<StoredMessage, "text" | "blocks" | "attachments">): void {
    for (const ping of pingsIn(message)) {
      if (!this.allowedMentions.has(ping)) this.add("ping", `${where} pings ${ping}`);
    }
    const visible = readable(message).replace(/[\s\u200B-\u200D\u2060\uFEFF]/g, "");
    if (visible === "" && controlsOf(message.blocks).length === 0)
      this.add("blank", `${where} shows nothing`);
  }

  /** `key` is a channel for posts, a message for edits. */
  aboutPace(kind: "posts" | "edits", key: string): void {
    const { perSecond = 1, burst = kind === "posts" ? 5 : 2 } = this.#options[kind] ?? {};
    const now = performance.now();
    const bucket = this.#buckets.get(`${kind} ${key}`) ?? { tokens: burst, atMs: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.atMs) / 1000) * perSecond) - 1;
    bucket.atMs = now;
    // A request may be late and the next one on time: a tenth of a second is no haste.
    if (bucket.tokens < -0.1) this.add("pace", `${kind} of ${key} come faster than ${perSecond} a second`);
    bucket.tokens = Math.max(bucket.tokens, 0);
    this.#buckets.set(`${kind} ${key}`, bucket);
  }

  /** @returns the end of this edit, to be called once. */
  beginEdit(key: string): () => void {
    const others = this.#editsInFlight.get(key) ?? 0;
    if (others > 0) this.add("overlap", `two edits of ${key} are under way at once`);
    this.#editsInFlight.set(key, others + 1);
    return () => void this.#editsInFlight.set(key, (this.#editsInFlight.get(key) ?? 1) - 1);
  }
}

/** Everything that makes Slack notify somebody: ids of people and groups, and `channel`, `here`, `everyone`. */
function pingsIn(message: Pick<StoredMessage, "text" | "blocks" | "attachments">): string[] {
  const found: string[] = [];
  const inMarkup = (text: string): void => {
    found.push(...mentionsIn(text));
    for (const [, range] of text.matchAll(/<!(channel|here|everyone)(?:\|[^<>]*)?>/g))
      found.push(range ?? "");
    for (const [, group] of text.matchAll(/<!subteam\^([A-Z0-9]+)(?:\|[^<>]*)?>/g)) found.push(group ?? "");
  };
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(walk);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    const object = value as JsonObject;
    const { type } = object;
    if ((type === "mrkdwn" || type === "markdown") && typeof object["text"] === "string")
      inMarkup(object["text"]);
    for (const key of ["user_id", "usergroup_id", "range"]) {
      const isMention = type === "user" || type === "usergroup" || type === "broadcast";
      if (isMention && typeof object[key] === "string") found.push(object[key]);
    }
    Object.values(object).forEach(walk);
  };
  inMarkup(message.text);
  walk(message.blocks);
  for (const attachment of objectsIn(message.attachments)) {
    for (const key of ["pretext", "text", "fallback"]) {
      if (typeof attachment[key] === "string") inMarkup(attachment[key]);
    }
    walk(attachment);
  }
  return found;
}
