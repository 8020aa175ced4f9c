/** The bot is no longer in a space: nobody can be answered there, so what waits ends for that reason, and what is under way stops. */

import type { Departures } from "../ports/departures.ts";
import type { Goals } from "../ports/goals.ts";
import type { RunQueue } from "../ports/run-queue.ts";
import type { Stops } from "../ports/stops.ts";
import type { Platform } from "../thread.ts";

/** Rejects when it is not all done; then it is to be done again. May be called twice. */
export type LeaveSpace = (platform: Platform, space: string, reason: string) => Promise<void>;

export function createLeaveSpace(deps: {
  readonly departures: Departures;
  readonly goals: Pick<Goals, "apply">;
  readonly queue: RunQueue;
  readonly stops: Stops;
}): LeaveSpace {
  const { departures, goals, queue, stops } = deps;
  return async (platform, space, reason) => {
    // The bot may come back amid this: what is said to it then is not of what it left.
    const upTo = await departures.position();
    for (const session of await departures.workIn(platform, space)) {
      await departures.expire(session, reason, upTo);
      await goals.apply(session, { kind: "leave" });
      // Only to be quick: whoever looks at the ledger next finds the same.
      await Promise.allSettled([stops.signal(session), queue.wake(session)]);
    }
  };
}
