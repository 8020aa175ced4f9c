/**
 * Keeps a page up to date while somebody looks at it. The rows are the truth: the stream looks whether anything has changed, and asks
 * on the way whether who looks still may.
 */

import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { streamSSE } from "hono/streaming";
import type { Viewers } from "../../core/admin/viewers.ts";
import { pause } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import { cookieName, type AdminContext, type CookieOptions } from "./viewer.ts";

export interface LiveDeps {
  readonly viewers: Viewers;
  readonly clock: Clock;
  readonly log: Log;
  readonly cookie: CookieOptions;
}

export interface LiveOptions {
  /** Another text as soon as there is something new. */
  readonly state: () => Promise<string>;
  /** Undefined where it may not be shown any more: the stream ends, and who connects again is told why. */
  readonly content: () => Promise<string | undefined>;
  /** From one look to the next, ms. Default 1,000. */
  readonly lookMs?: number;
}

/** Looks between two signs of life, and two questions whether who looks still may; that is asked before anything is shown as well. */
const BEAT = 15;
/** A stream ends after so many looks, and the browser begins another: none outlives a sign-in. */
const LOOKS = 1_800;

export function streamPage(
  c: AdminContext,
  deps: LiveDeps,
  { state, content, lookMs = 1_000 }: LiveOptions,
): Response {
  const { viewers, clock, log, cookie } = deps;
  const closing = c.env?.closing;
  const secret = getCookie(c as Context, cookieName(cookie));
  const { role } = c.get("viewer");
  // A page that only stands open is no use of it. Who has another role now connects again, and is asked again what they may see.
  const stillMay = async (): Promise<boolean> => {
    const viewing = await viewers.of(secret, false);
    return viewing.kind === "in" && viewing.viewer.role === role;
  };
  c.header("X-Accel-Buffering", "no");
  const response = streamSSE(
    c,
    async (stream) => {
      const over = new AbortController();
      const end = (): void => over.abort();
      stream.onAbort(end);
      closing?.addEventListener("abort", end);
      try {
        await stream.writeSSE({ event: "open", data: "", retry: 2_000 });
        // What changed between the page and this is sent at once.
        let last = "";
        for (let look = 1; look <= LOOKS && !over.signal.aborted; look++) {
          const now = await state();
          if (now !== last) {
            last = now;
            if (!(await stillMay())) return;
            const data = await content();
            if (data === undefined) return;
            await stream.writeSSE({ event: "content", data });
          }
          if (look % BEAT === 0) {
            if (!(await stillMay())) return;
            await stream.write(": beat\n\n");
          }
          await pause(clock, lookMs, over.signal);
        }
      } finally {
        closing?.removeEventListener("abort", end);
      }
    },
    async (error) => log.warn("a page cannot be kept up to date", { error }),
  );
  // The stream itself would allow it to be kept and asked for again.
  response.headers.set("Cache-Control", "no-store, private");
  return response;
}
