// What a turn leaves: budgets, the guard against turns without effect, failures.
import { describe, expect, test } from "vitest";
import { dueAtOf, type Goal } from "../../../src/core/goal/goal.ts";
import { reduceGoal } from "../../../src/core/goal/reduce.ts";
import type { GoalTurn } from "../../../src/core/goal/turn.ts";
import { turnText } from "../../../src/core/goal/texts.ts";
import { after, later, owner, setGoal, turn } from "../../support/goals.ts";

const begin = { kind: "begin" } as const;
const limits = { tokens: 100_000, turns: 3, minutes: 10 };
const small = setGoal("tidy", { limits });

/** The next planned turn is begun when it is due, and leaves this. */
function played(goal: Goal, more: Partial<GoalTurn> = {}): Goal {
  const now = Math.max(goal.updatedAt, goal.next?.dueAt ?? 0);
  return later(goal, now, begin, turn(more));
}

const delay = (goal: Goal): number => (goal.next?.dueAt ?? Number.NaN) - goal.updatedAt;

describe("budgets", () => {
  test("what any turn costs while the goal is active counts; only turns that it began use up its turns", () => {
    const goal = later(after(small), 2_000, turn({ cause: "message", tokens: 300, activeMs: 400 }));
    expect(goal.windows).toMatchObject({
      tokens: { used: 300 },
      turns: { used: 0 },
      activeMs: { used: 400 },
    });
    expect(played(goal).windows).toMatchObject({ tokens: { used: 1_300 }, turns: { used: 1 } });
  });

  test.each([
    ["tokens", [{ tokens: 95_000 }]],
    ["turns", [{}, {}, {}]],
    ["time", [{ activeMs: 600_000 }]],
  ] as const)(
    "when its %s are used up, one last turn says how far it came, and none follows",
    (word, turns) => {
      const spent = turns.reduce<Goal>((goal, more) => played(goal, more), after(small));
      expect(spent).toMatchObject({ status: "budget_limited", next: { isWrapUp: true } });
      const wrapUp = later(spent, 9_000, begin);
      expect(turnText(wrapUp, spent)).toContain(`budget of ${word} is used up`);
      expect(wrapUp.windows.turns).toEqual(spent.windows.turns);
      const end = later(wrapUp, 9_000, turn({ calls: [] }));
      expect(end.status).toBe("budget_limited");
      expect(end.next).toBeUndefined();
    },
  );

  test("the last turn may find that the goal is reached", () => {
    const wrapUp = later(played(after(small), { tokens: 95_000 }), 9_000, begin);
    expect(later(wrapUp, 9_000, { kind: "complete", evidence: "it is" }, turn()).closed).toBe("complete");
  });

  test("G17: resume does not go on with a spent budget, and says what does; a raise that is large enough does", () => {
    const spent = later(played(after(small), { tokens: 110_000 }), 9_000, begin, turn());
    const resumed = reduceGoal(spent, { kind: "resume", by: owner }, 9_000);
    expect(resumed).toMatchObject({ kind: "refused" });
    expect(resumed.kind === "refused" && resumed.why).toContain("goal budget +200k");
    const little = reduceGoal(spent, { kind: "raise", by: owner, more: { tokens: 10_000 } }, 9_000);
    expect(little).toMatchObject({ kind: "refused", goal: { status: "budget_limited" } });
    expect(later(spent, 9_000, { kind: "raise", by: owner, more: { tokens: 200_000 } })).toMatchObject({
      status: "active",
      windows: { tokens: { limit: 300_000 } },
      next: { dueAt: 9_000 },
    });
  });
});

describe("budgets of a goal that waits, or that is limited", () => {
  const wait = { kind: "wait", wait: "time", untilMs: 60_000, reason: "the build" } as const;

  test("a goal that waits in each turn has no more turns than any other one: then it says how far it came, and ends", () => {
    let goal = after(small);
    let now = 1_000;
    for (let n = 0; n < 3; n += 1) {
      goal = later(goal, now, begin, wait, turn({ calls: [] }));
      now += 60_000;
    }
    expect(goal).toMatchObject({ status: "budget_limited", next: { isWrapUp: true } });
    expect(goal.wait).toBeUndefined();
    const end = later(goal, now, begin, turn({ calls: [] }));
    expect([end.status, end.next]).toEqual(["budget_limited", undefined]);
  });

  test("one that was told in the middle of its turn that nothing is left, and waits then, gets no other turn", () => {
    const goal = later(after(small), 2_000, begin, wait, turn({ tokens: 95_000, isWrappedUp: true }));
    expect([goal.status, goal.next, goal.wait]).toEqual(["budget_limited", undefined, undefined]);
  });

  test("a wait that is over with nothing left begins the last turn", () => {
    const waits = later(after(small), 2_000, begin, wait, turn({ calls: [] }));
    const spent: Goal = { ...waits, windows: { ...waits.windows, turns: { used: 3, limit: 3 } } };
    const last = later(spent, 62_000, begin);
    expect(last).toMatchObject({ status: "budget_limited", windows: { turns: { used: 3 } } });
    expect(turnText(last, spent)).toContain("budget of turns is used up");
  });

  test("what a person's answer costs while the provider limits the goal is looked at before it tries again", () => {
    const error = { code: "model_rate_limited", message: "429" } as const;
    const limited = played(after(small), { reason: "error", error, retryAfterMs: 45_000 });
    const spent = later(limited, 2_000, turn({ cause: "message", tokens: 95_000 }));
    expect(spent).toMatchObject({ status: "budget_limited", next: { isWrapUp: true } });
  });
});

