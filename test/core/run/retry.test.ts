// Retry: the same input once more, in a new reply, with whatever was done already.
import { expect, test } from "vitest";
import { RunBench, type RunBenchOptions } from "../../support/run-bench.ts";
import { calls, fails, hangs, reply, type ScriptedStep } from "../../support/scripted-model.ts";
import { tool } from "../../support/agent-library.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();
const bench = (script: readonly ScriptedStep[], options?: RunBenchOptions): RunBench =>
  new RunBench(backend.sql(), script, options);
const NOT_THERE =
  /^The model's provider cannot be reached at the moment\. Please try again\. Retry starts it again \(run \w+\)\.$/;

test("after an error without a round: the model is asked the same again, and its answer turns failed into answered", async () => {
  const b = bench([fails(), reply("here")]);
  await b.say("hello");
  await b.rest();
  expect(await b.fates()).toEqual(["hello: failed"]);
  expect(b.shown()).toEqual([expect.stringMatching(NOT_THERE)]);
  expect(await b.command("retry")).toBe("Trying again.");
  await b.rest();
  expect(await b.fates()).toEqual(["hello: answered", "/retry: answered"]);
  expect(b.shown()).toEqual([expect.stringMatching(/It is tried again below\.$/), "here"]);
  expect(b.asked(2)[0]).toBe("user: [from Ana (U1)]\nhello");
  expect(await b.problems()).toEqual([]);
});

const buttons = (b: RunBench): string[][] =>
  b.thread.visible().map((page) => page.buttons.map(({ action }) => action));

test("takes the button from the reply that it is for, in whichever attempt, and brings back none that a person deleted", async () => {
  const b = bench([fails(), fails(), reply("here")]);
  await b.say("hello");
  await b.rest();
  expect(buttons(b)).toEqual([["retry", "details"]]);
  const first = b.worker();
  b.moments.at("open", "after", () => first.die());
  await b.command("retry");
  first.begin();
  await until(() => b.moments.pending === 0, { what: "the worker died" });
  expect(buttons(b)).toEqual([["retry", "details"]]);
  await b.rest();
  expect(buttons(b)).toEqual([[], ["retry", "details"]]);
  b.thread.deleteShown(1);
  await b.command("retry");
  await b.rest();
  expect(b.shown()).toEqual([expect.stringMatching(/It is tried again below\.$/), "here"]);
  expect(await b.problems()).toEqual([]);
});

test("waits with the end of its own run until the button is gone, as long as the platform asks", async () => {
  const b = bench([fails(), reply("here")]);
  await b.say("hello");
  await b.rest();
  await b.command("retry");
  b.thread.reactions.push({ kind: "later", waitMs: 700 });
  await b.passes(b.rest());
  expect(buttons(b)).toEqual([[], ["good", "bad"]]);
  expect(await b.problems()).toEqual([]);
});

test("after an error behind complete rounds: they stand, no tool runs again", async () => {
  let runs = 0;
  const write = tool("write", async () => `done ${++runs}`, { effect: "write" });
  const b = bench([calls(["c1", "write"]), fails("model_cut"), reply("it is done")], { tools: [write] });
  await b.say("write it");
  await b.rest();
  await b.command("retry");
  await b.rest();
  expect(runs).toBe(1);
  expect(b.asked(3)).toEqual(["user: [from Ana (U1)]\nwrite it", "bot:  write()", "tool: done 1"]);
  expect(await b.fates()).toEqual(["write it: answered", "/retry: answered"]);
  expect(await b.problems()).toEqual([]);
});

test("after a stop in mid-text: the model reads that it shall answer now, and not only its own broken words", async () => {
  const b = bench([hangs("The answer"), reply("is 42")]);
  await b.say("question");
  const served = b.worker().serve();
  await b.model.reached(1);
  await b.command("stop");
  await served;
  expect(await b.command("retry")).toBe("Trying again.");
  await b.rest();
  expect(b.asked(2).slice(0, 2)).toEqual([
    "user: [from Ana (U1)]\nquestion",
    "bot: The answer\n[interrupted]",
  ]);
  expect(b.asked(2)[2]).toContain("answer it now");
  expect(await b.fates()).toEqual(["question: answered", "/stop: answered", "/retry: answered"]);
  expect(await b.problems()).toEqual([]);
});

const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, n) => `Paragraph ${n}. ${"word ".repeat(80).trim()}`).join("\n\n");

test.each([
  ["one page", "The answer is a heron, since"],
  ["several pages", paragraphs(12)],
])(
  "after an answer of %s that broke off: the words stay, and the model reads them as after a stop",
  async (_, said) => {
    const b = bench([fails("model_cut", said), reply("a heron")]);
    await b.say("question");
    await b.rest();
    const stood = b.thread.texts();
    expect(stood.join("\n\n")).toBe(said);
    expect(b.shown().at(-1)).toMatch(/broke off several times.*Retry starts it again \(run \w+\)\.\]$/);
    expect(await b.command("retry")).toBe("Trying again.");
    await b.rest();
    expect(b.thread.texts()).toEqual([...stood, "a heron"]);
    expect(b.shown().at(-2)).toMatch(/It is tried again below\.\]$/);
    expect(buttons(b).slice(0, -1).flat()).toEqual([]);
    expect(b.asked(2).slice(0, 2)).toEqual([
      "user: [from Ana (U1)]\nquestion",
      `bot: ${said}\n[interrupted]`,
    ]);
    expect(b.asked(2)[2]).toMatch(/The previous turn ended: error\..*answer it now/s);
    expect(await b.fates()).toEqual(["question: answered", "/retry: answered"]);
    expect(await b.problems()).toEqual([]);
  },
);

