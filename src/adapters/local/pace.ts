/** The pace of one process. */

import type { Clock } from "../../core/ports/clock.ts";
import type { Pace } from "../../core/ports/pace.ts";

/** Keys that have been quiet for so long that nothing need be known of them are forgotten at this number. */
const MOST_KEYS = 1_000;

export function createLocalPace(clock: Pick<Clock, "ticks">): Pace {
  /** Ticks at which all places of the key are free again. */
  const free = new Map<string, number>();

  function set(key: string, at: number): void {
    free.delete(key);
    free.set(key, at);
    const now = clock.ticks();
    if (free.size > MOST_KEYS) for (const [other, until] of free) if (until <= now) free.delete(other);
  }

  return {
    take(key, { everyMs, burst }) {
      const now = clock.ticks();
      const at = Math.max(now, free.get(key) ?? now) + everyMs;
      const waitMs = at - now - burst * everyMs;
      if (waitMs > 0) return Promise.resolve(Math.ceil(waitMs));
      set(key, at);
      return Promise.resolve(0);
    },
    hold(key, { everyMs, burst }, forMs) {
      const at = clock.ticks() + forMs + (burst - 1) * everyMs;
      set(key, Math.max(at, free.get(key) ?? at));
      return Promise.resolve();
    },
  };
}
