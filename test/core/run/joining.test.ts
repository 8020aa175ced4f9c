// Messages that arrive while a run works: each joins it or has the next one, in order, once, under its speaker's name.
import { expect, test } from "vitest";
import { RunBench, type RunBenchOptions } from "../../support/run-bench.ts";
import { calls, computed, hangs, later, reply, type ScriptedStep } from "../../support/scripted-model.ts";
import { tool } from "../../support/agent-library.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();
const bench = (script: readonly ScriptedStep[], options?: RunBenchOptions): RunBench =>
  new RunBench(backend.sql(), script, options);
const ben = { id: "U2", name: "Ben" };

test("while the final answer streams: it joins, and the same reply goes on", async () => {
  const go = Promise.withResolvers<void>();
  const b = bench([later(go.promise, reply("one")), reply("two")]);
  await b.say("first");
  const served = b.worker().serve();
  await until(() => b.model.streaming === 1, { what: "the model is asked" });
  await b.say("second", ben);
  await b.say("third");
  go.resolve();
  await served;
  expect(b.shown()).toEqual(["one\n\ntwo"]);
  expect(b.asked(2)).toEqual([
    "user: [from Ana (U1)]\nfirst",
    "bot: one",
    "user: [from Ben (U2)]\nsecond\n\n[from Ana (U1)]\nthird",
  ]);
  expect(await b.fates()).toEqual(["first: answered", "second: steered", "third: steered"]);
  expect(await b.problems()).toEqual([]);
});

test("before the end with the answer: it joins; behind the end it has a reply of its own", async () => {
  for (const [moment, when, joins] of [
    ["end", "before", true],
    ["end", "after", false],
    ["final", "before", false],
    ["final", "after", false],
    ["settled", "before", false],
    ["settled", "after", false],
  ] as const) {
    const b = bench([reply("one"), reply("two")]);
    await b.say("first");
    b.moments.at(moment, when, () => b.say("second", ben));
    await b.worker().serve();
    expect(b.shown(), `${when} ${moment}`).toEqual(joins ? ["one\n\ntwo"] : ["one", "two"]);
    expect(await b.fates()).toEqual(["first: answered", joins ? "second: steered" : "second: answered"]);
    expect(b.asked(2)).toEqual(["user: [from Ana (U1)]\nfirst", "bot: one", "user: [from Ben (U2)]\nsecond"]);
    expect(await b.problems()).toEqual([]);
  }
});

test("a message that arrived earlier on the platform stands before one that was stored earlier", async () => {
  const b = bench([reply("both")]);
  const late = await b.say("said second");
  await b.receive({
    ...late,
    id: `${b.session}/x` as typeof late.id,
    message: "x",
    at: late.at - 5,
    parts: [{ kind: "text", text: "said first" }],
  });
  await b.rest();
  expect(b.asked(1)).toEqual(["user: [from Ana (U1)]\nsaid first\n\n[from Ana (U1)]\nsaid second"]);
});

test("tools run with the rights of who spoke last, in whatever way they joined and after a hand-over too", async () => {
  const rights: (string | undefined)[] = [];
  const who = tool("who", async (_, { requester }) => void rights.push(requester?.name));
  const b = bench(
    [
      calls(["c1", "who"]),
      calls(["c2", "who"]),
      reply("one"),
      calls(["c3", "who"]),
      reply("two"),
      calls(["c4", "who"]),
      reply("three"),
    ],
    { tools: [who] },
  );
  await b.say("first");
  b.moments.at("commitRound", "before", () => b.say("second", ben));
  b.moments.at("end", "before", () => b.say("third", { id: "U3", name: "Cy" }));
  b.moments.at("end", "before", () => b.say("fourth"));
  await b.worker().serve();
  expect(rights).toEqual(["Ana", "Ben", "Cy", "Ana"]);
  expect(await b.problems()).toEqual([]);
});

test("who joins after a good answer at the last model call of a run is answered by a new one, and the answer stands", async () => {
  for (const text of ["two", ""]) {
    const b = bench([reply("one"), reply(text), reply("for you")], { limits: { maxTurns: 2 } });
    await b.say("0");
    b.moments.at("end", "before", async () => {
      await b.say("1");
      b.moments.at("end", "before", () => b.say("2", ben));
    });
    await b.worker().serve();
    expect(b.shown()).toEqual([text === "" ? "one" : "one\n\ntwo", "for you"]);
    expect(await b.fates()).toEqual(["0: answered", "1: steered", "2: answered"]);
    expect(await b.problems()).toEqual([]);
  }
});

