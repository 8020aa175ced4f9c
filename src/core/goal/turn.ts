/** What a turn leaves of a goal: what it cost, whether it had an effect, and whether another one follows. Pure. */

import type { EndReason } from "../events.ts";
import type { RunCause, RunError } from "../run.ts";
import {
  exhausted,
  goesOn,
  MOST_IN_A_ROW,
  reserveOf,
  type Goal,
  type GoalStatus,
  type NextTurn,
} from "./goal.ts";

/** A call of a tool, as hashes. */
export interface TurnCall {
  /** Of its name and arguments. */
  readonly call: string;
  readonly result: string;
  /** It ended well and changes something: it counts whatever it answered. */
  readonly isChange: boolean;
}

/** A run, as far as its thread's goal is concerned. */
export interface GoalTurn {
  /** The goal as the run found it: what the thread has at the end may be another one, or one that was taken up anew. */
  readonly of: Pick<Goal, "id" | "generation">;
  readonly cause: RunCause;
  /** How the goal stood when the run was claimed. */
  readonly from?: GoalStatus;
  readonly reason: EndReason;
  readonly error?: RunError;
  /** When the provider lets us ask again, in so many ms; absent where it does not say. */
  readonly retryAfterMs?: number;
  /** Least time to the next turn, ms; none unless said. */
  readonly gapMs?: number;
  /** Fresh input and output. What came from the provider's cache is free. */
  readonly tokens: number;
  readonly activeMs: number;
  /** Without those that only keep the goal's books. */
  readonly calls: readonly TurnCall[];
  /** The beginning of its last words. */
  readonly said: string;
  /** Somebody wrote while it ran, and is answered by it. */
  readonly isHeard?: true;
  /** It was told that the budget is used up, and has said how far it came. */
  readonly isWrappedUp?: true;
}

/** Before the next turn, after so many in a row that had no effect, or failed. At the third the goal is paused. */
const DELAYS_MS = [30_000, 120_000, 600_000] as const;
const MOST_SEEN = 100;

export function afterTurn(before: Goal, turn: GoalTurn, now: number): Goal {
  const goal = counted(before, turn);
  if (goal.status === "complete") return { ...goal, closed: "complete" };
  // A pause in mid-turn, the last turn of a window: nothing follows by itself.
  if (!goesOn(goal)) return goal;
  const isActive = goal.status === "active";
  const isCancelled = turn.reason === "cancelled";
  // Who resumed it behind the stop of this turn did not ask for another stop.
  if (isActive && isCancelled && turn.of.generation === goal.generation) return paused(goal, "interrupted");
  const failed = turn.reason === "error";
  // Also a goal that waits, or that the provider limits: what it does next would cost more than it has.
  if (exhausted(goal, reserveOf(goal)) !== undefined) {
    const { wait: _, ...limited }: Goal = { ...goal, status: "budget_limited", failures: 0 };
    if (turn.isWrappedUp) return withoutNext(limited);
    const delayMs = failed ? (turn.retryAfterMs ?? DELAYS_MS[0]) : (turn.gapMs ?? 0);
    return planned(limited, now + delayMs, { isWrapUp: true });
  }
  // A wait, a try after the provider's limit, or what was planned by whoever resumed it.
  if (!isActive || isCancelled) return goal;
  if (failed) return afterFailure(goal, turn, now);
  const isOwn = turn.cause === "continuation";
  // What it waited for came meanwhile, and the turn that follows is told of it: that is progress enough.
  const isMoving = goal.woken !== undefined || hasEffect(before, turn.calls);
  const noEffect = isOwn && !isMoving ? goal.noEffect + 1 : 0;
  const noted: Goal = { ...goal, failures: 0, noEffect };
  if (noEffect >= MOST_IN_A_ROW) return paused(noted, "no_progress");
  return planned(noted, now + Math.max(noEffect === 0 ? 0 : delayOf(noEffect), turn.gapMs ?? 0), {});
}

function afterFailure(goal: Goal, turn: GoalTurn, now: number): Goal {
  const isOwn = turn.cause === "continuation";
  if (turn.error?.code === "model_rate_limited" && isOwn) {
    const limited: Goal = { ...goal, status: "usage_limited" };
    // Once, and only where the provider says when.
    return turn.retryAfterMs === undefined || goal.failures > 0
      ? limited
      : planned({ ...limited, failures: goal.failures + 1 }, now + turn.retryAfterMs, {});
  }
  // Only the goal's own turns count: a person's answer that failed has its own Retry.
  const failures = goal.failures + (isOwn ? 1 : 0);
  if (failures >= MOST_IN_A_ROW) return paused({ ...goal, failures }, "error");
  return planned({ ...goal, failures }, now + delayOf(Math.max(1, failures)), {});
}

function counted(goal: Goal, turn: GoalTurn): Goal {
  const { lastTurns: _, ...rest } = goal;
  const { tokens, turns, activeMs } = goal.windows;
  const seen = new Map(goal.seen);
  for (const { call, result } of turn.calls) {
    seen.delete(call);
    seen.set(call, result);
  }
  return {
    ...rest,
    turns: goal.turns + 1,
    windows: {
      tokens: { ...tokens, used: tokens.used + turn.tokens },
      turns,
      activeMs: { ...activeMs, used: activeMs.used + turn.activeMs },
    },
    seen: [...seen].slice(-MOST_SEEN),
    ...(turn.said === "" ? {} : { said: turn.said }),
  };
}

/** Whether one of them changed something, or told something new. */
export function hasEffect(before: Pick<Goal, "seen">, calls: readonly TurnCall[]): boolean {
  return calls.some(({ call, result, isChange }) => isChange || !isSeen(before, call, result));
}

function isSeen({ seen }: Pick<Goal, "seen">, call: string, result: string): boolean {
  return seen.some(([name, last]) => name === call && last === result);
}

function planned(goal: Goal, dueAt: number, how: Pick<NextTurn, "isWrapUp">): Goal {
  const { revision, generation, windows } = goal;
  return { ...goal, next: { revision, generation, n: windows.turns.used + 1, dueAt, ...how } };
}

export function paused(goal: Goal, reason: NonNullable<Goal["reason"]>): Goal {
  return { ...withoutNext(goal), status: "paused", reason, generation: goal.generation + 1 };
}

function withoutNext(goal: Goal): Goal {
  const { next: _, ...rest } = goal;
  return rest;
}

function delayOf(inARow: number): number {
  return DELAYS_MS[Math.min(inARow, DELAYS_MS.length) - 1] ?? DELAYS_MS[0];
}
