// A fault of our own in any part: it is tried a bounded number of times, the end is seen in the thread, and the thread goes on.
import { expect, test } from "vitest";
import { createProfileOf } from "../../../src/core/agent/frozen-profile.ts";
import { sha256 } from "../../../src/adapters/ids.ts";
import { RunBench, type RunBenchOptions } from "../../support/run-bench.ts";
import { call, calls, fails, reply, type ScriptedStep } from "../../support/scripted-model.ts";
import { tool } from "../../support/agent-library.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();
const bench = (script: readonly ScriptedStep[], options?: RunBenchOptions): RunBench =>
  new RunBench(backend.sql(), script, options);
const fault = (): never => {
  throw new TypeError("undefined is not a function");
};

test("in storing the answer: the run ends at once, with Retry", async () => {
  const b = bench([reply("lost"), reply("here")]);
  await b.say("hello");
  b.moments.at("end", "before", fault);
  await b.worker().serve();
  expect(b.shown()[0]).toMatch(
    /Something went wrong inside the bot\. Please try again\. Retry starts it again/,
  );
  expect(b.thread.visible()[0]?.buttons.map(({ action }) => action)).toEqual(["retry", "details"]);
  expect(await b.fates()).toEqual(["hello: failed"]);
  await b.command("retry");
  await b.rest();
  expect(b.shown().at(-1)).toBe("here");
  expect(await b.problems()).toEqual([]);
});

test("in storing what was shown of an answer that broke off: the run ends at once with what broke it off, and with Retry", async () => {
  const b = bench([fails("model_cut", "half of it"), reply("here")]);
  await b.say("hello");
  b.moments.at("end", "before", fault);
  await b.worker().serve();
  expect(b.shown()[0]).toMatch(/^half of it \[.*broke off several times.*Retry starts it again/);
  expect(await b.attempts()).toEqual([["ended"]]);
  await b.command("retry");
  await b.rest();
  expect(b.shown().at(-1)).toBe("here");
  expect(await b.problems()).toEqual([]);
});

test("in what a model call took: the answer is stored without it, and people see nothing of that", async () => {
  const b = bench([reply({ text: "here", usage: { input: 12.5 } })]);
  await b.say("hello");
  await b.worker().serve();
  expect(b.thread.texts()).toEqual(["here"]);
  expect(await b.fates()).toEqual(["hello: answered"]);
  expect(await b.attempts()).toEqual([["ended"]]);
  expect(await b.problems()).toEqual([]);
});

test("in what a model call took that asked for tools: none starts, and the run ends at once, with Retry", async () => {
  let acts = 0;
  const act = tool("act", async () => `done ${++acts}`, { effect: "write" });
  const b = bench([reply({ calls: [call("c1", "act")], usage: { output: 1e21 } }), reply("here")], {
    tools: [act],
  });
  await b.say("hello");
  await b.worker().serve();
  expect(b.shown()[0]).toContain("Something went wrong inside the bot.");
  expect(await b.attempts()).toEqual([["ended"]]);
  expect(b.model.requests).toHaveLength(1);
  await b.command("retry");
  await b.rest();
  expect(b.shown().at(-1)).toBe("here");
  expect(acts).toBe(0);
  expect(await b.problems()).toEqual([]);
});

test("in the model, and in a tool", async () => {
  const b = bench(
    [
      { kind: "throw", events: [{ kind: "text", text: "half" }], error: new TypeError("boom") },
      calls(["c1", "act"]),
      reply("went on"),
    ],
    { tools: [tool("act", fault)] },
  );
  await b.say("hello");
  await b.rest();
  expect(b.shown()[0]).toContain("Something went wrong inside the bot.");
  await b.say("again");
  await b.rest();
  expect(b.shown().at(-1)).toBe("went on");
  expect(await b.problems()).toEqual([]);
});

test("in what the model is told: given up at the eighth attempt, in the thread, and a later message is tried anew", async () => {
  let isBroken = true;
  let tries = 0;
  const b: RunBench = bench([reply("here")], {
    profileOf: (frozen) => {
      tries++;
      if (isBroken) fault();
      return createProfileOf(b.profile, sha256)(frozen);
    },
  });
  await b.say("hello");
  await b.rest();
  expect(tries).toBe(8);
  expect(b.shown()).toEqual([expect.stringMatching(/interrupted too many times.*Retry starts it again/)]);
  expect(await b.fates()).toEqual(["hello: failed"]);
  isBroken = false;
  await b.command("retry");
  await b.rest();
  expect(b.shown().at(-1)).toBe("here");
  expect(await b.problems()).toEqual([]);
});

test("in the end of a run, each time: the same", async () => {
  const b = bench(Array.from({ length: 8 }, () => reply("never stored")));
  // With the answer and without it, then both without what the model calls took.
  for (let crash = 0; crash < 32; crash++) b.moments.at("end", "before", fault);
  await b.say("hello");
  await b.rest();
  expect((await b.fates())[0]).toBe("hello: failed");
  expect(await b.problems()).toEqual([]);
});

test("in the surface itself: its writes are tried until they land", async () => {
  let faults = 3;
  const b = bench([reply("here")], {
    surface: (surface) => ({
      ...surface,
      limits: surface.limits,
      edit: (...given) => surface.edit(...given),
      remove: (...given) => surface.remove(...given),
      find: (key) => surface.find(key),
      post: (...given) => (faults-- > 0 ? fault() : surface.post(...given)),
    }),
  });
  await b.say("hello");
  await b.passes(b.worker().serve());
  expect(b.shown()).toEqual(["here"]);
  expect(await b.problems()).toEqual([]);
});

test("in making or reading the reply, each time: it is left as it stands after eight attempts, and the thread goes on", async () => {
  const b = bench([reply("unseen"), reply("seen")]);
  for (let crash = 0; crash < 8; crash++) b.moments.at("settled", "before", fault);
  await b.say("hello");
  await b.rest();
  await b.say("more");
  await b.rest();
  expect(b.shown().at(-1)).toBe("seen");
  expect(await b.fates()).toEqual(["hello: answered", "more: answered"]);
  expect(await b.problems()).toEqual([]);
});
