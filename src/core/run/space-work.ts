/** What becomes of the work in a space when the app comes there, or leaves it. */

import type { Departures } from "../ports/departures.ts";
import type { Log } from "../ports/log.ts";
import type { RunQueue } from "../ports/run-queue.ts";
import type { Platform } from "../thread.ts";
import type { LeaveSpace } from "./leave-space.ts";
import { UNINSTALLED } from "./where-installed.ts";

export interface SpaceWork {
  /** Rings for what waited while nobody could be answered. Never rejects: the sweeper rings too. */
  arrived(space: string): Promise<void>;
  /** Ends what waits and what is under way. Never rejects: who serves such a session does the same. */
  departed(space: string): Promise<void>;
}

export function createSpaceWork(
  deps: {
    readonly departures: Pick<Departures, "workIn">;
    readonly leaveSpace: LeaveSpace;
    readonly queue: RunQueue;
    readonly log: Log;
  },
  platform: Platform,
): SpaceWork {
  const { departures, leaveSpace, queue, log } = deps;
  return {
    async arrived(space) {
      try {
        for (const session of await departures.workIn(platform, space)) await queue.wake(session);
      } catch (error) {
        log.warn("the bells of a space could not be rung; the sweeper will", { platform, space, error });
      }
    },
    async departed(space) {
      try {
        await leaveSpace(platform, space, UNINSTALLED);
      } catch (error) {
        log.warn("not all work of a space could be ended; it ends when it is looked at", {
          platform,
          space,
          error,
        });
      }
    },
  };
}
