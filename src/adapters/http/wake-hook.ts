/** `POST /hooks/wake/<token>`: whoever knows the address of a goal that waits wakes it, once. Other addresses all answer alike. */

import type { Hash } from "../../core/ids.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { GoalWakes } from "../../core/run/wake-goal.ts";

export interface WakeHookDeps {
  readonly wakes: Pick<GoalWakes, "called">;
  readonly hash: Hash;
  readonly clock: Clock;
  readonly log: Log;
}

export interface WakeHookOptions {
  /** What may be sent, in bytes. Default 16,384. */
  readonly mostBytes?: number;
  /** Requests of one network address within a minute that found nothing. Default 60. */
  readonly perMinute?: number;
}

export type WakeHook = (request: Request, address: string) => Promise<Response>;

const TOKEN = /^\/hooks\/wake\/([A-Za-z0-9_-]{43})\/?$/;
const MINUTE_MS = 60_000;
/** Addresses that are counted at the same time; beyond that all count as one. */
const MOST_ADDRESSES = 10_000;

export function createWakeHook(deps: WakeHookDeps, options: WakeHookOptions = {}): WakeHook {
  const { wakes, hash, clock, log } = deps;
  const { mostBytes = 16_384, perMinute = 60 } = options;
  let since = clock.ticks();
  const counts = new Map<string, number>();

  function isTooMuch(address: string): boolean {
    if (clock.ticks() - since >= MINUTE_MS) {
      since = clock.ticks();
      counts.clear();
    }
    const key = counts.has(address) || counts.size < MOST_ADDRESSES ? address : "";
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count > perMinute;
  }

  /**
   * Of a token that was used, has expired, was taken back or never was. Only this counts: behind a proxy all come from one address, and
   * who guesses must not shut out who knows.
   */
  function nothing(address: string): Response {
    return isTooMuch(address)
      ? answer(429, "Too many requests.", { "Retry-After": "60" })
      : answer(404, "Nothing waits for this.");
  }

  return async (request, address) => {
    // What looks at a link, or fetches it beforehand, wakes nobody.
    if (request.method !== "POST")
      return answer(405, "Send a POST to this address to wake what waits for it.", { Allow: "POST" });
    const token = TOKEN.exec(new URL(request.url).pathname)?.[1];
    if (token === undefined) return nothing(address);
    const text = await readAtMost(request, mostBytes);
    if (text === undefined) return answer(413, `At most ${mostBytes} bytes may be sent.`);
    try {
      if (!(await wakes.called(hash(token), text))) return nothing(address);
    } catch (error) {
      log.warn("a goal could not be woken by a call; the caller may try again", { error });
      return answer(503, "This did not work now. Send it again.", { "Retry-After": "5" });
    }
    return answer(202, "It goes on.");
  };
}

function answer(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store", ...headers },
  });
}

/** Undefined where it is more. */
async function readAtMost(request: Request, most: number): Promise<string | undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > most) return undefined;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
