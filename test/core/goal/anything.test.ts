// Whatever order people, the model, the clock and restarts act in: no invalid goal, never two turns at once, never one that was taken back.
import fc from "fast-check";
import { expect, test } from "vitest";
import { exhausted, type Goal } from "../../../src/core/goal/goal.ts";
import type { GoalEvent } from "../../../src/core/goal/event.ts";
import { reduceGoal } from "../../../src/core/goal/reduce.ts";
import type { GoalTurn } from "../../../src/core/goal/turn.ts";
import { admin, after, owner, setGoal, someone, turn } from "../../support/goals.ts";

type Act =
  | { readonly what: "event"; readonly event: GoalEvent }
  | { readonly what: "later"; readonly ms: number }
  /** A worker takes the planned turn, or what a person wrote, or ends the turn that it has. */
  | {
      readonly what: "work";
      readonly tokens: number;
      readonly idle: boolean;
      readonly asked: boolean;
      readonly ends: keyof typeof ENDS;
    };

const ENDS = {
  well: {},
  fails: { reason: "error", error: { code: "model_unavailable", message: "503" } },
  limited: { reason: "error", error: { code: "model_rate_limited", message: "429" } },
  limitedFor: {
    reason: "error",
    error: { code: "model_rate_limited", message: "429" },
    retryAfterMs: 45_000,
  },
  cancelled: { reason: "cancelled" },
  wrapsUp: { isWrappedUp: true },
} as const satisfies Record<string, Partial<GoalTurn>>;

const asker = fc.constantFrom(owner, someone, admin);
const limits = { tokens: 10_000, turns: 4, minutes: 5 };
const FIRST = setGoal("at first", { limits });
/** What lets it live comes more often than what ends it: else few goals would get as far as the end of their budget. */
const event: fc.Arbitrary<GoalEvent> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<GoalEvent>(
      { kind: "blocked", key: "k", evidence: "e" },
      { kind: "wait", wait: "time", untilMs: 60_000, reason: "r" },
      { kind: "heard" },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.oneof(
      fc.record({ kind: fc.constant("edit"), by: asker, objective: fc.constantFrom("a", "", "b") }),
      fc.record({ kind: fc.constant("resume"), by: asker }),
      fc.record({
        kind: fc.constant("raise"),
        by: asker,
        more: fc.record({ tokens: fc.constantFrom(0, 5_000) }),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.record({ kind: fc.constantFrom("pause", "clear"), by: asker }),
      fc.constantFrom<GoalEvent>({ kind: "stop" }, { kind: "reset" }, { kind: "complete", evidence: "e" }),
      fc.constantFrom("new" as const, "replace" as const).map((mode) => setGoal("again", { mode, limits })),
    ),
  },
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
      asked: fc.nat(3).map((n) => n === 0),
      ends: fc.oneof(
        { weight: 4, arbitrary: fc.constant("well" as const) },
        { weight: 3, arbitrary: fc.constantFrom(...(Object.keys(ENDS) as (keyof typeof ENDS)[])) },
      ),
    }),
  },
);

function mustHold(goal: Goal, before: Goal | undefined): void {
  const { status, next, wait, closed } = goal;
  if (closed !== undefined) expect(next).toBeUndefined();
  if (["paused", "blocked", "complete", "waiting"].includes(status)) expect(next).toBeUndefined();
  if (status === "waiting" && closed === undefined) expect(wait).toBeDefined();
  if (next !== undefined) {
    expect(next).toMatchObject({ revision: goal.revision, generation: goal.generation });
    if (next.isWrapUp !== true) expect(exhausted(goal)).toBeUndefined();
  }
  expect(goal.windows.turns.used).toBeLessThanOrEqual(goal.windows.turns.limit);
  expect(goal.noEffect).toBeLessThanOrEqual(3);
  if (before?.id === goal.id) {
    expect(goal.generation).toBeGreaterThanOrEqual(before.generation);
    expect(goal.windows.tokens.used).toBeGreaterThanOrEqual(before.windows.tokens.used);
  }
}

test("no invalid state is reachable, a planned turn is begun once, and none after pause, clear, stop or reset", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60, size: "max" }), (acts) => {
      let goal: Goal | undefined = after(FIRST);
      let now = 1_000;
      /** The turn under way, as it was begun. */
      let running: Pick<GoalTurn, "of" | "cause"> | undefined;
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
            expect(goal?.status).toBe(done && asked.kind === "edit" ? "active" : "complete");
          if (done && ["complete", "blocked", "wait"].includes(asked.kind))
            expect(goal?.told).toBe(goal?.revision);
        } else if (running !== undefined) {
          const { of } = running;
          const was = goal;
          const { tokens, idle, ends } = one;
          take(turn({ ...running, tokens, ...ENDS[ends], ...(idle ? { calls: [] } : {}) }));
          running = undefined;
          if (was?.id !== of.id) expect(goal).toBe(was);
          if (ends === "cancelled" && was?.generation !== of.generation && was?.next !== undefined)
            expect(goal?.next).toBeDefined();
          if (goal?.status === "waiting" && goal.closed === undefined)
            expect(exhausted(goal)).toBeUndefined();
        } else if (one.asked) {
          take({ kind: "heard" });
          if (goal !== undefined) running = { of: goal, cause: "message" };
        } else if (take({ kind: "begin" }) && goal !== undefined) {
          running = { of: goal, cause: "continuation" };
          // Begun it is planned no more: whoever comes second finds nothing.
          expect(take({ kind: "begin" })).toBe(false);
        } else if (goal?.next !== undefined) {
          // What cannot be begun now can be when it is due.
          expect(goal.next.dueAt).toBeGreaterThan(now);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});
