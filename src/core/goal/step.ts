/** The steps that every change of a goal is made of. Pure. */

import { isBlank } from "../text.ts";
import { problemOfChecks, type Written } from "./done-when.ts";
import { OBJECTIVE_CHARACTERS, type Closing, type Goal, type NextTurn } from "./goal.ts";
import type { Asker, Reduced } from "./event.ts";

export const changed = (goal: Goal): Reduced => ({ kind: "changed", goal });
export const refused = (why: string): Reduced => ({ kind: "refused", why });

export function ifOwned(goal: Goal, by: Asker, then: () => Reduced): Reduced {
  return by.isAdmin || by.id === goal.owner.id
    ? then()
    : refused(`Only ${goal.owner.name}, whose goal it is, or an admin may do that.`);
}

export function problemOf({ objective, doneWhen = [] }: Written): string | undefined {
  if (isBlank(objective)) return "A goal needs a text that says what is to be reached.";
  const characters = Array.from(objective.trim()).length;
  return characters > OBJECTIVE_CHARACTERS
    ? `A goal may have at most ${OBJECTIVE_CHARACTERS} characters; this one has ${characters}.`
    : problemOfChecks(doneWhen);
}

/** A turn is planned that begins at once. */
export function kick(goal: Goal, now: number): Goal {
  const next: NextTurn = {
    revision: goal.revision,
    generation: goal.generation,
    n: goal.windows.turns.used + 1,
    dueAt: now,
  };
  return { ...goal, next };
}

/** What was planned is void; what came for it is still told. */
export function renewed(goal: Goal): Goal {
  const { next: _, wait: __, lastTurns: ___, reason, ...rest } = goal;
  const kept = reason !== undefined && rest.status === "paused" ? { reason } : {};
  return { ...rest, ...kept, generation: goal.generation + 1 };
}

/** What was refused counts no more: somebody said how to go on. */
function withoutRejections(goal: Goal): Goal {
  const { rejections: _, objection: __, proposal: ___, ...rest } = goal;
  return rest;
}

/** Whoever says how to go on gets all tries anew. */
export function cleared(goal: Goal): Goal {
  const { blocker: _, reason: __, evidence: ___, ...rest } = withoutRejections(goal);
  return { ...rest, noEffect: 0, failures: 0 };
}

export function close(goal: Goal, closed: Closing): Goal {
  return { ...renewed(goal), closed };
}

/** A goal that waited goes on; the turn under way plans what comes next. */
export function goOn(goal: Goal): Goal {
  const { wait: _, ...rest } = goal;
  return { ...rest, status: "active" };
}
