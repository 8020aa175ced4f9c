// One worker has the thread, then another: by a lost lease, a death, or a hand-over. People see one reply, written by one at a time.
import { expect, test } from "vitest";
import { RunBench, type RunBenchOptions } from "../../support/run-bench.ts";
import { calls, hangs, later, reply, type ScriptedStep } from "../../support/scripted-model.ts";
import { tool } from "../../support/agent-library.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();
const bench = (script: readonly ScriptedStep[], options?: RunBenchOptions): RunBench =>
  new RunBench(backend.sql(), script, options);

test("a lease that is lost in mid-text: no write starts any more, and the next worker goes on in the same message", async () => {
  const b = bench([hangs("half of"), reply("the whole answer")]);
  await b.say("hello");
  const loser = b.worker();
  const served = loser.serve();
  await until(() => b.thread.texts().includes("half of"), { what: "the text is shown" });
  const { writes } = loser;
  b.locker.lose(b.key);
  await b.heldElsewhere(served);
  await b.rest();
  expect(loser.writes).toBe(writes);
  expect(b.thread.messages).toHaveLength(1);
  expect(b.shown()).toEqual(["the whole answer"]);
  expect(await b.attempts()).toEqual([["lost", "ended"]]);
  expect(await b.problems()).toEqual([]);
});

test("lost without a signal while tools are asked for: none starts, nothing is written, and the next worker goes on", async () => {
  for (const [effect, says] of [
    ["read", "done 1"],
    ["write", "outcome unknown: the process ended while this ran"],
  ] as const) {
    let runs = 0;
    const act = tool("act", async () => `done ${++runs}`, { effect });
    const go = Promise.withResolvers<void>();
    const b = bench([later(go.promise, calls(["c1", "act"]))], { tools: [act] });
    await b.say("hello");
    const loser = b.worker();
    const served = loser.serve();
    await until(() => b.model.streaming === 1 && b.thread.messages.length === 1, {
      what: "the model is asked",
    });
    b.locker.loseSilently(b.key);
    const { writes } = loser;
    go.resolve();
    await b.heldElsewhere(served);
    expect([runs, loser.writes]).toEqual([0, writes]);
    b.model.add(...(effect === "read" ? [calls(["c1", "act"])] : []), reply("fine"));
    await b.rest();
    expect(b.asked(b.model.requests.length).at(-1)).toBe(`tool: ${says}`);
    expect(b.shown()).toEqual(["fine"]);
    expect(await b.fates()).toEqual(["hello: answered"]);
    expect(await b.problems()).toEqual([]);
  }
});

test("a worker that was paused between its lease and its claim takes nothing from who has the thread now", async () => {
  const b = bench([reply("the answer")]);
  await b.say("hello");
  const paused = b.worker();
  const go = Promise.withResolvers<void>();
  b.moments.at("open", "before", () => {
    b.locker.loseSilently(b.key);
    return go.promise;
  });
  const served = paused.serve();
  await until(() => !b.locker.isHeld(b.key) && b.moments.pending === 0, { what: "the lease is lost" });
  await b.worker().serve();
  go.resolve();
  await served;
  expect(b.shown()).toEqual(["the answer"]);
  expect(await b.attempts()).toEqual([["ended"]]);
  expect(await b.problems()).toEqual([]);
});

test("each write of an attempt that another has replaced is refused, at any step, and the thread is answered once", async () => {
  for (const step of ["commitCalls", "commitRound", "end", "settled", "putPage"]) {
    let acts = 0;
    const act = tool("act", async () => `done ${++acts}`, { effect: "write" });
    const b = bench([], { tools: [act] });
    b.model.add(...Array.from({ length: 8 }, () => ({ kind: "compute", step: talk }) as const));
    await b.say("hello");
    b.moments.at(step, "before", async () => {
      b.locker.loseSilently(b.key);
      await b.worker().serve();
    });
    await b.worker().serve();
    await b.rest();
    expect(b.shown(), step).toEqual([expect.stringMatching(/^it says: (done 1|outcome unknown.*)$/)]);
    expect(acts, step).toBeLessThanOrEqual(1);
    expect(await b.fates()).toEqual(["hello: answered"]);
    expect(b.thread.messages.filter(({ isDeleted }) => !isDeleted)).toHaveLength(1);
    expect(await b.problems()).toEqual([]);
  }
});

