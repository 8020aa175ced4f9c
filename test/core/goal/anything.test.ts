// Whatever order people, the model, the clock and restarts act in: no invalid goal, never two turns at once, never one that was taken back.
import fc from "fast-check";
import { expect, test } from "vitest";
import { exhausted, type Goal } from "../../../src/core/goal/goal.ts";
import { reduceGoal, type GoalEvent } from "../../../src/core/goal/reduce.ts";
import { admin, owner, setGoal, someone, turn } from "../../support/goals.ts";

type Act =
  | { readonly what: "event"; readonly event: GoalEvent }
  | { readonly what: "later"; readonly ms: number }
  /** A worker takes the planned turn, or ends the one that it has. */
  | { readonly what: "work"; readonly tokens: number; readonly idle: boolean; readonly fails: boolean };

const asker = fc.constantFrom(owner, someone, admin);
const event: fc.Arbitrary<GoalEvent> = fc.oneof(
  fc.record({ kind: fc.constantFrom("pause", "resume", "clear"), by: asker }),
  fc.record({ kind: fc.constant("edit"), by: asker, objective: fc.constantFrom("a", "", "b") }),
  fc.record({
    kind: fc.constant("raise"),
    by: asker,
    more: fc.record({ tokens: fc.constantFrom(0, 5_000) }),
  }),
  fc.constantFrom<GoalEvent>({ kind: "stop" }, { kind: "reset" }, { kind: "heard" }),
  fc.constant<GoalEvent>({ kind: "complete", evidence: "e" }),
  fc.constantFrom<GoalEvent>(
    { kind: "blocked", key: "k", evidence: "e" },
    { kind: "wait", wait: "time", untilMs: 50_000, reason: "r" },
  ),
  fc
    .constantFrom("new" as const, "replace" as const)
    .map((mode) => setGoal("again", { mode, limits: { tokens: 10_000, turns: 4, minutes: 5 } })),
);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: event.map((one): Act => ({ what: "event", event: one })) },
  { weight: 2, arbitrary: fc.constantFrom(1_000, 60_000, 700_000).map((ms): Act => ({ what: "later", ms })) },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant("work"),
      tokens: fc.constantFrom(10, 3_000),
      idle: fc.boolean(),
      fails: fc.boolean(),
    }),
  },
);

function mustHold(goal: Goal, before: Goal | undefined): void {
  const { status, next, wait, closed } = goal;
  if (closed !== undefined) expect(next).toBeUndefined();
  if (["paused", "blocked", "complete", "waiting"].includes(status)) expect(next).toBeUndefined();
  if (status === "waiting" && closed === undefined) expect(wait).toBeDefined();
  if (next !== undefined && next.isWrapUp !== true) {
    expect(next).toMatchObject({ revision: goal.revision, generation: goal.generation });
    expect(exhausted(goal)).toBeUndefined();
  }
  expect(goal.noEffect).toBeLessThanOrEqual(3);
  if (before?.id === goal.id) {
    expect(goal.generation).toBeGreaterThanOrEqual(before.generation);
    expect(goal.windows.tokens.used).toBeGreaterThanOrEqual(before.windows.tokens.used);
  }
}

test("no invalid state is reachable, a planned turn is begun once, and none after pause, clear, stop or reset", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      let goal: Goal | undefined;
      let now = 1_000;
      let isRunning = false;
      const take = (one: GoalEvent): boolean => {
        const step = reduceGoal(goal, one, now);
        if (step.goal === undefined) return false;
        mustHold(step.goal, goal);
        goal = step.goal;
        return step.kind === "changed";
      };
      for (const one of acts) {
        if (one.what === "later") now += one.ms;
        else if (one.what === "event") {
          const { event: asked } = one;
          const was = goal;
          const done = take(asked);
          if (done && ["pause", "clear", "stop", "reset"].includes(asked.kind))
            expect(goal?.next).toBeUndefined();
          if (
            was !== undefined &&
            was.closed === undefined &&
            was.status === "complete" &&
            asked.kind !== "set"
          )
            expect(goal?.status).toBe("complete");
        } else if (isRunning) {
          isRunning = false;
          const error = { code: "model_unavailable", message: "503" } as const;
          const how = one.fails ? { reason: "error" as const, error } : {};
          take(turn({ tokens: one.tokens, ...how, ...(one.idle ? { calls: [] } : {}) }));
        } else if (take({ kind: "begin" })) {
          isRunning = true;
          // Begun it is planned no more: whoever comes second finds nothing.
          expect(take({ kind: "begin" })).toBe(false);
        }
      }
    }),
    { numRuns: 500 },
  );
});
