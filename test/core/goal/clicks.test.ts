// What was asked, or found, of a goal as it was is not done to another one, nor twice.
import { expect, test } from "vitest";
import type { GoalEvent } from "../../../src/core/goal/event.ts";
import { goalRef, LEFT_STANDING, readGoalRef, type GoalRef } from "../../../src/core/goal/ref.ts";
import { reduceGoal } from "../../../src/core/goal/reduce.ts";
import { formOf, writtenIn } from "../../../src/core/goal/form.ts";
import { goalAsked, type GoalValue } from "../../../src/core/goal/asked.ts";
import { admin, after, later, owner, setGoal, turn } from "../../support/goals.ts";

const begin: GoalEvent = { kind: "begin" };
const spent = () => after(setGoal(), begin, turn({ tokens: 500_000 }), begin, turn());
const refOf = (goal: Parameters<typeof goalRef>[0], window?: "tokens"): GoalRef =>
  readGoalRef(goalRef(goal, window))!;

test("two clicks at once raise a budget once: the second finds another goal than its button said", () => {
  const goal = spent();
  const raise: GoalEvent = {
    kind: "raise",
    by: owner,
    more: { tokens: 200_000 },
    ref: refOf(goal, "tokens"),
  };
  const raised = later(goal, 2_000, raise);
  expect(raised.windows.tokens.limit).toBe(700_000);
  expect(reduceGoal(raised, raise, 2_001)).toEqual({ kind: "refused", why: LEFT_STANDING });
});

test.each(["pause", "resume", "clear"] as const)(
  "a click on %s of the goal before changes nothing of this one",
  (kind) => {
    const ref = refOf(after(setGoal(), begin));
    const other = after(setGoal("something else"), begin);
    expect(reduceGoal(other, { kind, by: owner, ref }, 2_000)).toEqual({
      kind: "refused",
      why: LEFT_STANDING,
    });
  },
);

test("what was found of one goal, or of its owner, stops no other", () => {
  const goal = after(setGoal(), begin);
  const of = { id: goal.id, owner: goal.owner.id };
  const lost = (other: typeof of): GoalEvent => ({ kind: "lost", reason: "no_access", of: other });
  expect(later(goal, 2_000, lost(of))).toMatchObject({ status: "paused", reason: "no_access" });
  expect(reduceGoal(goal, lost({ ...of, id: "another" }), 2_000).kind).toBe("refused");
  expect(reduceGoal(goal, lost({ ...of, owner: "U7" }), 2_000).kind).toBe("refused");
});

test.each<GoalEvent>([
  { kind: "pause", by: owner },
  { kind: "mute" },
  { kind: "lost", reason: "owner_left" },
])(
  "a last turn that was begun and given up is taken back by $kind, and nothing of the goal is due any more",
  (event) => {
    const last = later(after(setGoal(), begin, turn({ tokens: 500_000 })), 2_000, begin);
    expect(last).toMatchObject({ status: "budget_limited", lastTurns: 1 });
    const stopped = later(last, 3_000, event);
    expect(reduceGoal(stopped, begin, 10_000_000)).toMatchObject({
      kind: "refused",
      why: "no turn is planned",
    });
  },
);

test("an edit of a goal whose owner left keeps why it stands still: the admin who resumes it takes it over", () => {
  const left = later(after(setGoal(), begin, turn()), 2_000, { kind: "lost", reason: "owner_left" });
  const edited = later(left, 3_000, { kind: "edit", by: admin, objective: "only the half" });
  expect(edited).toMatchObject({ status: "paused", reason: "owner_left" });
  expect(later(edited, 4_000, { kind: "resume", by: admin }).owner.id).toBe(admin.id);
});

test("an edit takes the lines away that say when it is done: with `done when: none`, and in a form in which they are no more", () => {
  const goal = after(setGoal("tidy", { doneWhen: ["all is tidy"] }), begin);
  const edit = (value: GoalValue) => {
    const asked = goalAsked(value);
    if (asked.kind !== "edit") throw new Error(asked.kind);
    return later(goal, 2_000, { ...asked, kind: "edit", by: owner });
  };
  for (const value of [
    "edit done when: none",
    "edit\ndone when: none",
    "edit tidy\ndone when: None.",
    writtenIn(formOf(goal), "tidy"),
  ]) {
    const edited = edit(value);
    expect(edited.objective).toBe("tidy");
    expect("doneWhen" in edited).toBe(false);
  }
  expect(edit("edit tidy more").doneWhen).toEqual(["all is tidy"]);
  expect("doneWhen" in after(setGoal("tidy", { doneWhen: [] }))).toBe(false);
});
