/** Whether a turn of a goal has news for people, and what they are told of the goal at its end: each change of its standing once. Pure. */

import { standingOfGoal } from "./describe.ts";
import type { Goal, GoalStatus } from "./goal.ts";
import { hasEffect, type GoalTurn } from "./turn.ts";

export interface TurnNews {
  /** Said below the reply. */
  readonly said?: string;
  /** The turn began by itself, changed nothing and found nothing new: its reply is not shown, and only the goal's card tells of it. */
  readonly isQuiet?: true;
}

/** @param before as it stood when the turn ended. @param after with what the turn leaves. */
export function newsOf(before: Goal, after: Goal, turn: GoalTurn): TurnNews {
  const isOwn = turn.cause === "continuation";
  const from = isOwn ? (before.begun?.from ?? "active") : (turn.from ?? before.status);
  const isLastTurn = isOwn && before.status === "budget_limited";
  if (isAnnounced(after, from, { isOwn, isLastTurn }))
    return { said: standingOfGoal(after, after.updatedAt) };
  // Somebody waits for a word: on what they asked for, on their stop, or on how far it came.
  const isExpected =
    turn.isHeard === true || before.begun?.isAsked === true || turn.reason === "cancelled" || isLastTurn;
  return isOwn && !isExpected && !hasEffect(before, turn.calls) ? { isQuiet: true } : {};
}

function isAnnounced(
  after: Goal,
  from: GoalStatus,
  { isOwn, isLastTurn }: { readonly isOwn: boolean; readonly isLastTurn: boolean },
): boolean {
  if (after.closed !== undefined) return after.closed === "complete";
  switch (after.status) {
    case "active":
    case "complete":
      return false;
    case "paused":
      // Whoever paused it by a command was answered.
      return after.reason !== undefined && from !== "paused";
    case "budget_limited":
      // Where a last turn is planned, that one says it.
      return after.next === undefined && (isLastTurn || from !== "budget_limited");
    case "waiting":
      // Who looks again each hour and finds nothing has no news. Any other wait is for somebody who has to be told of it.
      return from !== "waiting" || !isOwn || after.wait?.kind !== "time";
    case "blocked":
    case "usage_limited":
      return from !== after.status;
    default:
      return after.status satisfies never;
  }
}

/** Whether people see the reply of a turn as it is written. @param goal as the turn has begun it. */
export function isShownAtOnce(goal: Goal): boolean {
  return goal.begun?.isAsked === true || goal.status === "budget_limited";
}
