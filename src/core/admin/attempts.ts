/** How often one address may try to come in: a link cannot be guessed, and nobody shall keep the store busy with trying. */

import { keepNewest } from "../keep-newest.ts";
import type { Clock } from "../ports/clock.ts";

export interface Attempts {
  /** Whether this one is still allowed. */
  take(address: string): boolean;
}

const MOST_ADDRESSES = 10_000;

export function createAttempts(
  clock: Pick<Clock, "ticks">,
  options: {
    /** Default 30. */
    readonly most?: number;
    /** Default 60,000 ms. */
    readonly withinMs?: number;
  } = {},
): Attempts {
  const { most = 30, withinMs = 60_000 } = options;
  const taken = new Map<string, { readonly since: number; count: number }>();
  return {
    take(address) {
      const now = clock.ticks();
      const before = taken.get(address);
      if (before !== undefined && now - before.since < withinMs) {
        before.count += 1;
        return before.count <= most;
      }
      keepNewest(taken, address, { since: now, count: 1 }, MOST_ADDRESSES);
      return most > 0;
    },
  };
}
