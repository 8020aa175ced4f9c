// The store goes away at any step of a run: the run goes on from what was stored, nothing is doubled, nothing counts as a crash.
import { expect, test } from "vitest";
import { RunBench, type RunBenchOptions } from "../../support/run-bench.ts";
import { storeAway, storeFull } from "../../support/moments.ts";
import { calls, computed, reply, type ScriptedStep } from "../../support/scripted-model.ts";
import { tool } from "../../support/agent-library.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();
const bench = (script: readonly ScriptedStep[], options?: RunBenchOptions): RunBench =>
  new RunBench(backend.sql(), script, options);

/** Calls a tool, then answers with what it said, however often it is asked. */
const talker = computed(({ messages }) => {
  const last = messages.at(-1);
  return last?.role === "tool" ? reply(`it says: ${last.content}`) : calls(["c1", "act"]);
});

const STEPS = [
  "open",
  "isStopped",
  "commitCalls",
  "commitRound",
  "end",
  "settled",
  "putPage",
  "listPage",
] as const;

test.each(STEPS.flatMap((step) => (["before", "after"] as const).map((when) => [when, step] as const)))(
  "%s %s",
  async (when, step) => {
    let acts = 0;
    const act = tool("act", async () => `done ${++acts}`, { effect: "write" });
    const b = bench(
      Array.from({ length: 8 }, () => talker),
      { tools: [act] },
    );
    await b.say("do it");
    // Pages are read where an attempt was before.
    if (step === "listPage") b.moments.at("commitRound", "before", storeAway);
    b.moments.at(step, when, storeAway);
    // A signal that was meant for nobody, or for a run before this one.
    if (step === "isStopped") b.moments.at("open", "after", () => b.signalStop());
    await b
      .worker()
      .serve()
      .catch(() => {});
    // Progress that was not written is written when its pause is over.
    await b.clock.advance(1000);
    await b.rest();
    await until(() => b.moments.pending === 0, { what: "the store was away" });
    expect(acts).toBeLessThanOrEqual(1);
    // What the tool did is known, or it is said that it is not.
    expect(b.shown()).toEqual([
      expect.stringMatching(/^it says: (done 1|outcome unknown: the process ended while this ran)$/),
    ]);
    expect(await b.fates()).toEqual(["do it: answered"]);
    // An answer of `open` that was lost is the one crash that nobody can tell from a real one.
    const isLostClaim = step === "open" && when === "after";
    expect((await b.attempts()).flat().filter((ended) => ended === "crashed")).toHaveLength(
      isLostClaim ? 1 : 0,
    );
    expect(await b.problems()).toEqual([]);
  },
);

test("away too when it shall be written down how the attempt left: it is said at the next occasion", async () => {
  const b = bench([reply("one"), reply("two")]);
  await b.say("hello");
  const worker = b.worker();
  b.moments.at("end", "before", storeAway).at("leave", "before", storeAway).at("leave", "before", storeAway);
  await worker.serve().catch(() => {});
  await worker.serve().catch(() => {});
  await worker.serve();
  expect(await b.attempts()).toEqual([["handed_over", "ended"]]);
  expect(b.shown()).toEqual(["two"]);
  expect(await b.problems()).toEqual([]);
});

test("away for longer than a run has attempts: when it is back the run is answered, not given up", async () => {
  const b = bench(Array.from({ length: 12 }, () => reply("at last")));
  await b.say("hello");
  const worker = b.worker();
  for (let outage = 0; outage < 10; outage++) {
    b.moments.at("end", "before", storeAway).at("leave", "before", storeAway);
    await worker.serve().catch(() => {});
  }
  await worker.serve();
  expect(b.shown()).toEqual(["at last"]);
  expect(await b.fates()).toEqual(["hello: answered"]);
  expect(await b.problems()).toEqual([]);
});

test("away when a reply is settled by another attempt: that one is no crash either", async () => {
  const b = bench([reply("the answer")]);
  await b.say("hello");
  b.moments.at("settled", "before", storeAway).at("settled", "before", storeAway);
  await b
    .worker()
    .serve()
    .catch(() => {});
  await b
    .worker()
    .serve()
    .catch(() => {});
  await b.rest();
  expect(await b.attempts()).toEqual([["handed_over", "handed_over", "ended"]]);
  expect(b.thread.messages).toHaveLength(1);
  expect(await b.problems()).toEqual([]);
});

test("a disk that stays full ends the run after its attempts: the model is not asked for ever, and Retry answers", async () => {
  const b = bench(Array.from({ length: 9 }, () => reply("at last")));
  await b.say("hello");
  for (let attempt = 0; attempt < 8; attempt++) {
    b.moments.at("end", "before", storeFull);
    await b
      .worker()
      .serve()
      .catch(() => {});
  }
  expect(b.model.requests).toHaveLength(8);
  await b.rest();
  expect(b.model.requests).toHaveLength(8);
  expect(b.shown().join(" ")).toContain("gave up");
  expect(await b.fates()).toEqual(["hello: failed"]);
  await b.command("retry");
  await b.rest();
  expect(b.shown().at(-1)).toBe("at last");
  expect(await b.problems()).toEqual([]);
});