test.each(
  ["open", "commitCalls", "commitRound", "end", "final", "settled", "putPage"].flatMap((step) =>
    (["before", "after"] as const).map((when) => [when, step] as const),
  ),
)(
  "worker killed at any point (%s %s): the thread is answered once, in one message, and what had its effect has it once",
  async (when, step) => {
    let acts = 0;
    const act = tool("act", async () => `done ${++acts}`, { effect: "external" });
    const b = bench(
      Array.from({ length: 8 }, () => ({ kind: "compute", step: talk }) as const),
      {
        tools: [act],
        lateWritesMs: 0,
      },
    );
    await b.say("hello");
    const dying = b.worker();
    b.moments.at(step, when, () => dying.die());
    dying.begin();
    await until(() => b.moments.pending === 0 && !b.locker.isHeld(b.key), { what: "the worker is dead" });
    await b.rest();
    expect(b.shown()).toEqual([expect.stringMatching(/^it says: (done 1|outcome unknown.*)$/)]);
    expect(acts).toBeLessThanOrEqual(1);
    expect(b.thread.messages.filter(({ isDeleted }) => !isDeleted)).toHaveLength(1);
    expect(await b.fates()).toEqual(["hello: answered"]);
    expect(await b.problems()).toEqual([]);
  },
);

test.each<readonly [string, ScriptedStep, readonly string[]]>([
  ["mid-text", hangs("half of"), []],
  ["a tool", calls(["c1", "build"]), ["build"]],
  ["the second of three calls", calls(["c1", "mail"], ["c2", "build"], ["c3", "post"]), ["mail", "build"]],
])(
  "worker killed at any point (in %s): what had begun is not begun again, and the same message is the answer",
  async (_, step, begun) => {
    const did: string[] = [];
    const act = (name: string, run: () => Promise<string>) =>
      tool(name, () => (did.push(name), run()), { effect: "external" });
    const b = bench([step, reply("the whole answer")], {
      tools: [
        act("mail", async () => "sent"),
        act("build", () => new Promise(() => {})),
        act("post", async () => "posted"),
      ],
    });
    await b.say("hello");
    const dying = b.worker();
    dying.begin();
    await until(() => b.thread.messages.length === 1 && did.length === begun.length, {
      what: "it is at that point",
    });
    if (begun.length === 0)
      await until(() => b.thread.texts().includes("half of"), { what: "text is shown" });
    dying.die();
    await b.rest();
    expect(did).toEqual(begun);
    expect(b.asked(2).filter((line) => line.startsWith("tool: outcome unknown"))).toHaveLength(
      begun.length === 2 ? 3 : begun.length,
    );
    expect(b.model.requests).toHaveLength(2);
    expect(b.thread.messages).toHaveLength(1);
    expect(b.shown()).toEqual(["the whole answer"]);
    expect(await b.attempts()).toEqual([["crashed", "ended"]]);
    expect(await b.fates()).toEqual(["hello: answered"]);
    expect(await b.problems()).toEqual([]);
  },
);

test.each([false, true])(
  "killed between the end and the final page, with a write on its way that lands on it: it is written once more, also after a hand-over (%s)",
  async (handsOver) => {
    const go = Promise.withResolvers<void>();
    const b = bench([later(go.promise, reply("the whole answer"))], { lateWritesMs: 5_000 });
    await b.say("hello");
    const dying = b.worker();
    const isOnItsWay = (): boolean => b.thread.writes.length === 2;
    b.moments.at("end", "before", () => until(isOnItsWay, { what: "a write is on its way" }));
    b.moments.at("end", "after", () => dying.die());
    dying.begin();
    await until(() => b.thread.messages.length === 1, { what: "something is shown" });
    b.thread.reactions.push({ kind: "ok", afterMs: 3_000 });
    go.resolve();
    await until(() => b.moments.pending === 0 && !b.locker.isHeld(b.key), { what: "the worker is dead" });
    if (handsOver) {
      const leaver = b.worker();
      b.moments.at("final", "after", () => leaver.leave());
      const served = leaver.serve();
      await until(() => b.moments.pending === 0, { what: "it leaves" });
      await b.clock.advance(1_000);
      await served;
    }
    await b.passes(b.rest());
    await b.clock.advance(10_000);
    expect(b.shown()).toEqual(["the whole answer"]);
    expect((await b.attempts())[0]?.at(0)).toBe("crashed");
  },
);

test("a worker that leaves in mid-text hands over when its time is up, and the other goes on in the same message", async () => {
  const b = bench([hangs("half of"), reply("the whole answer")]);
  await b.say("hello");
  const leaver = b.worker();
  const served = leaver.serve();
  await until(() => b.thread.texts().includes("half of"), { what: "the text is shown" });
  leaver.leave();
  await b.clock.advance(1000);
  await served;
  expect(await b.attempts()).toEqual([["handed_over"]]);
  await b.rest();
  expect(b.thread.messages).toHaveLength(1);
  expect(b.shown()).toEqual(["the whole answer"]);
  expect(await b.problems()).toEqual([]);
});

test("a worker that leaves inside a tool: what only reads runs again, what has effects is said to be unknown", async () => {
  for (const [effect, says] of [
    ["read", "done"],
    ["write", "outcome unknown: the process ended while this ran"],
  ] as const) {
    let runs = 0;
    const act = tool("act", async () => (++runs === 1 ? await new Promise<string>(() => {}) : "done"), {
      effect,
    });
    const b = bench(
      [calls(["c1", "act"]), ...(effect === "read" ? [calls(["c1", "act"])] : []), reply("fine")],
      { tools: [act] },
    );
    await b.say("hello");
    const leaver = b.worker();
    const served = leaver.serve();
    await until(() => runs === 1, { what: "the tool runs" });
    leaver.leave();
    await b.clock.advance(1000);
    await served;
    await b.rest();
    expect(b.asked(b.model.requests.length).at(-1)).toBe(`tool: ${says}`);
    expect(await b.attempts()).toEqual([["handed_over", "ended"]]);
    expect(await b.problems()).toEqual([]);
  }
});

