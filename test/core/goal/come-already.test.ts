// What comes for a goal while a turn runs: it is told to the turn that follows, whatever the one under way says of the goal.
import { expect, test } from "vitest";
import type { GoalEvent } from "../../../src/core/goal/event.ts";
import type { Goal } from "../../../src/core/goal/goal.ts";
import { reduceGoal } from "../../../src/core/goal/reduce.ts";
import { turnText } from "../../../src/core/goal/texts.ts";
import { after, later, owner, setGoal, turn } from "../../support/goals.ts";

const begin: GoalEvent = { kind: "begin" };
const call = (of: string, token: string): GoalEvent => ({
  kind: "wait",
  wait: "webhook",
  token,
  of,
  reason: "the build",
});
const comes: GoalEvent = { kind: "woken", wait: "webhook", token: "t1", text: "The build is green." };

/** It waited for a call, which came; no turn was told of it yet. */
const come = (): Goal => later(after(setGoal(), begin, call("r1", "t1"), turn()), 2_000, comes);

const buries: readonly GoalEvent[] = [
  call("r2", "t2"),
  { kind: "wait", wait: "time", untilMs: 3_600_000, reason: "the build" },
  { kind: "wait", wait: "reply", reason: "may it go?" },
  { kind: "wait", wait: "reaction", reason: "a thumb" },
  { kind: "blocked", key: "no-build", evidence: "no build came" },
  { kind: "propose", as: "blocked", of: "r2/c1", key: "no-build", evidence: "no build came" },
  { kind: "complete", evidence: "done without it" },
];

test.each(buries)(
  "$kind ($wait) is refused where what was waited for has come already, and says what came",
  (event) => {
    // A person's message is served first: it ends no wait any more, and its model knows nothing of the call.
    const step = reduceGoal(come(), event, 3_000);
    expect(step).toMatchObject({ kind: "refused" });
    expect(step.kind === "refused" && step.why).toContain("The build is green.");
    const goal = later(come(), 4_000, turn({ cause: "message" }));
    expect(turnText(later(goal, 5_000, begin), goal)).toContain(
      "What you waited for has come. The build is green.",
    );
  },
);

test("the turn that is told what came may wait again", () => {
  expect(later(come(), 3_000, begin, call("r2", "t2"))).toMatchObject({
    status: "waiting",
    wait: { token: "t2" },
  });
});

test("what comes in the turn that began to wait for it counts as progress: the next turn follows at once, also behind two without effect", () => {
  const nothing = turn({ calls: [] });
  const twice = later(later(after(setGoal(), begin, nothing), 100_000, begin, nothing), 1_000_000, begin);
  expect(twice.noEffect).toBe(2);
  const goal = later(twice, 1_001_000, call("r3", "t1"), comes, turn({ calls: [], gapMs: 5_000 }));
  expect(goal).toMatchObject({ status: "active", noEffect: 0, next: { dueAt: 1_006_000 } });
  expect(goal.woken).toBe("The build is green.");
});

test("a run may say anew what it waits for, since the address died with its attempt; no other run may", () => {
  const waiting = after(setGoal(), begin, call("r1", "t1"));
  expect(later(waiting, 2_000, call("r1", "t2")).wait).toMatchObject({ token: "t2", since: 2_000 });
  expect(reduceGoal(waiting, call("r2", "t2"), 2_000).kind).toBe("refused");
  // As an earlier version stored it.
  const { of: _, ...wait } = waiting.wait!;
  expect(reduceGoal({ ...waiting, wait }, call("r1", "t2"), 2_000).kind).toBe("refused");
});

test("what came is told also where the goal was paused and resumed, or its text changed, before a turn began", () => {
  const by = owner;
  for (const events of [
    [
      { kind: "pause", by },
      { kind: "resume", by },
    ],
    [{ kind: "stop" }, { kind: "resume", by }],
    [{ kind: "edit", by, objective: "tidy all of it" }],
  ] satisfies GoalEvent[][]) {
    const goal = later(come(), 3_000, ...events);
    const told = turnText(later(goal, 4_000, begin), goal);
    expect(told).toContain("What you waited for has come. The build is green.");
    expect(told.includes("was changed")).toBe(events[0]?.kind === "edit");
  }
});
