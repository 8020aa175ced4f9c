// What is planned before a chaos run begins, and what its model does: both follow from the seed alone.
import { expect, test } from "vitest";
import { nextStep } from "./model.ts";
import { nothingLostPlan } from "./nothing-lost.ts";
import { planOf } from "./plan.ts";
import { questionOf, recipeOf } from "./recipe.ts";

const MINUTES_MS = 600_000;

test("the same seed plans the same faults, another one others", () => {
  expect(planOf(3, MINUTES_MS, "everything")).toEqual(planOf(3, MINUTES_MS, "everything"));
  expect(nothingLostPlan(3, MINUTES_MS)).toEqual(nothingLostPlan(3, MINUTES_MS));
  expect(nothingLostPlan(3, MINUTES_MS)).not.toEqual(nothingLostPlan(4, MINUTES_MS));
});

test("the plan b9 restarts Postgres every five to ten seconds, and Redis and workers all the time", () => {
  for (const seed of [1, 2, 3]) {
    const plan = nothingLostPlan(seed, MINUTES_MS);
    const timesOf = (kind: string): number[] =>
      plan.filter(({ fault }) => fault.kind === kind).map(({ atMs }) => atMs);
    const postgres = timesOf("postgres");
    const pauses = postgres.slice(1).map((atMs, at) => atMs - (postgres[at] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(5_000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(10_000);
    expect(postgres.length).toBeGreaterThanOrEqual(58);
    expect(timesOf("redis").length).toBeGreaterThanOrEqual(14);
    expect(timesOf("kill").length).toBeGreaterThanOrEqual(58);
    expect(plan.every(({ fault }) => fault.kind !== "redis" || fault.how !== "flush")).toBe(true);
    expect(plan.map(({ atMs }) => atMs)).toEqual(plan.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
  }
});

test("the model works on one question after the other, or on all that are open, and then answers", () => {
  const seed = 1;
  const tags = Array.from({ length: 60 }, (_, at) => at + 1)
    .filter((tag) => recipeOf(seed, tag).rounds.length === 1)
    .slice(0, 2);
  const asked = tags.map((tag) => ({ role: "user", content: questionOf(tag) }));
  const [one, other] = tags.map((tag) => recipeOf(seed, tag).rounds[0] ?? []) as [object[], object[]];
  expect(nextStep(asked, seed)).toMatchObject({ kind: "call", orders: one });
  const all = nextStep(asked, seed, "on all");
  expect(all).toMatchObject({ kind: "call", orders: [...one, ...other] });
  const calls = (all.kind === "call" ? all.orders : []).map(({ id, tool }) => ({
    id: `call_${id}`,
    function: { name: tool, arguments: JSON.stringify({ order: id }) },
  }));
  const answer = nextStep([...asked, { role: "assistant", content: "", tool_calls: calls }], seed, "on all");
  const words = answer.kind === "answer" ? answer.words : [];
  expect(words).toEqual(expect.arrayContaining(tags.map((tag) => `end${tag}`)));
});
