// What people are told at the end of a goal's turn, and which turns they are told nothing of.
import { expect, test } from "vitest";
import type { GoalEvent } from "../../../src/core/goal/event.ts";
import type { Goal } from "../../../src/core/goal/goal.ts";
import { newsOf, type TurnNews } from "../../../src/core/goal/news.ts";
import type { GoalTurn } from "../../../src/core/goal/turn.ts";
import { after, later, owner, setGoal, turn } from "../../support/goals.ts";

const DAY = 86_400_000;
const begin: GoalEvent = { kind: "begin" };
const same = [{ call: "read page", result: "the same", isChange: false }];

/** The goal in its second turn, which nobody asked for. */
const going = (): Goal => later(after(setGoal(), begin, turn({ calls: same })), 2_000, begin);

function ended(goal: Goal, more: Partial<GoalTurn> = {}): { readonly goal: Goal; readonly news: TurnNews } {
  const event = turn({ of: goal, ...more });
  const next = later(goal, 3_000, event);
  return { goal: next, news: newsOf(goal, next, event.turn) };
}

test("a turn that began by itself and had no effect has no news; one that had is shown, and nothing is said below it", () => {
  expect(ended(going(), { calls: same }).news).toEqual({ isQuiet: true });
  expect(ended(going(), { calls: [] }).news).toEqual({ isQuiet: true });
  expect(ended(going()).news).toEqual({});
  expect(ended(going(), { calls: [{ ...same[0]!, result: "another" }] }).news).toEqual({});
});

test("the first turn for a text is the answer to whoever gave it, and so is the first after an edit", () => {
  const first = after(setGoal(), begin);
  expect(ended(first, { calls: [] }).news).toEqual({});
  const edited = later(going(), 2_500, turn({ calls: [] }), {
    kind: "edit",
    by: owner,
    objective: "tidy all",
  });
  expect(ended(later(edited, 2_600, begin), { calls: [] }).news).toEqual({});
});

test("a turn in which somebody wrote is shown, and one that was stopped says so", () => {
  expect(ended(going(), { calls: [], isHeard: true }).news).toEqual({});
  expect(ended(going(), { calls: [], reason: "cancelled" }).news.said).toContain("it was stopped");
});

test("the third turn without effect pauses the goal, and its reply says so; the two before it are not shown", () => {
  let goal = going();
  const news: TurnNews[] = [];
  for (let count = 0; count < 3; count++) {
    const step = ended(goal, { calls: same });
    news.push(step.news);
    if (step.goal.status === "active") goal = later(step.goal, step.goal.next!.dueAt, begin);
  }
  expect(news).toEqual([
    { isQuiet: true },
    { isQuiet: true },
    { said: "The goal is paused: three turns in a row had no effect. `goal resume` goes on." },
  ]);
});

test("turns that fail are not shown but the one that pauses the goal", () => {
  const failed = { calls: [], reason: "error", error: { code: "model_unavailable", message: "" } } as const;
  const one = ended(going(), failed);
  expect(one.news).toEqual({ isQuiet: true });
  const two = ended(later(one.goal, DAY, begin), failed);
  expect(two.news).toEqual({ isQuiet: true });
  expect(ended(later(two.goal, 2 * DAY, begin), failed).news.said).toContain("three turns in a row failed");
});

test("complete, blocked and limited by the provider are said once, by the turn that brought it there", () => {
  const done = later(going(), 2_500, { kind: "complete", evidence: "all there" });
  expect(ended(done, { calls: [] }).news.said).toBe("The goal is reached.");
  const limited = ended(going(), {
    calls: [],
    reason: "error",
    error: { code: "model_rate_limited", message: "" },
  });
  expect(limited.news.said).toContain("provider is limiting requests");
  // A person asks something in between: it is said already.
  expect(ended(limited.goal, { cause: "message", from: "usage_limited" }).news).toEqual({});
});

test("that the budget is used up is said by the last turn, and not by the one before it nor by answers after it", () => {
  const spent = ended(going(), { tokens: 10_000_000 });
  expect(spent.goal.status).toBe("budget_limited");
  expect(spent.news).toEqual({});
  const last = ended(later(spent.goal, 4_000, begin), { calls: [] });
  expect(last.news.said).toContain("budget is used up");
  expect(ended(last.goal, { cause: "message", from: "budget_limited" }).news).toEqual({});
});

test("a goal that asks a person is shown each time; one that looks again later, and finds nothing, only once", () => {
  const waits: GoalEvent = { kind: "wait", wait: "time", untilMs: 3_600_000, reason: "the build" };
  const first = ended(later(going(), 2_500, waits), { calls: [] });
  expect(first.news.said).toContain("the build");
  const again = later(first.goal, DAY, begin, waits);
  expect(ended(again, { calls: same }).news).toEqual({ isQuiet: true });
  const asks = later(first.goal, DAY, begin, { kind: "wait", wait: "reply", reason: "may it go?" });
  expect(ended(asks, { calls: [] }).news.said).toContain("may it go?");
});

test("a pause that somebody asked for was answered, so the turn under way says nothing of it", () => {
  const paused = later(going(), 2_500, { kind: "pause", by: owner });
  expect(ended(paused).news).toEqual({});
});

test.each(["reply", "reaction", "webhook"] as const)(
  "a turn begun from a wait that waits for a %s is shown, with all that its reply gives and asks",
  (kind) => {
    const waits: GoalEvent = { kind: "wait", wait: "time", untilMs: 3_600_000, reason: "the build" };
    const first = ended(later(going(), 2_500, waits), { calls: [] });
    const other: GoalEvent = { kind: "wait", wait: kind, token: "t", reason: "a yes" };
    const asks = ended(later(first.goal, DAY, begin, other), { calls: [] });
    expect(asks.news.said).toContain("a yes");
    // And so it is the next time, which has another address.
    expect(ended(later(asks.goal, 9 * DAY, begin, other), { calls: [] }).news.said).toContain("a yes");
  },
);
