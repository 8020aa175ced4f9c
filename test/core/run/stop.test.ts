// A stop at every moment of a run: it always stops what came before it, and never what came after.
import { expect, test } from "vitest";
import { RunBench, type RunBenchOptions } from "../../support/run-bench.ts";
import { calls, hangs, reply, type ScriptedStep } from "../../support/scripted-model.ts";
import { tool } from "../../support/agent-library.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();
const bench = (script: readonly ScriptedStep[], options?: RunBenchOptions): RunBench =>
  new RunBench(backend.sql(), script, options);

test("before anybody looked: the message is dropped, and the person is told that something was stopped", async () => {
  const b = bench([]);
  await b.say("never mind");
  expect(await b.command("stop")).toBe("Stopping.");
  await b.rest();
  expect(await b.fates()).toEqual(["never mind: cancelled", "/stop: answered"]);
  expect(b.shown()).toEqual([]);
  expect(await b.command("stop")).toBe("Nothing is running in this thread.");
  expect(await b.problems()).toEqual([]);
});

test("between the claim and the first model call: at most one call is begun and cut, and the reply says that it was stopped", async () => {
  const b = bench([hangs()]);
  await b.say("hello");
  b.moments.at("open", "after", () => b.command("stop"));
  await b.worker().serve();
  expect(b.model.streaming).toBe(0);
  expect(b.shown()).toEqual(["Stopped. Reply to go on, or retry."]);
  expect(await b.fates()).toEqual(["hello: cancelled", "/stop: answered"]);
  expect(await b.problems()).toEqual([]);
});

test("in mid-text: what was shown stays and is kept for the next turn as interrupted", async () => {
  const b = bench([hangs("The answer is"), reply("fine")]);
  await b.say("question");
  const served = b.worker().serve();
  await b.model.reached(1);
  expect(await b.command("stop")).toBe("Stopping.");
  await served;
  expect(b.shown()).toEqual(["The answer is [Stopped. Reply to go on, or retry.]"]);
  expect(await b.fates()).toEqual(["question: cancelled", "/stop: answered"]);
  await b.say("go on");
  await b.rest();
  expect(b.asked(2)).toEqual([
    "user: [from Ana (U1)]\nquestion",
    "bot: The answer is\n[interrupted]",
    "user: [system note]\nThe previous turn ended: cancelled. Stopped.\n\n[from Ana (U1)]\ngo on",
  ]);
  expect(await b.problems()).toEqual([]);
});

test.each(["read", "write"] as const)(
  "inside a %s tool: the tool is told, its call is closed, nothing more runs",
  async (effect) => {
    const begun = Promise.withResolvers<void>();
    let isTold = false;
    const slow = tool(
      "slow",
      async (_, { signal }) => {
        begun.resolve();
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        isTold = true;
      },
      { effect },
    );
    const b = bench([calls(["c1", "slow"]), reply("after")], { tools: [slow] });
    await b.say("do it");
    const served = b.worker().serve();
    await begun.promise;
    await b.command("stop");
    await served;
    expect(isTold).toBe(true);
    expect(b.shown()).toEqual(["Stopped. Reply to go on, or retry."]);
    await b.say("next");
    await b.rest();
    expect(b.asked(2)).toEqual([
      "user: [from Ana (U1)]\ndo it",
      "bot:  slow()",
      "tool: cancelled: the run was stopped before this ended",
      "user: [system note]\nThe previous turn ended: cancelled. Stopped.\n\n[from Ana (U1)]\nnext",
    ]);
    expect(await b.problems()).toEqual([]);
  },
);

test("after the worker died inside a tool, before the next one looks: nothing runs again, and its call is closed in the history", async () => {
  let runs = 0;
  const dyingIn = async (): Promise<void> => {
    runs++;
    worker.die();
  };
  const b = bench([calls(["c1", "slow"])], {
    tools: [tool("slow", dyingIn, { effect: "write" })],
  });
  const worker = b.worker();
  await b.say("do it");
  worker.begin();
  await until(() => runs === 1 && !b.locker.isHeld(b.key), { what: "the worker is dead" });
  await b.command("stop");
  await b.rest();
  expect(runs).toBe(1);
  expect(b.model.requests).toHaveLength(1);
  const entries = await b.stores.transcripts.entries(b.session);
  expect(entries.flatMap(({ body }) => (body.kind === "tool" ? [body.content] : []))).toEqual([
    "outcome unknown: the process ended while this ran",
  ]);
  expect(b.shown()).toEqual(["Stopped. Reply to go on, or retry."]);
  expect(await b.fates()).toEqual(["do it: cancelled", "/stop: answered"]);
  expect(await b.problems()).toEqual([]);
});

