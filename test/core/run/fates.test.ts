// What becomes of what people did: each thing has one fate, with its run, and with a reason where one is owed.
import { expect, test } from "vitest";
import { RunBench, type RunBenchOptions } from "../../support/run-bench.ts";
import { storeAway } from "../../support/moments.ts";
import { wordsOf } from "../../support/run-words.ts";
import { fails, hangs, later, reply, usage, type ScriptedStep } from "../../support/scripted-model.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();
const bench = (script: readonly ScriptedStep[], options?: RunBenchOptions): RunBench =>
  new RunBench(backend.sql(), script, options);

/** Fate, reason, and which of the session's runs, from 1. */
async function ledger(b: RunBench): Promise<Record<string, readonly unknown[]>> {
  const runs = (await b.stores.transcripts.runs(b.session)).map(({ id }) => id);
  const views = await b.stores.transcripts.inbounds(b.session);
  return Object.fromEntries(
    views.map(({ inbound, fate, reason, run }) => [
      wordsOf(inbound),
      [fate, reason, run === undefined ? undefined : runs.indexOf(run) + 1],
    ]),
  );
}

test("answered, steered, failed, refused and cancelled, each with its run and the reason where there is one", async () => {
  const b = bench([reply("one"), reply("two"), fails("model_timeout"), hangs("no"), reply("again")]);
  await b.say("asks");
  b.moments.at("end", "before", () => b.say("joins"));
  await b.rest();
  await b.say("meets a model that is silent");
  await b.rest();
  await b.say("is stopped while it is answered");
  const served = b.worker().serve();
  await b.model.reached(4);
  await b.say("waits");
  const withdrawn = await b.say("is taken back");
  await b.remove(withdrawn);
  await b.command("stop");
  await served;
  await b.rest();
  expect(await ledger(b)).toEqual({
    asks: ["answered", undefined, 1],
    joins: ["steered", undefined, 1],
    "meets a model that is silent": ["failed", "model_timeout", 2],
    "is stopped while it is answered": ["cancelled", "cancelled", 3],
    waits: ["cancelled", "stop", undefined],
    "is taken back": ["cancelled", "deleted", undefined],
    delete: ["answered", undefined, undefined],
    "/stop": ["answered", undefined, undefined],
  });
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
  await b.rest();
  expect((await ledger(b))["is stopped while it is answered"]).toEqual(["answered", undefined, 4]);
  expect((await ledger(b))["/retry"]).toEqual(["answered", undefined, 4]);
  await b.receive({
    v: 1,
    kind: "command",
    command: { name: "retry" },
    id: `${b.session}/later` as never,
    session: b.session,
    author: { id: "U1", name: "Ana" },
    at: 2,
    addressed: true,
  });
  await b.rest();
  expect((await ledger(b))["/retry"]).toEqual(["refused", "the last answer did not fail", undefined]);
  expect(await b.problems()).toEqual([]);
});

test("what waits is told with its place, in the order in which it will be read, and no more once it is taken in", async () => {
  const go = Promise.withResolvers<void>();
  const b = bench([later(go.promise, reply("one")), reply("two")]);
  await b.say("first");
  const served = b.worker().serve();
  await until(() => b.model.streaming === 1, { what: "the model is asked" });
  expect(await b.command("queue")).toBe("Nothing waits in this thread.");
  await b.say("second", { id: "U2", name: "Ben" });
  await b.say("third");
  expect(await b.command("queue")).toMatch(/^Waiting, in this order:\n\n1\. Ben: second\n2\. Ana: third$/);
  go.resolve();
  await served;
  expect(await b.command("queue")).toBe("Nothing waits in this thread.");
  expect(await b.problems()).toEqual([]);
});

test("the usage of a call that was stopped is counted", async () => {
  const b = bench([hangs([usage({ input: 900, output: 12 })])]);
  await b.say("question");
  const served = b.worker().serve();
  await b.model.reached(1);
  await b.command("stop");
  await served;
  const [run] = await b.stores.transcripts.runs(b.session);
  expect(run).toMatchObject({ outcome: { reason: "cancelled" }, usage: { input: 900, output: 12 } });
  expect(await b.command("status")).toContain("912 tokens");
});

test("Q15: the post succeeds and the write behind it fails: the next attempt finds the post, does only the rest, and asks no model", async () => {
  const b = bench([reply("here")]);
  await b.say("hello");
  // The row before the post, then the one with its id.
  b.moments.at("putPage", "after", () => void b.moments.at("putPage", "before", storeAway));
  await b
    .worker()
    .serve()
    .catch(() => {});
  await b.clock.advance(1_000);
  await b.passes(b.rest());
  expect(b.moments.pending).toBe(0);
  expect(b.thread.messages).toHaveLength(1);
  expect(b.shown()).toEqual(["here"]);
  expect(b.model.requests).toHaveLength(1);
  expect(await b.problems()).toEqual([]);
});
