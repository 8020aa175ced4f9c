// Slack's own rate limits, enforced: calls a minute for each method, and a second for posts in a channel.
import type { ApiCall } from "./api/call.ts";

/** Calls a minute. What is not here is special and not limited. */
const perMinute: Readonly<Record<string, number>> = {
  "chat.update": 50,
  "chat.delete": 50,
  "chat.startStream": 20,
  "chat.appendStream": 100,
  "chat.stopStream": 20,
  "chat.postEphemeral": 100,
  "conversations.info": 50,
  "conversations.history": 50,
  "conversations.replies": 50,
  "conversations.list": 20,
  "conversations.members": 100,
  "agents.sessions.setStatus": 50,
  "agents.sessions.rename": 50,
  "reactions.add": 50,
  "reactions.remove": 50,
  "views.open": 100,
  "views.push": 100,
  "views.update": 100,
  "views.publish": 100,
  "users.info": 100,
  "users.list": 20,
  "files.info": 100,
  "apps.connections.open": 50,
};

export interface RateLimitOptions {
  /** `internal` apps read 50 pages a minute; others outside the Marketplace one, of at most 15 messages. Default `internal`. */
  readonly distribution?: "internal" | "distributed";
  /** Posts in a channel that may come at once. Default 5; then one a second. */
  readonly postBurst?: number;
  /** Calls of any other method that may come at once. Default a minute's worth of it. */
  readonly burst?: number;
}

export class RateLimits {
  readonly #options: RateLimitOptions;
  readonly #nowMs: () => number;
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();

  constructor(options: RateLimitOptions, nowMs: () => number) {
    this.#options = options;
    this.#nowMs = nowMs;
  }

  /** @returns the seconds to wait, or nothing when the call may go on. */
  take(call: ApiCall): number | undefined {
    if (call.method === "chat.postMessage") {
      return this.#takeFrom(`post ${call.optional("channel") ?? ""}`, this.#options.postBurst ?? 5, 1);
    }
    const isReading = call.method === "conversations.history" || call.method === "conversations.replies";
    const most = isReading && this.#options.distribution === "distributed" ? 1 : perMinute[call.method];
    return most === undefined
      ? undefined
      : this.#takeFrom(call.method, Math.min(most, this.#options.burst ?? most), most / 60);
  }

  #takeFrom(key: string, burst: number, perSecond: number): number | undefined {
    const now = this.#nowMs();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, atMs: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.atMs) / 1000) * perSecond);
    bucket.atMs = now;
    this.#buckets.set(key, bucket);
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / perSecond);
    bucket.tokens--;
    return undefined;
  }
}
