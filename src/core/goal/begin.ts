/** What the clock does to a goal: the turn that was planned begins. Pure. */

import { exhausted, leftAt, MOST_IN_A_ROW, reserveOf, type Goal } from "./goal.ts";
import type { Reduced } from "./event.ts";
import { changed, goOn, kick, refused } from "./step.ts";
import { paused } from "./turn.ts";

export function begin(before: Goal, now: number, from = before.status): Reduced {
  const goal = { ...before, updatedAt: now };
  const { next, status, wait: waited } = goal;
  if ((leftAt(before) ?? Infinity) <= now) {
    if (status === "budget_limited") return lastTurnAgain(goal, now);
    const failed = { ...goal, failures: goal.failures + 1 };
    return failed.failures < MOST_IN_A_ROW
      ? begin(kick(failed, now), now, from)
      : { kind: "refused", why: "its turns were given up", goal: paused(failed, "error") };
  }
  if (status === "waiting" && waited !== undefined && waited.until <= now) {
    return begin(kick(goOn(goal), now), now, from);
  }
  if (next === undefined) return refused("no turn is planned");
  if (next.dueAt > now) return refused("the planned turn is not due yet");
  if (next.revision !== goal.revision || next.generation !== goal.generation) {
    const { next: _, ...rest } = goal;
    return { kind: "refused", why: "the goal has changed since the turn was planned", goal: rest };
  }
  // The turn is told why its last claim was refused, and then it is told no more.
  const { next: _, lastTurns = 0, objection: __, proposal: ___, woken: ____, ...rest } = goal;
  const { tokens, turns, activeMs } = goal.windows;
  const isWrapUp = next.isWrapUp === true || exhausted(goal, reserveOf(goal)) !== undefined;
  return changed({
    ...rest,
    ...(isWrapUp ? { lastTurns: lastTurns + 1 } : {}),
    status: isWrapUp ? "budget_limited" : "active",
    told: goal.revision,
    begun: { from, ...(goal.told < goal.revision ? { isAsked: true } : {}) },
    windows: { tokens, activeMs, turns: { ...turns, used: turns.used + (isWrapUp ? 0 : 1) } },
  });
}

/** Its run was given up before it said how far it came: it is tried once more, and then left. */
function lastTurnAgain(goal: Goal, now: number): Reduced {
  const { lastTurns = 0, ...rest } = goal;
  if (lastTurns >= MOST_LAST_TURNS)
    return { kind: "refused", why: "its last turn was given up twice", goal: rest };
  const kicked = kick(goal, now);
  return begin({ ...kicked, ...(kicked.next && { next: { ...kicked.next, isWrapUp: true } }) }, now);
}

const MOST_LAST_TURNS = 2;