test("who writes while the tools of a run's last round work is not taken into a run that can not answer", async () => {
  const b = bench([calls(["c1", "look"]), reply("for you")], {
    tools: [tool("look", "seen")],
    limits: { maxTurns: 1 },
  });
  await b.say("0");
  b.moments.at("commitRound", "before", () => b.say("1", ben));
  await b.worker().serve();
  expect(b.shown()).toEqual([
    expect.stringMatching(/^This took as many steps as one answer may take\. Reply to go on from here \(run/),
    "for you",
  ]);
  expect(await b.fates()).toEqual(["0: failed", "1: answered"]);
  expect(await b.problems()).toEqual([]);
});

test("while the first of several calls works: the others are skipped, it joins, and the reply says so", async () => {
  const go = Promise.withResolvers<void>();
  const ran: string[] = [];
  const write = tool(
    "write",
    async (_, { call }) => {
      ran.push(call);
      await go.promise;
    },
    { effect: "write" },
  );
  const b = bench([calls(["c1", "write"], ["c2", "write"]), hangs("I see")], { tools: [write] });
  await b.say("write both");
  const served = b.worker().serve();
  await until(() => ran.length === 1, { what: "the first call works" });
  await b.say("only the first, please", ben);
  go.resolve();
  await b.model.reached(2);
  expect(ran).toEqual(["c1"]);
  expect(b.asked(2).slice(2)).toEqual([
    "tool: (no output)",
    expect.stringMatching(/^tool: skipped: someone wrote/),
    "user: [from Ben (U2)]\nonly the first, please",
  ]);
  await until(() => b.shown()[0]?.includes("1 new message taken in"), { what: "the reply says so" });
  await b.command("stop");
  await served;
  expect(b.shown().join()).not.toContain("taken in");
  expect(await b.problems()).toEqual([]);
});

test("a model that only calls tools ends at the limit, in one reply that says so", async () => {
  let n = 0;
  const step = tool("step", async () => `${++n}`);
  const again = computed(() => calls([`c${n}`, "step", { n }]));
  const b = bench([again, again, again], { tools: [step], limits: { maxTurns: 3 } });
  await b.say("go");
  await b.rest();
  expect(n).toBe(3);
  expect(b.shown()).toEqual([
    expect.stringMatching(/^This took as many steps as one answer may take\. Reply to go on from here \(run/),
  ]);
  expect(await b.fates()).toEqual(["go: failed"]);
  expect(await b.problems()).toEqual([]);
});

test("a blank answer is said to be one, alone and behind a tool, and the thread goes on", async () => {
  const b = bench([reply(""), calls(["c1", "look"]), reply("  "), reply("here")], {
    tools: [tool("look", "seen")],
  });
  const blank = "The model gave an empty answer. Please ask again, perhaps in other words.";
  for (const text of ["one", "two", "three"]) {
    await b.say(text);
    await b.rest();
  }
  expect(b.shown()).toEqual([blank, blank, "here"]);
  expect(await b.fates()).toEqual(["one: answered", "two: answered", "three: answered"]);
  expect(await b.problems()).toEqual([]);
});

test("an edit of a waiting message is what the model reads; of one that was read it is a correction with the next turn", async () => {
  const b = bench([reply("one"), reply("two"), reply("three")]);
  const first = await b.say("teh first");
  await b.edit(first, "the first");
  await b.worker().serve();
  expect(b.asked(1)).toEqual(["user: [from Ana (U1)]\nthe first"]);
  await b.edit(first, "the very first");
  await b.worker().serve();
  expect(b.model.requests).toHaveLength(1);
  await b.say("second");
  await b.rest();
  expect(b.asked(2).at(-1)).toMatch(
    /^user: \[system note\]\nAna corrected.*the very first.*\n\n\[from Ana \(U1\)\]\nsecond$/s,
  );
  expect(await b.problems()).toEqual([]);
});

test("deleted while it waits it is never read; deleted in mid-run it is taken back with the next turn", async () => {
  const b = bench([reply("one"), reply("two")]);
  const first = await b.say("oops");
  await b.say("kept");
  await b.remove(first);
  b.moments.at("end", "before", async () => {
    const late = await b.say("late oops");
    await b.remove(late);
  });
  await b.rest();
  expect(b.asked(1)).toEqual(["user: [from Ana (U1)]\nkept"]);
  expect(b.model.requests).toHaveLength(1);
  expect((await b.fates()).filter((fate) => fate.includes("oops"))).toEqual([
    "oops: cancelled",
    "late oops: cancelled",
  ]);
  expect(await b.problems()).toEqual([]);
});
