/** How fast posts may come in one channel: Slack takes about one a second, and a few at once after a pause. */

import type { Clock } from "../../core/ports/clock.ts";

const EVERY_MS = 1_000;
const BURST = 4;
/** Channels that have been quiet for so long that nothing need be known of them are forgotten at this number. */
const MOST_CHANNELS = 1_000;

export interface PostPace {
  /** Takes a place and answers 0, or says how many ms to wait and takes none. */
  take(channel: string): number;
}

export function createPostPace(clock: Pick<Clock, "ticks">): PostPace {
  /** Ticks at which all places of the channel are free again. */
  const free = new Map<string, number>();
  return {
    take(channel) {
      const now = clock.ticks();
      const until = Math.max(now, free.get(channel) ?? now) + EVERY_MS;
      const waitMs = until - now - BURST * EVERY_MS;
      if (waitMs > 0) return Math.ceil(waitMs);
      free.delete(channel);
      free.set(channel, until);
      if (free.size > MOST_CHANNELS) for (const [other, at] of free) if (at <= now) free.delete(other);
      return 0;
    },
  };
}
