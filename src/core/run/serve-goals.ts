/** Serves who is rung for by the bell of goals: a ring is for a free place, and is lost only where nobody can take that. */

import type { Goals } from "../ports/goals.ts";
import type { Serve } from "../ports/run-queue.ts";
import type { GoalTurns } from "./goal-turn.ts";
import { createServe, type ServeDeps } from "./serve-session.ts";

export interface ServeGoalsDeps extends Omit<ServeDeps, "released"> {
  readonly goals: Pick<Goals, "hasPlace">;
  readonly turns: Pick<GoalTurns, "released" | "passed">;
}

export function serveGoals({ goals, turns, ...deps }: ServeGoalsDeps): Serve {
  return async (session, leaving) => {
    // Many are rung for where few may run. The claim decides; here it is found out without a lease, and at the price of one question.
    if (!(await goals.hasPlace(session).catch(() => true))) return;
    let hasEnded = false;
    const serve = createServe({
      ...deps,
      released(which) {
        hasEnded = turns.released(which) || hasEnded;
      },
    });
    try {
      await serve(session, leaving);
    } finally {
      // Not known where it stands, taken by a person's message, not to be read, no goal any more: the place is as free as before.
      if (!hasEnded && !leaving.aborted) await turns.passed(session);
    }
  };
}