test("before the answer is stored: what was said stays, as stopped, and the next message has a run of its own", async () => {
  const b = bench([reply("the answer"), reply("the next")]);
  await b.say("hello");
  b.moments.at("end", "before", () => b.command("stop"));
  await b.worker().serve();
  expect(b.shown()).toEqual(["the answer [Stopped. Reply to go on, or retry.]"]);
  expect(await b.fates()).toEqual(["hello: cancelled", "/stop: answered"]);
  await b.say("more");
  await b.rest();
  expect(b.shown()).toEqual(["the answer [Stopped. Reply to go on, or retry.]", "the next"]);
  expect(b.asked(2)).toContain("bot: the answer");
  expect(await b.problems()).toEqual([]);
});

test("after the end: the answer is whole, and the next message has a run of its own", async () => {
  for (const [moment, when] of [
    ["end", "after"],
    ["settled", "before"],
    ["settled", "after"],
  ] as const) {
    const b = bench([reply("the answer"), reply("the next")]);
    await b.say("hello");
    b.moments.at(moment, when, () => b.command("stop"));
    await b.worker().serve();
    expect(b.shown()).toEqual(["the answer"]);
    expect(await b.fates()).toEqual(["hello: answered", "/stop: answered"]);
    await b.say("more");
    await b.rest();
    expect(b.shown()).toEqual(["the answer", "the next"]);
    expect(await b.problems()).toEqual([]);
  }
});

test("with messages before and behind it: those before are dropped, those behind are answered, in a reply of their own", async () => {
  const b = bench([hangs("one moment"), reply("to the third")]);
  await b.say("first");
  const served = b.worker().serve();
  await b.model.reached(1);
  await b.say("second");
  await b.command("stop");
  await b.say("third");
  await served;
  await b.rest();
  expect(await b.fates()).toEqual([
    "first: cancelled",
    "second: cancelled",
    "/stop: answered",
    "third: answered",
  ]);
  expect(b.shown()).toEqual(["one moment [Stopped. Reply to go on, or retry.]", "to the third"]);
  expect(b.asked(2).join("\n")).not.toContain("second");
  expect(await b.problems()).toEqual([]);
});

test("twice, and delivered twice: stopped once, and what came between is not stopped by the copy", async () => {
  const b = bench([hangs("one moment"), reply("to the second")]);
  await b.say("first");
  const served = b.worker().serve();
  await b.model.reached(1);
  await b.command("stop", "same");
  await b.command("stop", "other");
  await b.say("second");
  await b.command("stop", "same");
  await served;
  await b.rest();
  expect(await b.fates()).toEqual([
    "first: cancelled",
    "/stop: answered",
    "/stop: answered",
    "second: answered",
  ]);
  expect(b.shown()).toEqual(["one moment [Stopped. Reply to go on, or retry.]", "to the second"]);
  expect(await b.problems()).toEqual([]);
});

test("while the worker that has the run dies: the next worker ends it without asking the model", async () => {
  const b = bench([hangs("half an ans")]);
  await b.say("hello");
  const dying = b.worker();
  dying.begin();
  await b.model.reached(1);
  dying.die();
  await b.command("stop");
  await b.rest();
  expect(b.shown()).toEqual(["Stopped. Reply to go on, or retry."]);
  expect(b.model.requests).toHaveLength(1);
  expect(await b.fates()).toEqual(["hello: cancelled", "/stop: answered"]);
  expect(await b.problems()).toEqual([]);
});

test("though the ledger could not be asked when the signal came: it is asked again, not only at the next border", async () => {
  const b = bench([hangs("a long answer")]);
  await b.say("hello");
  const served = b.worker().serve();
  await b.model.reached(1);
  b.moments.at("isStopped", "before", () => {
    throw new Error("the store is away");
  });
  await b.command("stop");
  await b.passes(served);
  expect(await b.fates()).toEqual(["hello: cancelled", "/stop: answered"]);
  expect(await b.problems()).toEqual([]);
});

test("corrections of what the model has read outlive the stop", async () => {
  const b = bench([hangs("on it"), reply("ok")]);
  const said = await b.say("meet at 5");
  const served = b.worker().serve();
  await b.model.reached(1);
  await b.edit(said, "meet at 6");
  await b.edit(said, "meet at 7");
  await b.remove(said);
  await b.command("stop");
  await served;
  await b.say("well?");
  await b.rest();
  expect(b.asked(2).at(-1)).toMatch(/meet at 6.*meet at 7.*deleted/s);
  expect(b.shown().at(-1)).toBe("ok");
  expect(await b.problems()).toEqual([]);
});
