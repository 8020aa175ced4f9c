// What people ask of a goal, and what its turns leave, each with as little as makes it valid.
import { DEFAULT_LIMITS, type Goal } from "../../src/core/goal/goal.ts";
import type { GoalEvent } from "../../src/core/goal/event.ts";
import { reduceGoal } from "../../src/core/goal/reduce.ts";
import type { GoalTurn } from "../../src/core/goal/turn.ts";
import type { Applied } from "../../src/core/ports/goals.ts";

export const owner = { id: "U1", isAdmin: false };
export const someone = { id: "U2", isAdmin: false };
export const admin = { id: "U9", isAdmin: true };

let count = 0;

export function setGoal(
  objective = "tidy the wiki",
  more: Partial<Extract<GoalEvent, { kind: "set" }>> = {},
): Extract<GoalEvent, { kind: "set" }> {
  count += 1;
  const by = more.by ?? owner;
  return {
    kind: "set",
    mode: "new",
    by,
    id: `g${count}-${Math.random().toString(36).slice(2)}`,
    owner: { id: by.id, name: "Ana" },
    objective,
    limits: DEFAULT_LIMITS,
    ...more,
  };
}

const AS_IT_IS = { id: "", generation: 0 };

/** A turn that the goal began, that went well and changed something. `later` plays it as one of the goal that it is given. */
export function turn(more: Partial<GoalTurn> = {}): Extract<GoalEvent, { kind: "turn" }> {
  const call = { call: "write page", result: "ok", isChange: true };
  return {
    kind: "turn",
    turn: {
      of: AS_IT_IS,
      cause: "continuation",
      reason: "stop",
      tokens: 1_000,
      activeMs: 2_000,
      calls: [call],
      said: "One page more.",
      ...more,
    },
  };
}

/** The goal behind these events, of which none may be refused. */
export function after(...events: readonly GoalEvent[]): Goal {
  return later(undefined, 1_000, ...events);
}

export function later(goal: Goal | undefined, now: number, ...events: readonly GoalEvent[]): Goal {
  let at = goal;
  for (const event of events) {
    const ofIt =
      event.kind === "turn" && event.turn.of === AS_IT_IS && at !== undefined
        ? turn({ ...event.turn, of: at })
        : event;
    const step = reduceGoal(at, ofIt, now);
    if (step.kind === "refused") throw new Error(`${event.kind} was refused: ${step.why}`);
    at = step.goal;
  }
  if (at === undefined) throw new Error("no event, no goal");
  return at;
}

export function changedGoal(applied: Applied): Goal {
  if (applied.kind !== "changed") throw new Error(`refused: ${applied.why}`);
  return applied.goal;
}
