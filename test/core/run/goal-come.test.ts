// What a goal waited for comes, and a person writes before its turn begins: their answer knows it, and the goal's turn is told it too.
import { expect, test } from "vitest";
import { createGoalTools } from "../../../src/adapters/tools/goals.ts";
import type { Tool } from "../../../src/core/agent/tool.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";
import { setGoal } from "../../support/goals.ts";
import { goalTimePasses } from "../../support/goal-time.ts";
import { RunBench } from "../../support/run-bench.ts";
import { calls, reply } from "../../support/scripted-model.ts";

const backend = postgresBackend();

test("a person's message behind a call that woke the goal: the model that waits again is told what came, and it is not buried", async () => {
  const tools: Tool[] = [];
  const waits = calls(["c1", "wait_for", { kind: "time", minutes: 60, reason: "the build" }]);
  const looks = calls(["c0", "get_goal", {}]);
  const script = [looks, waits, reply("It is green."), reply("On we go.")];
  const bench = new RunBench(backend.sql(), script, { takes: "goals", tools });
  const { goals } = bench.stores;
  tools.push(...createGoalTools({ goals, verifierOf: () => undefined }));
  const { session } = bench;
  await goals.apply(session, setGoal());
  await goals.apply(session, { kind: "told", revision: 1 });
  await goals.apply(session, { kind: "wait", wait: "webhook", token: "t", reason: "the build" });
  await goals.apply(session, { kind: "woken", wait: "webhook", token: "t", text: "Build 7 is green." });
  await bench.say("how far are you?");
  await bench.worker().serve();
  await goalTimePasses(backend.sql(), session, 60_000);
  await bench.worker().serve();
  const [first, second, third, own] = bench.model.requests.map((request) => JSON.stringify(request));
  expect(first).not.toContain("Build 7 is green.");
  // Told once behind its first round, and once more when it would have waited.
  expect(second?.split("Build 7 is green.")).toHaveLength(2);
  expect(third).toContain("It has come already: Build 7 is green.");
  expect(own).toContain("What you waited for has come. ");
  expect(own?.split("What you waited for has come. Build 7 is green.")).toHaveLength(2);
  expect(await goals.read(session)).toMatchObject({ status: "active", windows: { turns: { used: 1 } } });
});
