// Discord's rate limits: a bucket for each route and channel, one for all requests together, and what a renaming of a thread costs.

export interface BucketState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAfterS: number;
  readonly hash: string;
  /** Set when the request was one too many. */
  readonly refused?: { readonly retryAfterS: number; readonly isGlobal: boolean };
}

export interface RateLimitOptions {
  /** The time that windows end by, in milliseconds. Default the process's own. */
  readonly nowMs?: () => number;
  /** Requests a second, all together. Default 50. */
  readonly globalPerS?: number;
  /** How many of a route may come within how many seconds; by the route's name. */
  readonly buckets?: Readonly<Record<string, readonly [count: number, seconds: number]>>;
}

const BUCKETS: Readonly<Record<string, readonly [number, number]>> = {
  "POST /channels/:channel/messages": [5, 5],
  "PATCH /channels/:channel/messages/:message": [5, 5],
  "DELETE /channels/:channel/messages/:message": [5, 1],
  "POST /channels/:channel/typing": [5, 5],
  "POST /channels/:channel/messages/:message/threads": [10, 10],
  "PUT /applications/:application/commands": [5, 20],
};
const USUAL = [20, 2] as const;
/** Of names and topics, for each channel. */
const RENAMES = [2, 600] as const;
/** Of messages older than an hour, for each channel. */
const OLD_EDITS = [3, 6] as const;

interface Window {
  startedMs: number;
  used: number;
}

export class RateLimits {
  readonly #options: RateLimitOptions;
  readonly #nowMs: () => number;
  readonly #windows = new Map<string, Window>();

  constructor(options: RateLimitOptions, nowMs: () => number) {
    this.#options = options;
    this.#nowMs = nowMs;
  }

  take(route: string, major: string): BucketState {
    const global = this.#use("global", this.#options.globalPerS ?? 50, 1);
    const [count, seconds] = this.#options.buckets?.[route] ?? BUCKETS[route] ?? USUAL;
    const hash = hashOf(route);
    if (global.remaining < 0) {
      const refused = { retryAfterS: global.resetAfterS, isGlobal: true };
      return { limit: count, remaining: 1, resetAfterS: seconds, hash, refused };
    }
    const own = this.#use(`${route} ${major}`, count, seconds);
    const state = { limit: count, remaining: Math.max(0, own.remaining), resetAfterS: own.resetAfterS, hash };
    return own.remaining < 0
      ? { ...state, refused: { retryAfterS: own.resetAfterS, isGlobal: false } }
      : state;
  }

  /** @returns the seconds to wait, or nothing. */
  takeRename(channel: string): number | undefined {
    return this.#sub(`rename ${channel}`, RENAMES);
  }

  takeOldEdit(channel: string): number | undefined {
    return this.#sub(`old edit ${channel}`, OLD_EDITS);
  }

  #sub(key: string, [count, seconds]: readonly [number, number]): number | undefined {
    const { remaining, resetAfterS } = this.#use(key, count, seconds);
    return remaining < 0 ? resetAfterS : undefined;
  }

  #use(
    key: string,
    count: number,
    seconds: number,
  ): { readonly remaining: number; readonly resetAfterS: number } {
    const now = this.#nowMs();
    let window = this.#windows.get(key);
    if (window === undefined || now - window.startedMs >= seconds * 1000) {
      window = { startedMs: now, used: 0 };
      this.#windows.set(key, window);
    }
    if (window.used <= count) window.used++;
    const resetAfterS = Math.max(0.001, (window.startedMs + seconds * 1000 - now) / 1000);
    return { remaining: count - window.used, resetAfterS };
  }
}

function hashOf(route: string): string {
  let hash = 7;
  for (const character of route) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
  return `bucket${hash.toString(16)}`;
}
