// Goals of threads in memory: the same steps as in the product, without a database.
import type { Goal } from "../../src/core/goal/goal.ts";
import { reduceGoal } from "../../src/core/goal/reduce.ts";
import { createGoalCommands, type GoalCommands } from "../../src/core/command/goal-command.ts";
import { createGoalPolicies, DEFAULT_GOAL_RULES } from "../../src/core/goal/policy.ts";
import type { GoalThreads } from "../../src/core/command/goal-thread.ts";
import type { Goals } from "../../src/core/ports/goals.ts";
import type { SessionId } from "../../src/core/thread.ts";
import { accessWith } from "./access.ts";

export function createMemoryGoals(now: () => number): Goals {
  const goals = new Map<SessionId, Goal>();
  const done = new Set<string>();
  return {
    read: async (session) => goals.get(session),
    async apply(session, event, key) {
      const before = goals.get(session);
      if (key !== undefined && done.has(key) && before !== undefined)
        return { kind: "changed", goal: before, isRepeat: true };
      const step = reduceGoal(before, event, now());
      if (step.goal !== undefined) {
        goals.set(session, step.goal);
        if (key !== undefined) done.add(key);
      }
      return step.kind === "refused" ? { kind: "refused", why: step.why } : step;
    },
    isDone: async (key) => done.has(key),
    record: async () => [],
    whereOf: async () => undefined,
    waitingForCall: async () => undefined,
    waitingForReaction: async () => undefined,
    hasPlace: async () => true,
    behind: async () => {},
    due: async () => [],
  };
}

let count = 0;

/** The command over them, or over others. Nobody is rung for. */
export function goalCommands(goals: Goals = createMemoryGoals(() => Date.now())): GoalCommands {
  return createGoalCommands({
    access: accessWith(),
    goals,
    policies: createGoalPolicies(DEFAULT_GOAL_RULES),
    admit: async () => undefined,
    proposals: { find: async () => ({ kind: "unknown" }) },
    ring: () => {},
    show: () => {},
    newId: () => `goal-${(count += 1)}`,
  });
}

/** Where no goal is given in a channel. */
export const NO_GOAL_THREADS: GoalThreads = {
  open: () => Promise.reject(new Error("no goal is given in a channel here")),
};
