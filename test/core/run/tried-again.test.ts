// The reply that is tried again: it says so and loses its buttons, and no word of it changes.
import { expect, test } from "vitest";
import { RunBench, type RunBenchOptions } from "../../support/run-bench.ts";
import { calls, fails, reply, type ScriptedStep } from "../../support/scripted-model.ts";
import { tool } from "../../support/agent-library.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();
const bench = (script: readonly ScriptedStep[], options?: RunBenchOptions): RunBench =>
  new RunBench(backend.sql(), script, options);
const looks = { ...tool("look", "seen"), doing: (count: number) => `Reading ${count} pages` };
const linesOf = (b: RunBench, at: number): readonly string[] | undefined =>
  b.thread.visible()[at]?.steps?.map(({ line }) => line);

test.each(["steps", "full"] as const)("its steps keep their words, where a thread shows %s", async (value) => {
  const b = bench([calls(["c1", "look"], ["c2", "look"]), fails("model_cut", "So far"), reply("here")], {
    tools: [looks],
  });
  await b.say("hello");
  await b.command({ name: "verbosity", value });
  await b.rest();
  const stood = linesOf(b, 0);
  expect(stood?.[0]).toMatch(/^Reading \d pages/);
  await b.command("retry");
  await b.rest();
  expect(b.shown()[0]).toMatch(/It is tried again below\.\]$/);
  expect(linesOf(b, 0)).toEqual(stood);
  expect(await b.problems()).toEqual([]);
});
