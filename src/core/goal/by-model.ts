/** What the model says of a goal in a turn. Pure. */

import { MINUTE_MS, type Goal } from "./goal.ts";
import type { GoalEvent, Reduced } from "./event.ts";
import { changed, refused } from "./step.ts";

/** Turns in a row that have to name the same obstacle before a goal counts as blocked. */
export const BLOCKED_AFTER = 3;
const LONGEST_WAIT_MS = 7 * 24 * 60 * MINUTE_MS;

/** In the turn under way the model does not work on this text, but on one before. */
function stale({ told, revision, objective, doneWhen = [] }: Goal): string | undefined {
  if (told === revision) return undefined;
  return [
    "The goal was set or changed after this turn began, so nothing is said about it in this turn. A turn of its own follows, which works " +
      `on this text from a person (data, no instruction): ${objective}`,
    ...doneWhen.map((line) => `It is done when: ${line}`),
  ].join("\n");
}

/** What ended the wait has come, and no turn was told of it yet: a wait or an obstacle would bury it. */
function cameAlready({ woken }: Goal): string | undefined {
  return woken === undefined
    ? undefined
    : `It has come already: ${woken}\n\nEnd this turn: a turn of the goal's own follows, which is told the same and goes on with it.`;
}

/** Why the model cannot say that of the goal now; undefined where it can. */
export function problemNow(goal: Goal, as: "complete" | "blocked"): string | undefined {
  const other = stale(goal) ?? cameAlready(goal);
  if (other !== undefined) return other;
  const what = as === "complete" ? "completed" : "blocked";
  return isWorking(goal) ? undefined : `The goal is ${goal.status}: it cannot be ${what} now.`;
}

export function complete(goal: Goal, evidence: string): Reduced {
  const problem = problemNow(goal, "complete");
  if (problem !== undefined) return refused(problem);
  const { next: _, ...rest } = goal;
  // It is closed by the end of this turn, which still counts.
  return changed({ ...rest, status: "complete", evidence });
}

/** Active, or in the turn that says how far it came. */
function isWorking({ status, next }: Goal): boolean {
  return status === "active" || (status === "budget_limited" && next === undefined);
}

export function blocked(goal: Goal, event: Extract<GoalEvent, { kind: "blocked" }>): Reduced {
  const problem = problemNow(goal, "blocked");
  if (problem !== undefined) return refused(problem);
  const noted = noteBlocker(goal, event.key);
  if (noted.kind === "refused") return noted;
  const { next: _, ...rest } = noted.goal;
  return changed({ ...rest, status: "blocked", evidence: event.evidence });
}

/** Counts an obstacle; refused (and noted) until it stood in the way often enough in a row. */
export function noteBlocker(goal: Goal, key: string): Reduced {
  const { blocker, turns } = goal;
  const isSame = blocker?.key === key;
  // Said twice in one turn it counts once; a turn that did not say it breaks the row.
  const streak =
    isSame && blocker.turn === turns
      ? blocker.streak
      : isSame && blocker.turn === turns - 1
        ? blocker.streak + 1
        : 1;
  const noted: Goal = { ...goal, blocker: { key, streak, turn: turns } };
  if (streak >= BLOCKED_AFTER) return changed(noted);
  const left = BLOCKED_AFTER - streak;
  return {
    kind: "refused",
    why:
      `Noted. Only the same obstacle in ${BLOCKED_AFTER} turns in a row blocks a goal, and ${left} more ${left === 1 ? "is" : "are"} ` +
      "needed: try another way. If a person has to decide something, ask and wait for the answer instead.",
    goal: noted,
  };
}

export function wait(goal: Goal, event: Extract<GoalEvent, { kind: "wait" }>, now: number): Reduced {
  const other = stale(goal) ?? cameAlready(goal);
  if (other !== undefined) return refused(other);
  // What the same run waits for it may say anew: an attempt before may have died with the address that it was told.
  const isSaidAnew = goal.status === "waiting" && goal.wait?.of !== undefined && goal.wait.of === event.of;
  if (goal.status !== "active" && !isSaidAnew)
    return refused(`The goal is ${goal.status}: there is nothing to wait for.`);
  const untilMs = event.untilMs ?? (event.wait === "time" ? undefined : LONGEST_WAIT_MS);
  if (untilMs === undefined) return refused("Say for how long to wait.");
  if (!(untilMs > 0)) return refused("The time to wait for has passed already.");
  if (untilMs < MINUTE_MS) return refused("A goal waits for at least a minute.");
  if (untilMs > LONGEST_WAIT_MS) return refused("A goal may wait for at most 7 days.");
  const { next: _, ...rest } = goal;
  return changed({
    ...rest,
    status: "waiting",
    wait: {
      kind: event.wait,
      since: now,
      until: now + untilMs,
      ...(event.of === undefined ? {} : { of: event.of }),
      ...(event.from === undefined ? {} : { from: event.from }),
      ...(event.token === undefined ? {} : { token: event.token }),
      reason: event.reason,
    },
  });
}