describe("a turn that was begun for what is no more", () => {
  const stopped = { reason: "cancelled" } as const;

  test("the end of a run that was stopped does not pause the goal that was resumed behind the stop, and counts", () => {
    const running = later(after(setGoal()), 2_000, begin);
    const resumed = later(running, 2_000, { kind: "stop" }, { kind: "resume", by: owner });
    const end = later(resumed, 2_500, turn({ ...stopped, of: running }));
    expect(end).toMatchObject({ status: "active", next: resumed.next, windows: { tokens: { used: 1_000 } } });
    expect(later(end, 3_000, begin).windows.turns.used).toBe(2);
  });

  test("the end of a run of the goal before changes nothing of the one that took its place", () => {
    const running = later(after(setGoal()), 2_000, begin);
    const other = later(running, 2_000, setGoal("another", { mode: "replace" }));
    for (const how of [{}, stopped])
      expect(reduceGoal(other, turn({ ...how, of: running }), 2_500)).toEqual({
        kind: "refused",
        why: "The turn was one of another goal.",
      });
  });
});

describe("the guard against turns without effect", () => {
  const idle: Partial<GoalTurn> = { calls: [], said: "Still nothing to do." };

  test("a model that answers `still nothing to do` for ever costs three turns: each waits longer, then the goal is paused", () => {
    const once = played(after(setGoal()), idle);
    expect(delay(once)).toBe(30_000);
    const twice = played(once, idle);
    expect(delay(twice)).toBe(120_000);
    const thrice = played(twice, idle);
    expect(thrice).toMatchObject({ status: "paused", reason: "no_progress", said: "Still nothing to do." });
    expect(thrice.next).toBeUndefined();
  });

  test("reading the same thing again is no effect, and reading something new is", () => {
    const reads = (result: string) => ({ calls: [{ call: "read page", result, isChange: false }] });
    const first = played(after(setGoal()), reads("a"));
    expect(first.noEffect).toBe(0);
    const same = played(first, reads("a"));
    expect(same.noEffect).toBe(1);
    expect(played(same, reads("b")).noEffect).toBe(0);
  });

  test("between two turns lies at least the gap, and what has no effect waits for its own delay where that is longer", () => {
    expect(delay(played(after(setGoal()), { gapMs: 7_000 }))).toBe(7_000);
    expect(delay(played(after(setGoal()), { gapMs: 7_000, calls: [] }))).toBe(30_000);
    expect(delay(played(after(setGoal()), { gapMs: 45_000, calls: [] }))).toBe(45_000);
  });

  test("whatever changes something is an effect, also with the same result", () => {
    expect(played(played(after(setGoal()))).noEffect).toBe(0);
  });

  test("a turn of a person takes the streak back", () => {
    const twice = played(played(after(setGoal()), idle), idle);
    expect(later(twice, 9_000, turn({ ...idle, cause: "message" })).noEffect).toBe(0);
  });
});

describe("failures", () => {
  const failed: Partial<GoalTurn> = {
    reason: "error",
    error: { code: "model_unavailable", message: "503" },
    calls: [],
  };
  const limited: Partial<GoalTurn> = {
    reason: "error",
    error: { code: "model_rate_limited", message: "429" },
  };

  test("provider down for an hour (G16): each try waits longer, and the third one pauses the goal", () => {
    const once = played(after(setGoal()), failed);
    expect([once.status, delay(once)]).toEqual(["active", 30_000]);
    const twice = played(once, failed);
    expect(delay(twice)).toBe(120_000);
    expect(played(twice, failed)).toMatchObject({ status: "paused", reason: "error" });
  });

  test("a turn that goes well takes the row of failures back", () => {
    expect(played(played(after(setGoal()), failed)).failures).toBe(0);
  });

  test("a turn whose run was given up, so that nobody told the goal, is one that failed: five minutes later the next one begins", () => {
    const lost = later(after(setGoal()), 2_000, begin);
    expect(dueAtOf(lost)).toBe(302_000);
    expect(reduceGoal(lost, begin, 301_999)).toMatchObject({ kind: "refused" });
    const again = later(lost, 302_000, begin);
    expect(again).toMatchObject({ status: "active", failures: 1, windows: { turns: { used: 2 } } });
    const last = later(again, 602_000, begin);
    const given = reduceGoal(last, begin, 902_000);
    expect(given).toMatchObject({ kind: "refused", goal: { status: "paused", reason: "error" } });
    expect(later(last, 610_000, turn()).failures).toBe(0);
  });

  test("provider 429 in a goal turn: it stands still, and goes on once if the provider says when", () => {
    const stopped = played(after(setGoal()), limited);
    expect(stopped.status).toBe("usage_limited");
    expect(stopped.next).toBeUndefined();
    const told = played(after(setGoal()), { ...limited, retryAfterMs: 45_000 });
    expect([told.status, delay(told)]).toEqual(["usage_limited", 45_000]);
    const again = played(told, { ...limited, retryAfterMs: 45_000 });
    expect([again.status, again.next]).toEqual(["usage_limited", undefined]);
  });

  test("provider 429 in a user turn: the goal stays active and goes on later", () => {
    const goal = later(after(setGoal()), 2_000, turn({ ...limited, cause: "message" }));
    expect([goal.status, delay(goal), goal.failures]).toEqual(["active", 30_000, 0]);
  });

  test("a turn that was stopped pauses the goal", () => {
    expect(played(after(setGoal()), { reason: "cancelled" })).toMatchObject({
      status: "paused",
      reason: "interrupted",
    });
  });
});
