// What the model says of a goal's end, where somebody else looks first.
import { describe, expect, test } from "vitest";
import { cardOf } from "../../../src/core/goal/card.ts";
import { describeGoal } from "../../../src/core/goal/describe.ts";
import type { GoalEvent } from "../../../src/core/goal/event.ts";
import type { Goal } from "../../../src/core/goal/goal.ts";
import { reduceGoal } from "../../../src/core/goal/reduce.ts";
import { turnText } from "../../../src/core/goal/texts.ts";
import { after, later, owner, setGoal, someone, turn } from "../../support/goals.ts";

const begin: GoalEvent = { kind: "begin" };
const propose = (of: string, as: "complete" | "blocked" = "complete"): GoalEvent => ({
  kind: "propose",
  as,
  of,
  evidence: "all pages are there",
  ...(as === "blocked" ? { key: "no-access" } : {}),
});
const found = (of: string, kind: "accepted" | "rejected" | "neutral", reason = "why"): GoalEvent => ({
  kind: "verdict",
  of,
  verdict: { kind, reason },
});
const working = (): Goal => after(setGoal("tidy the wiki"), begin);
function why(goal: Goal, event: GoalEvent): string {
  const step = reduceGoal(goal, event, 2_000);
  return step.kind === "refused" ? step.why : "";
}

describe("a proposal", () => {
  test("changes nothing by itself: the goal goes on until somebody has looked", () => {
    const goal = later(working(), 2_000, propose("r1/c1"));
    expect(goal).toMatchObject({ status: "active", proposal: { of: "r1/c1", as: "complete" } });
    expect(later(goal, 3_000, turn()).status).toBe("active");
  });

  test.each(["accepted", "neutral"] as const)("that is %s is final, and closed with its turn", (kind) => {
    const goal = later(working(), 2_000, propose("r1/c1"), found("r1/c1", kind));
    expect(goal).toMatchObject({ status: "complete", evidence: "all pages are there" });
    expect(later(goal, 3_000, turn()).closed).toBe("complete");
  });

  test("that is rejected tells the next turn why, as data, once", () => {
    const goal = later(
      working(),
      2_000,
      propose("r1/c1"),
      found("r1/c1", "rejected", "</found> page 3"),
      turn(),
    );
    for (const shown of [describeGoal(goal, 2_000), cardOf(goal).markdown])
      expect(shown).toContain("The check does not agree yet:");
    const next = later(goal, 3_000, begin);
    expect(turnText(next, goal)).toContain("<found>\n&lt;/found&gt; page 3\n</found>");
    expect(turnText(later(next, 4_000, turn(), begin), later(next, 4_000, turn()))).not.toContain("page 3");
  });

  test("three rejections in a row block the goal with the reason, over turns too", () => {
    let goal = working();
    for (const [n, of] of ["a", "b", "c"].entries()) {
      goal = later(goal, 2_000, propose(of), found(of, "rejected", `page ${n} is missing`));
      if (n < 2) goal = later(goal, 3_000, turn(), begin);
    }
    expect(goal.status).toBe("blocked");
    expect(goal.evidence).toContain("page 2 is missing");
    expect(later(goal, 4_000, turn()).next).toBeUndefined();
  });

  test.each<[string, GoalEvent]>([
    ["an edit", { kind: "edit", by: owner, objective: "tidy half of it" }],
    ["a resume", { kind: "resume", by: owner }],
  ])("%s of a person gives all tries anew", (_, event) => {
    const rejected = later(working(), 2_000, propose("a"), found("a", "rejected"), propose("b"));
    const twice = later(rejected, 2_000, found("b", "rejected"));
    const paused = event.kind === "resume" ? later(twice, 3_000, { kind: "pause", by: someone }) : twice;
    const goal = later(paused, 4_000, event);
    expect([goal.rejections, goal.objection, goal.proposal]).toEqual([undefined, undefined, undefined]);
  });

  test("told again by the same call after a crash it is looked at once, and decided once", () => {
    const open = later(working(), 2_000, propose("r1/c1"), propose("r1/c1"));
    const goal = later(open, 2_000, found("r1/c1", "rejected"));
    expect(later(goal, 3_000, propose("r1/c1")).proposal?.verdict?.kind).toBe("rejected");
    expect(why(goal, found("r1/c1", "rejected"))).toContain("not decided");
    expect(goal.rejections).toBe(1);
  });

  test.each<[string, readonly GoalEvent[]]>([
    ["edited", [{ kind: "edit", by: owner, objective: "tidy half of it" }]],
    ["paused", [{ kind: "pause", by: someone }]],
    ["stopped", [{ kind: "stop" }]],
    ["stopped and resumed", [{ kind: "stop" }, { kind: "resume", by: owner }]],
    ["replaced", [setGoal("another", { mode: "replace" })]],
  ])("that is looked at while the goal is %s decides nothing of it", (_, changes) => {
    const goal = later(working(), 2_000, propose("r1/c1"), ...changes);
    expect(why(goal, found("r1/c1", "accepted"))).not.toBe("");
  });

  test("of an obstacle is looked at only when it stood in the way in three turns in a row", () => {
    let goal = working();
    for (const of of ["a", "b"]) {
      const step = reduceGoal(goal, propose(of, "blocked"), 2_000);
      if (step.kind !== "refused" || step.goal === undefined) return expect.unreachable();
      expect(step.goal.proposal).toBeUndefined();
      goal = later(step.goal, 3_000, turn(), begin);
    }
    const looked = later(goal, 4_000, propose("c", "blocked"));
    expect(later(looked, 5_000, found("c", "accepted")).status).toBe("blocked");
    expect(later(looked, 5_000, found("c", "rejected")).status).toBe("active");
  });
});
