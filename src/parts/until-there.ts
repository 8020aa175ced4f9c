/** Waiting at boot for a server that may come: a container often starts before its database. */

import { BobbinError } from "../core/errors.ts";
import { pause, untilAborted } from "../core/pause.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Tries until it works. What asking again cannot change is thrown at once; so is the last error when `signal` aborts, and an
 * attempt that hangs is left behind then.
 * @param what as an operator calls it: `Postgres`.
 */
export async function untilThere<T>(
  what: string,
  attempt: () => Promise<T>,
  deps: { readonly clock: Clock; readonly log: Log },
  signal: AbortSignal,
): Promise<T> {
  let told = "";
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      const trying = attempt();
      await untilAborted(trying, signal);
      signal.throwIfAborted();
      return await trying;
    } catch (error) {
      if (!(error instanceof BobbinError && error.retryable) || signal.aborted) throw error;
      // An hour of waiting is one line, and one more when the reason changes.
      if (told !== error.message) deps.log.warn(`Bobbin waits for ${what}`, { why: error.message });
      told = error.message;
      // The clock's timers do not keep a process alive, and at boot nothing else may do so yet.
      const alive = setInterval(() => {}, 60_000);
      await pause(deps.clock, pauseMs, signal);
      clearInterval(alive);
    }
  }
}
