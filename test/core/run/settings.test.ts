// What people set for a thread, from the command to what the model is asked and what people read.
import { expect, test } from "vitest";
import { sha256 } from "../../../src/adapters/ids.ts";
import { createProfileOf } from "../../../src/core/agent/frozen-profile.ts";
import { MUTE_RULE } from "../../../src/core/session-settings.ts";
import { RunBench, type RunBenchOptions } from "../../support/run-bench.ts";
import { calls, reply, scriptedRecord, type ScriptedStep } from "../../support/scripted-model.ts";
import { tool } from "../../support/agent-library.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();
const deep = { ...scriptedRecord, name: "deep-2", thinking: "effort" } as const;
const bench = (script: readonly ScriptedStep[], options: RunBenchOptions = {}): RunBench =>
  new RunBench(backend.sql(), script, { listed: [deep], ...options });
const models = (b: RunBench): string[] => b.model.requests.map(({ model }) => model.name);

test("another model answers from the next run on, with the effort that was chosen; the one that runs keeps its own, also when another worker takes it up", async () => {
  const b = bench([calls(["c1", "look"]), reply("one"), reply("two"), reply("three")], {
    tools: [tool("look", "seen")],
  });
  await b.say("hello");
  const first = b.worker();
  b.moments.at("commitRound", "after", () => first.die());
  first.begin();
  await until(() => b.moments.pending === 0, { what: "the worker died behind its first round" });
  expect(await b.command({ name: "model", value: "deep-2" })).toContain("`deep-2`");
  expect(await b.command({ name: "effort", value: "high" })).toContain("`high`");
  await b.rest();
  await b.say("and now?");
  await b.rest();
  await b.command({ name: "model", value: "default" });
  await b.say("and then?");
  await b.rest();
  const { name } = scriptedRecord;
  expect(models(b)).toEqual([name, name, "deep-2", name]);
  expect(b.model.requests.map(({ thinking }) => thinking)).toEqual([
    undefined,
    undefined,
    { kind: "effort", effort: "high" },
    { kind: "effort", effort: "high" },
  ]);
  expect(b.shown()).toEqual(["one", "two", "three"]);
  expect(await b.problems()).toEqual([]);
});

test("a model that is not listed any more falls back to the usual one, and people read so", async () => {
  const b = bench([reply("here")]);
  await b.say("hello");
  await b.command({ name: "model", value: "deep-2" });
  const gone = new RunBench(backend.sql(), [reply("here")]);
  Object.defineProperty(gone, "session", { value: b.session });
  await gone.rest();
  expect(models(gone)).toEqual([scriptedRecord.name]);
  expect(gone.shown()).toEqual([
    `here [The model deep-2 is not listed any more, so ${scriptedRecord.name} answered.]`,
  ]);
  expect(await gone.command("model")).toMatch(/not listed any more/);
});

test("a reload gives the thread today's instructions from the next run on", async () => {
  let system = "as it was";
  const b: RunBench = bench([reply("one"), reply("two"), reply("three")], {
    profileOf: (...given) => createProfileOf({ ...b.profile, system }, sha256)(...given),
  });
  const asked = async (text: string): Promise<string | undefined> => {
    await b.say(text);
    await b.rest();
    return b.model.requests.at(-1)?.system;
  };
  expect(await asked("hello")).toBe("as it was");
  system = "as it is";
  expect(await asked("still")).toBe("as it was");
  await b.command("reload");
  expect(await asked("now")).toBe("as it is");
});

test("a muted thread is quiet, also for a retry, and says why; what was said meanwhile stays unanswered", async () => {
  const b = bench([reply("one"), reply("two")]);
  await b.say("hello");
  await b.rest();
  await b.command({ name: "mute", value: "on" });
  await b.say("are you there?");
  await b.rest();
  expect(b.model.requests).toHaveLength(1);
  expect((await b.stores.transcripts.inbounds(b.session)).map(({ rule }) => rule)).toContain(MUTE_RULE);
  expect(await b.command("retry")).not.toBe("Trying again.");
  expect(await b.command("status")).toContain("quiet");
  await b.command({ name: "mute", value: "off" });
  await b.say("and now?");
  await b.rest();
  expect(b.asked(2)).not.toContain("user: [from Ana (U1)]\nare you there?");
  expect(b.shown()).toEqual(["one", "two"]);
});

test("details tells what the last answer did, and usage what was not reported", async () => {
  const b: RunBench = bench([calls(["c1", "look"]), reply("one")], {
    tools: [tool("look", async () => (await b.clock.advance(1_500), "seen"))],
  });
  await b.say("hello");
  await b.rest();
  const details = await b.command("details");
  expect(details).toContain("2 model calls:");
  expect(details).toContain("- `look`: 1.5 s, worked");
  expect(await b.command("usage")).toContain("2 calls, tokens not reported, cost not reported");
});

test("a thread whose people want to see the steps shows them from the next answer on, and also where another worker ends it", async () => {
  const looks = { ...tool("look", "seen"), doing: () => "Looking around" };
  const b = bench([calls(["c1", "look"]), reply("one"), calls(["c2", "look"]), reply("two")], {
    tools: [looks],
  });
  await b.say("hello");
  await b.rest();
  expect(await b.command({ name: "verbosity", value: "steps" })).toContain("a line for each step");
  await b.say("and now?");
  const first = b.worker();
  b.moments.at("end", "after", () => first.die());
  first.begin();
  await until(() => b.moments.pending === 0, { what: "the worker died behind the end" });
  await b.rest();
  const [quiet, shown] = b.thread.visible();
  expect([quiet?.markdown, quiet?.steps]).toEqual(["one", undefined]);
  expect([shown?.markdown, shown?.steps?.map(({ line }) => line)]).toEqual([
    "two",
    [expect.stringMatching(/^Looking around/)],
  ]);
  expect(await b.problems()).toEqual([]);
});

test("a thread is called by its first words in its first run alone: later it may have a name of a person's", async () => {
  const titles: (string | undefined)[] = [];
  const b = bench([reply("one"), reply("two")]);
  Object.assign(b.thread, { show: (_: unknown, title?: string) => void titles.push(title) });
  await b.say("hello");
  await b.rest();
  await b.say("and more");
  await b.rest();
  expect(titles.length).toBeGreaterThan(2);
  expect(titles.filter((title) => title !== undefined)).toEqual(["hello"]);
});