test("after an answer that broke off, of a worker that died before its final pages: who delivers them shows its words", async () => {
  const b = bench([fails("model_cut", "The answer is a heron, since")]);
  await b.say("question");
  const worker = b.worker();
  b.moments.at("end", "after", () => worker.die());
  worker.begin();
  await until(() => b.moments.pending === 0 && !b.locker.isHeld(b.key), { what: "the worker died" });
  await b.rest();
  expect(b.shown()).toEqual([
    expect.stringMatching(/^The answer is a heron, since \[.*broke off several times/),
  ]);
  expect(b.model.requests).toHaveLength(1);
  expect(await b.problems()).toEqual([]);
});

test("of a message that was corrected since: the model reads the correction, and both stand in the transcript", async () => {
  const b = bench([fails(), reply("Paris"), reply("and now?")]);
  const asked = await b.say("what is the capital of Frnace?");
  await b.rest();
  await b.edit(asked, "what is the capital of France?");
  await b.command("retry");
  await b.rest();
  const [first, last, ...more] = b.asked(2);
  expect([first, more]).toEqual(["user: [from Ana (U1)]\nwhat is the capital of Frnace?", []]);
  expect(last).toMatch(/answer it now.*It now reads: "what is the capital of France\?"$/s);
  await b.say("and of Spain?");
  await b.rest();
  // What was sent before is sent again: it is in the provider's cache.
  expect(b.asked(3).slice(0, 2)).toEqual(b.asked(2));
  const entries = await b.stores.transcripts.entries(b.session);
  expect(JSON.stringify(entries)).toMatch(/Frnace.*France/s);
  expect(await b.fates()).toEqual([
    "what is the capital of Frnace?: answered",
    "edit what is the capital of France?: answered",
    "/retry: answered",
    "and of Spain?: answered",
  ]);
  expect(await b.problems()).toEqual([]);
});

test("twice at once is one run; a third that comes when it succeeded is refused", async () => {
  const b = bench([fails(), reply("here")]);
  await b.say("hello");
  await b.rest();
  await Promise.all([b.command("retry"), b.command("retry")]);
  await b.rest();
  expect(b.model.requests).toHaveLength(2);
  expect(await b.command("retry")).toBe("There is nothing to try again.");
  expect(await b.fates()).toEqual(["hello: answered", "/retry: answered", "/retry: answered"]);
  expect(await b.problems()).toEqual([]);
});

test("that comes while its own run works is done with it: it was asked for what is being tried", async () => {
  const b = bench([fails(), reply("here")]);
  await b.say("hello");
  await b.rest();
  await b.command("retry");
  // A click between the question whether it may and the claim: stored, and met by a run that succeeded.
  b.moments.at("open", "after", async () => {
    expect(await b.command("retry")).toBe("The bot is still working on the last message.");
  });
  await b.rest();
  expect(b.model.requests).toHaveLength(2);
  expect(await b.problems()).toEqual([]);
});

test("while another message waits: one run answers both, the old turn first", async () => {
  const b = bench([fails(), reply("both")]);
  await b.say("first");
  await b.rest();
  await b.command("retry");
  await b.say("second", { id: "U2", name: "Ben" });
  await b.rest();
  expect(b.asked(2)[0]).toContain("first");
  expect(b.asked(2).at(-1)).toContain("[from Ben (U2)]\nsecond");
  expect(await b.fates()).toEqual(["first: answered", "/retry: answered", "second: answered"]);
  expect(await b.problems()).toEqual([]);
});

test("that fails again leaves it failed, and can be tried again; one that was stopped too", async () => {
  const b = bench([fails(), fails(), hangs("no"), reply("at last")]);
  await b.say("hello");
  await b.rest();
  await b.command("retry");
  await b.rest();
  expect(await b.fates()).toEqual(["hello: failed", "/retry: failed"]);
  await b.command("retry");
  const served = b.worker().serve();
  await b.model.reached(3);
  await b.command("stop");
  await served;
  expect((await b.fates())[0]).toBe("hello: cancelled");
  await b.command("retry");
  await b.rest();
  expect((await b.fates())[0]).toBe("hello: answered");
  expect(b.shown()).toHaveLength(4);
  expect(await b.problems()).toEqual([]);
});

test("of a run that a refused retry was taken in with leaves that refused", async () => {
  const b = bench([reply("fine"), fails(), reply("again fine")]);
  await b.say("one");
  await b.rest();
  // A click on the button of a reply that failed long ago: not checked by the command layer of another process.
  await b.receive({
    v: 1,
    kind: "command",
    command: { name: "retry" },
    id: `${b.session}/late` as never,
    session: b.session,
    author: { id: "U1", name: "Ana" },
    at: 1,
    addressed: true,
  });
  await b.say("two");
  await b.rest();
  await b.command("retry");
  await b.rest();
  expect(await b.fates()).toEqual(["one: answered", "/retry: refused", "two: answered", "/retry: answered"]);
  expect(await b.problems()).toEqual([]);
});
