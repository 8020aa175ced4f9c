// How long a run may take, over all that happens to it: its time runs on over hand-overs and late messages.
import { expect, test } from "vitest";
import { RunBench, type RunBenchOptions } from "../../support/run-bench.ts";
import { calls, hangs, later, reply, type ScriptedStep } from "../../support/scripted-model.ts";
import { tool } from "../../support/agent-library.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();
const MINUTE = 60_000;
/** The model call has a limit of its own, which is not what is asked about here. */
const limits = { runMs: 10 * MINUTE, modelCallMs: 60 * MINUTE };

function bench(script: readonly ScriptedStep[], options: RunBenchOptions = {}): RunBench {
  const b = new RunBench(backend.sql(), script, { limits, ...options });
  // The ledger has the real time.
  b.clock.jump(Date.now() - b.clock.now());
  return b;
}

/** A worker begins, shows `half of`, and is told to end after that many minutes. */
async function handedOver(b: RunBench, minutes: number): Promise<void> {
  const leaver = b.worker();
  const served = leaver.serve();
  await until(() => b.thread.texts().includes("half of"), { what: "the text is shown" });
  await b.clock.advance(minutes * MINUTE);
  leaver.leave();
  await served;
}

test("a run that was handed over has what is left of its time, and no more", async () => {
  const b = bench([hangs("half of"), hangs("more of")]);
  await b.say("hello");
  await handedOver(b, 7);
  const served = b.worker().serve();
  await until(() => b.thread.texts().includes("more of"), { what: "the next worker goes on" });
  await b.clock.advance(2 * MINUTE);
  expect(await b.fates()).toEqual(["hello: admitted"]);
  await b.clock.advance(1.1 * MINUTE);
  await served;
  expect(await b.fates()).toEqual(["hello: failed"]);
  expect((await b.stores.transcripts.runs(b.session))[0]?.outcome?.reason).toBe("timeout");
  expect(await b.problems()).toEqual([]);
});

test("a run whose time was over before it could go on ends without another question to the model", async () => {
  const b = bench([hangs("half of")]);
  await b.say("hello");
  await handedOver(b, 9);
  await b.clock.advance(5 * MINUTE);
  await b.worker().serve();
  expect(b.model.requests).toHaveLength(1);
  expect((await b.stores.transcripts.runs(b.session))[0]?.outcome?.reason).toBe("timeout");
  expect(b.thread.visible()[0]?.buttons.map(({ action }) => action)).toEqual(["retry", "details"]);
  expect(await b.problems()).toEqual([]);
});

test("a ledger whose clock is wrong takes no time from a new run, and one that is ahead takes none from any", async () => {
  for (const wrongMs of [-60 * MINUTE, 60 * MINUTE]) {
    const b = bench([reply("in time")]);
    b.clock.jump(wrongMs);
    await b.say("hello");
    await b.worker().serve();
    expect(b.shown()).toEqual(["in time"]);
    expect(await b.problems()).toEqual([]);
  }
  const b = bench([hangs("half of"), reply("in time")]);
  b.clock.jump(-60 * MINUTE);
  await b.say("hello");
  await handedOver(b, 1);
  await b.rest();
  expect(b.shown()).toEqual(["in time"]);
});

test("messages that join at the end have what is left of the time, and no more", async () => {
  const go = Promise.withResolvers<void>();
  const b = bench([later(go.promise, reply("first")), hangs("more of")]);
  await b.say("hello");
  const served = b.worker().serve();
  await until(() => b.model.streaming === 1, { what: "the model is asked" });
  await b.clock.advance(9 * MINUTE);
  b.moments.at("end", "before", () => b.say("and more"));
  go.resolve();
  await until(() => b.thread.texts().some((text) => text.includes("more of")), { what: "it has joined" });
  await b.clock.advance(1.1 * MINUTE);
  await served;
  expect((await b.stores.transcripts.runs(b.session))[0]?.outcome?.reason).toBe("timeout");
  expect(await b.problems()).toEqual([]);
});

test("who is told to end cuts the model at once, and gives a tool its time", async () => {
  const b = bench([hangs("half of")]);
  await b.say("hello");
  await handedOver(b, 0);
  expect(await b.attempts()).toEqual([["handed_over"]]);
  expect(b.model.streaming).toBe(0);

  const go = Promise.withResolvers<string>();
  let began = 0;
  const act = tool("act", () => (began++, go.promise), { effect: "write" });
  const t = bench([calls(["c1", "act"]), reply("fine")], { tools: [act] });
  await t.say("hello");
  const leaver = t.worker();
  const served = leaver.serve();
  await until(() => began === 1, { what: "the tool runs" });
  leaver.leave();
  await t.clock.advance(900);
  go.resolve("done");
  await served;
  await t.rest();
  expect(began).toBe(1);
  expect(t.asked(2).at(-1)).toBe("tool: done");
  expect(await t.problems()).toEqual([]);
});
