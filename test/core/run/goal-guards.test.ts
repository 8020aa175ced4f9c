// What a goal costs that gets nowhere: over hours, crashes and restarts, counted at the model.
import { expect, test } from "vitest";
import { createGoalTools } from "../../../src/adapters/tools/goals.ts";
import { createTimeTool } from "../../../src/adapters/tools/clock.ts";
import type { Tool } from "../../../src/core/agent/tool.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";
import { tool } from "../../support/agent-library.ts";
import { owner, setGoal } from "../../support/goals.ts";
import { goalTimePasses } from "../../support/goal-time.ts";
import { RunBench } from "../../support/run-bench.ts";
import { calls, fails, reply, type ScriptedStep } from "../../support/scripted-model.ts";

const backend = postgresBackend();

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function benchOf(
  script: readonly ScriptedStep[],
  more: (bench: () => RunBench) => readonly Tool[] = () => [],
): RunBench {
  const tools: Tool[] = [];
  const bench: RunBench = new RunBench(backend.sql(), script, { takes: "goals", tools });
  tools.push(
    ...createGoalTools({ goals: bench.stores.goals, verifierOf: () => undefined }),
    ...more(() => bench),
  );
  return bench;
}

const goalOf = (bench: RunBench) => bench.stores.goals.read(bench.session);

/** Whoever looks for what is due looks once in each of these hours. */
async function hoursPass(bench: RunBench, hours: number, atOnceMs = HOUR_MS): Promise<void> {
  for (let hour = 0; hour < hours; hour += 1) {
    await bench.worker().serve();
    await goalTimePasses(backend.sql(), bench.session, atOnceMs);
  }
  await bench.worker().serve();
}

test("a model that answers `still nothing to do` for ever costs three turns in ten hours, and people read its last words", async () => {
  const nothing = reply("Still nothing to do.");
  const bench = benchOf([nothing, nothing, nothing]);
  await bench.stores.goals.apply(bench.session, setGoal());
  await hoursPass(bench, 10);
  expect(bench.model.requests).toHaveLength(3);
  expect(await goalOf(bench)).toMatchObject({
    status: "paused",
    reason: "no_progress",
    said: "Still nothing to do.",
  });
});

test("looking at the clock again and again is no progress, though it never says the same", async () => {
  const looks = calls(["c1", "time_in_zone", { zone: "Asia/Tokyo" }]);
  const said = reply("It is later now.");
  const bench = benchOf([looks, said, looks, said, looks, said, looks, said], (own) => [
    createTimeTool(own()),
  ]);
  await bench.stores.goals.apply(bench.session, setGoal());
  for (let hour = 0; hour < 6; hour += 1) {
    await hoursPass(bench, 1);
    // Another time each time.
    await bench.clock.advance(HOUR_MS);
  }
  // The first look was new.
  expect(bench.model.requests).toHaveLength(8);
  expect(await goalOf(bench)).toMatchObject({ status: "paused", reason: "no_progress" });
});

test("a page that changes is progress each time it is read", async () => {
  let read = 0;
  const looks = calls(["c1", "read_page", {}]);
  const bench = benchOf([looks, reply("a"), looks, reply("b"), looks, reply("c"), looks, reply("d")], () => [
    tool("read_page", async () => `version ${(read += 1)}`),
  ]);
  await bench.stores.goals.apply(
    bench.session,
    setGoal("watch it", { limits: { tokens: 500_000, turns: 4, minutes: 60 } }),
  );
  for (let hour = 0; hour < 3; hour += 1) {
    await bench.worker().serve();
    expect(await goalOf(bench)).toMatchObject({ status: "active", noEffect: 0 });
    await goalTimePasses(backend.sql(), bench.session, MINUTE_MS);
  }
});

test("a model that always errors costs three turns in ten hours: then the goal is paused, with the reason", async () => {
  const broken = fails("model_unavailable");
  const bench = benchOf([broken, broken, broken]);
  await bench.stores.goals.apply(bench.session, setGoal());
  await hoursPass(bench, 10);
  expect(bench.model.requests).toHaveLength(3);
  expect(await goalOf(bench)).toMatchObject({ status: "paused", reason: "error" });
});

test("provider down for an hour: each try waits longer, three are made in all, and whoever resumes it then goes on", async () => {
  const broken = fails("model_unavailable");
  const bench = benchOf([broken, broken, broken, reply("Here I am.")]);
  await bench.stores.goals.apply(bench.session, setGoal());
  for (let minute = 0; minute < 60; minute += 4) await hoursPass(bench, 1, 4 * MINUTE_MS);
  expect(bench.model.requests).toHaveLength(3);
  await bench.stores.goals.apply(bench.session, { kind: "resume", by: owner });
  await bench.worker().serve();
  expect(bench.model.requests).toHaveLength(4);
});

test("provider 429 in a user turn and in a goal turn: the goal goes on behind a person's, and stands still behind its own", async () => {
  const limited = fails("model_rate_limited");
  const bench = benchOf([limited, limited]);
  await bench.stores.goals.apply(bench.session, setGoal());
  await bench.say("how far are you?");
  await bench.worker().serve();
  expect(await goalOf(bench)).toMatchObject({ status: "active", failures: 0 });
  await hoursPass(bench, 5);
  expect(bench.model.requests).toHaveLength(2);
  expect(await goalOf(bench)).toMatchObject({ status: "usage_limited" });
});

test("a goal that waits eight simulated hours makes no model call, whoever looks, and wakes once", async () => {
  const waits = calls(["c1", "wait_for", { kind: "time", minutes: 480, reason: "the night" }]);
  const done = calls(["c2", "update_goal", { status: "complete", evidence: "it is morning" }]);
  const bench = benchOf([waits, reply("Until tomorrow."), done, reply("Good morning.")]);
  await bench.stores.goals.apply(bench.session, setGoal());
  // In steps of ten minutes, by a worker that is new each time.
  for (let step = 0; step < 48; step += 1) {
    await bench.worker().serve();
    expect(bench.model.requests).toHaveLength(2);
    await goalTimePasses(backend.sql(), bench.session, 10 * MINUTE_MS);
  }
  await hoursPass(bench, 3);
  expect(bench.model.requests).toHaveLength(4);
  expect(await goalOf(bench)).toMatchObject({ closed: "complete", windows: { turns: { used: 2 } } });
});

test("G4: a stop takes back what was to begin in thirteen minutes: when it is time, nothing does", async () => {
  const bench = benchOf([reply("Nothing yet."), reply("Still nothing.")]);
  await bench.stores.goals.apply(bench.session, setGoal());
  await hoursPass(bench, 1, MINUTE_MS);
  // The third turn is two minutes away.
  expect((await goalOf(bench))?.next).toBeDefined();
  await bench.stores.goals.apply(bench.session, { kind: "stop" });
  await hoursPass(bench, 26, MINUTE_MS / 2);
  expect(bench.model.requests).toHaveLength(2);
  expect(await goalOf(bench)).toMatchObject({ status: "paused", reason: "interrupted" });
});