test("a worker that leaves within a batch of calls: what it knows of them is stored, and the next one goes on behind it", async () => {
  for (const isReplaced of [false, true]) {
    const did: string[] = [];
    const act = (name: string, run: () => Promise<string>) =>
      tool(name, () => (did.push(name), run()), { effect: "external" });
    const b = bench([calls(["c1", "mail"], ["c2", "build"], ["c3", "post"]), reply("fine")], {
      tools: [
        act("mail", async () => "sent, id 42"),
        act("build", () => new Promise(() => {})),
        act("post", async () => "posted"),
      ],
    });
    await b.say("hello");
    const leaver = b.worker();
    const served = leaver.serve();
    await until(() => did.includes("build"), { what: "the second one runs" });
    if (isReplaced)
      b.moments.at("commitRound", "before", async () => {
        b.locker.loseSilently(b.key);
        await b.worker().serve();
      });
    leaver.leave();
    await b.clock.advance(1000);
    await served;
    const unknown = "tool: outcome unknown: the process ended while this ran";
    // Replaced by then, its write is refused: the other one can say of none what came of it.
    if (!isReplaced) expect(b.model.requests).toHaveLength(1);
    await b.rest();
    expect(b.asked(2).slice(-3)).toEqual(
      isReplaced
        ? [unknown, unknown, unknown]
        : ["tool: sent, id 42", unknown, expect.stringMatching(/^tool: not begun: /)],
    );
    expect(did).toEqual(["mail", "build"]);
    expect(b.model.requests).toHaveLength(2);
    expect(b.shown()).toEqual(["fine"]);
    expect(await b.attempts()).toEqual([[isReplaced ? "lost" : "handed_over", "ended"]]);
    expect(await b.problems()).toEqual([]);
  }
});

test("a worker that is told to leave begins no call any more that changes something, and waits for the one that runs", async () => {
  const go = Promise.withResolvers<string>();
  const did: string[] = [];
  const pay = tool("pay", (_, { call }) => (did.push(call), go.promise), { effect: "external" });
  const b = bench([calls(["c1", "pay"], ["c2", "pay"]), reply("fine")], { tools: [pay] });
  await b.say("hello");
  const leaver = b.worker();
  const served = leaver.serve();
  await until(() => did.length === 1, { what: "the first one runs" });
  leaver.leave();
  go.resolve("paid");
  await served;
  await b.rest();
  expect(did).toEqual(["c1"]);
  expect(b.asked(2).slice(-2)).toEqual(["tool: paid", expect.stringMatching(/^tool: not begun: /)]);
  expect(await b.attempts()).toEqual([["handed_over", "ended"]]);
  expect(await b.problems()).toEqual([]);
});

test("a worker that leaves and reaches a border in time stores the round and plays none of the next", async () => {
  const go = Promise.withResolvers<string>();
  let isBegun = false;
  const act = tool("act", async () => ((isBegun = true), await go.promise), { effect: "write" });
  const b = bench([calls(["c1", "act"]), reply("fine")], { tools: [act] });
  await b.say("hello");
  const leaver = b.worker();
  const served = leaver.serve();
  await until(() => isBegun, { what: "the tool runs" });
  leaver.leave();
  go.resolve("done");
  await served;
  expect(b.model.requests).toHaveLength(1);
  await b.rest();
  expect(b.asked(2).at(-1)).toBe("tool: done");
  expect(await b.attempts()).toEqual([["handed_over", "ended"]]);
  expect(await b.problems()).toEqual([]);
});

test("a worker that leaves while the platform makes it wait with the final page hands that over", async () => {
  const b = bench([reply("the answer")]);
  await b.say("hello");
  const leaver = b.worker();
  b.moments.at("final", "before", () => b.thread.reactions.push({ kind: "later", waitMs: 3_600_000 }));
  const served = leaver.serve();
  await until(() => b.moments.pending === 0 && b.thread.reactions.length === 0, {
    what: "the platform said later",
  });
  leaver.leave();
  await b.clock.advance(1000);
  await served;
  await b.rest();
  expect(b.shown()).toEqual(["the answer"]);
  expect(b.model.requests).toHaveLength(1);
  expect(await b.problems()).toEqual([]);
});

/** Calls a tool, then answers with what it said. */
function talk({
  messages,
}: {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
}): ScriptedStep {
  const last = messages.at(-1);
  return last?.role === "tool" ? reply(`it says: ${String(last.content)}`) : calls(["c1", "act"]);
}
