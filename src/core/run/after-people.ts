/** Goals begin nothing while somebody's message waits for a worker: also where their own places are free. */

import { pause } from "../pause.ts";
import type { Clock } from "../ports/clock.ts";
import type { Serve } from "../ports/run-queue.ts";

export interface AfterPeopleDeps {
  /** Whether a wake of people's messages waits that nobody has taken yet. */
  readonly isWaiting: () => Promise<boolean>;
  readonly clock: Clock;
}

/** Between two looks, ms: what a goal may come too late. */
const LOOK_EVERY_MS = 50;

/** The service waits, for as long as people do. Who leaves meanwhile serves nothing; its wake is handed over. */
export function afterPeople(serve: Serve, { isWaiting, clock }: AfterPeopleDeps): Serve {
  return async (session, leaving) => {
    // Who cannot tell goes on: the store decides in the end whose turn it is.
    while (!leaving.aborted && (await isWaiting().catch(() => false)))
      await pause(clock, LOOK_EVERY_MS, leaving);
    if (!leaving.aborted) await serve(session, leaving);
  };
}
