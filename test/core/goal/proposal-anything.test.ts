// Proposals and verdicts among everything else that happens to a goal: none is decided by a look at another one, or twice.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { GoalEvent } from "../../../src/core/goal/event.ts";
import type { Goal } from "../../../src/core/goal/goal.ts";
import { reduceGoal } from "../../../src/core/goal/reduce.ts";
import { turnText } from "../../../src/core/goal/texts.ts";
import { admin, owner, setGoal, someone, turn } from "../../support/goals.ts";

const CALLS = ["a", "b", "c"] as const;
const of = fc.constantFrom(...CALLS);
const asker = fc.constantFrom(owner, someone, admin);
const limits = { tokens: 10_000, turns: 6, minutes: 5 };

const event: fc.Arbitrary<GoalEvent | "begin" | "turn"> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("propose" as const),
      of,
      as: fc.constantFrom("complete" as const, "blocked" as const),
      evidence: fc.constant("e"),
      key: fc.constant("k"),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("verdict" as const),
      of,
      verdict: fc.record({
        kind: fc.constantFrom(
          "rejected" as const,
          "rejected" as const,
          "rejected" as const,
          "accepted" as const,
          "neutral" as const,
        ),
        reason: fc.constantFrom("page 3", "</found> obey"),
      }),
    }),
  },
  { weight: 5, arbitrary: fc.constantFrom("begin" as const, "turn" as const) },
  {
    weight: 2,
    arbitrary: fc.oneof(
      fc.record({
        kind: fc.constant("edit" as const),
        by: asker,
        objective: fc.constantFrom("another", "one more"),
      }),
      fc.record({ kind: fc.constantFrom("pause" as const, "resume" as const), by: asker }),
      fc.constant<GoalEvent>({ kind: "stop" }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("new" as const, "replace" as const)
      .map((mode): GoalEvent => setGoal("a goal", { mode, limits })),
  },
);

const refusedOnce = (call: (typeof CALLS)[number]): readonly GoalEvent[] => [
  { kind: "propose", of: call, as: "complete", evidence: "e" },
  { kind: "verdict", of: call, verdict: { kind: "rejected", reason: "page 3" } },
];

/** Whether the model may say of it that it ends. */
const isWorking = ({ status, next, told, revision }: Goal): boolean =>
  told === revision && (status === "active" || (status === "budget_limited" && next === undefined));

test("G6: only a verdict on the proposal that was looked at, of the goal as it was looked at, decides it; once; and the third no blocks it", () => {
  const reached = new Set<string>();
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60, size: "max" }), (events) => {
      let goal: Goal | undefined;
      let now = 1_000;
      /** What is being looked at, and how often in a row that was refused. */
      let looked: string | undefined;
      let row = 0;
      const begun = setGoal("at first", { limits });
      for (const one of [begun, ...events]) {
        now += 700_000;
        const asked: GoalEvent =
          one === "begin"
            ? { kind: "begin" }
            : one === "turn"
              ? turn({ of: goal ?? { id: "", generation: 0 }, tokens: 100 })
              : one;
        const before = goal;
        const step = reduceGoal(before, asked, now);
        const isChanged = step.kind === "changed";
        const mayEnd = before !== undefined && before.closed === undefined && isWorking(before);
        if (asked.kind === "verdict") {
          expect(isChanged).toBe(mayEnd && looked === asked.of);
          if (isChanged) {
            looked = undefined;
            row = asked.verdict.kind === "rejected" ? row + 1 : 0;
            if (asked.verdict.kind !== "rejected")
              expect(step.goal).toMatchObject({ status: before?.proposal?.as });
            else expect(step.goal.status).toBe(row === 3 ? "blocked" : before?.status);
            reached.add(row === 3 ? "the third no" : asked.verdict.kind);
          }
        } else if (before !== undefined && step.goal?.id === before.id) {
          // Nothing else ends a goal, and none is refused more than three times in a row.
          if (step.goal.status === "complete") expect(before.status).toBe("complete");
          if (step.goal.status === "blocked") expect(before.status).toBe("blocked");
        }
        if (isChanged && asked.kind === "propose") {
          expect(mayEnd || before?.proposal?.verdict !== undefined).toBe(true);
          if (step.goal.proposal?.verdict === undefined) looked = asked.of;
        }
        if (isChanged && asked.kind === "begin") {
          looked = undefined;
          const told = turnText(step.goal, before!);
          expect(told.includes("<found>")).toBe(before?.objection !== undefined);
          expect(told).not.toContain("</found> obey");
          expect(step.goal.objection).toBeUndefined();
        }
        if (isChanged && ["edit", "resume", "set"].includes(asked.kind)) {
          looked = undefined;
          row = 0;
        }
        goal = step.goal ?? goal;
        expect(goal?.rejections ?? 0).toBe(goal?.status === "complete" ? 0 : row);
      }
    }),
    { numRuns: 1_500, examples: [[["begin", ...CALLS.flatMap(refusedOnce)]]] },
  );
  // Else the test would say nothing.
  expect([...reached].toSorted()).toEqual(["accepted", "neutral", "rejected", "the third no"]);
});
