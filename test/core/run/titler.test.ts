// New threads get their names from a cheap model beside their first run.
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createTitles } from "../../../src/adapters/postgres/titles.ts";
import { sha256 } from "../../../src/adapters/ids.ts";
import type { Surface } from "../../../src/core/ports/surface.ts";
import { createTitler } from "../../../src/core/run/titler.ts";
import { RunBench } from "../../support/run-bench.ts";
import {
  fails,
  hangs,
  later,
  reply,
  scriptedModel,
  scriptedRecord,
  type ScriptedStep,
} from "../../support/scripted-model.ts";
import { silentLog } from "../../support/silent-log.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();

function bench(script: readonly ScriptedStep[], names: readonly ScriptedStep[]) {
  const lite = scriptedModel(...names);
  const told: string[] = [];
  /** Answers for the place, in their order; then it is there. */
  const there: boolean[] = [];
  const b: RunBench = new RunBench(backend.sql(), script, { titler: () => titler });
  const titler = createTitler(
    {
      model: lite,
      titles: createTitles(backend.sql()),
      clock: b.clock,
      newId: () => randomBytes(12).toString("hex"),
      hash: sha256,
      log: silentLog,
      surfaceOf: () =>
        ({
          rename: async (title: string) => {
            const isThere = there.shift() ?? true;
            if (isThere) told.push(title);
            return isThere;
          },
        }) as Partial<Surface> as Surface,
    },
    { record: { ...scriptedRecord, name: "cheap" } },
  );
  const title = async () => (await b.stores.transcripts.settings(b.session))?.title;
  const calls = async () => {
    const [run] = await b.stores.transcripts.runs(b.session);
    const details = run && (await b.stores.transcripts.run(b.session, run.id));
    return (details?.modelCalls ?? []).map(({ model, purpose, outcome }) => [model, purpose, outcome]);
  };
  return { b, lite, told, there, titler, title, calls };
}

test("a new thread is named once, by its first message, on its platform too; the call counts as one of the run", async () => {
  const { b, lite, told, there, titler, title, calls } = bench(
    [reply("fine"), reply("sure")],
    [reply({ text: '"Release **plan**"', usage: { input: 30, output: 4, cost: 0.001 } })],
  );
  there.push(false, false);
  await b.say("When do we release, and <who> does it?");
  await b.rest();
  await b.passes(until(() => told.length > 0, { what: "it is named" }));
  expect(told).toEqual(["Release plan"]);
  expect(await title()).toEqual({ text: "Release plan", source: "model" });
  expect(await calls()).toEqual([
    ["cheap", "title", "done"],
    [scriptedRecord.name, undefined, "done"],
  ]);
  expect(lite.requests[0]?.messages).toMatchObject([
    { role: "user", content: [{ text: expect.stringContaining("When do we release") }] },
  ]);
  await b.say("thanks");
  await b.rest();
  await titler.stop();
  expect(lite.requests).toHaveLength(1);
  expect(await b.problems()).toEqual([]);
});

test.each<readonly [string, string]>([
  ["all of it", "epoch = epoch + 1, fence = fence + 1"],
  ["what one person said", "fence = fence + 1"],
])(
  "a title that comes when %s was erased is nobody's, and nothing of its call is kept",
  async (_, erasing) => {
    const go = Promise.withResolvers<void>();
    const { b, told, titler, title, calls } = bench(
      [reply("fine")],
      [later(go.promise, reply("Ana's illness"))],
    );
    await b.say("I am ill, who can stand in?");
    await b.rest();
    const text = `update sessions set title = null, rev = rev + 1, ${erasing} where id = $1`;
    const writing = Promise.withResolvers<void>();
    const stored = Promise.withResolvers<void>();
    // It is still being stored when the title comes.
    const erased = backend.sql().transaction(async (tx) => {
      await tx.query({ text }, [b.session]);
      writing.resolve();
      await stored.promise;
    });
    await writing.promise;
    go.resolve();
    const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%named as (%'`;
    const isWaiting = async () => (await backend.sql().query({ text: waits })).length > 0;
    await until(isWaiting, { what: "the title waits for the row" });
    stored.resolve();
    await erased;
    await titler.stop();
    expect([told, await title()]).toEqual([[], undefined]);
    expect((await calls()).filter(([, purpose]) => purpose === "title")).toEqual([]);
  },
);

test("the answer waits for no title, and one that comes later is still taken", async () => {
  const go = Promise.withResolvers<void>();
  const { b, told, titler, title } = bench([reply("fine")], [later(go.promise, reply("Release plan"))]);
  await b.say("When do we release?");
  await b.rest();
  expect(b.shown()).toEqual(["fine"]);
  expect(await title()).toBeUndefined();
  go.resolve();
  await until(() => told.length > 0, { what: "it is named" });
  expect(await title()).toEqual({ text: "Release plan", source: "model" });
  await titler.stop();
  expect(await b.problems()).toEqual([]);
});

test.each<readonly [string, ScriptedStep, string]>([
  ["fails", fails("model_unavailable"), "failed"],
  ["says nothing for five seconds", hangs(""), "aborted"],
  ["answers in place of naming", reply("x".repeat(300)), "done"],
])("a model that %s leaves the thread its first words, and is not asked again", async (_, step, outcome) => {
  const { b, told, titler, title, calls } = bench([reply("fine"), reply("sure")], [step]);
  await b.say("When do we release?");
  await b.rest();
  await b.passes(until(async () => (await calls()).length === 2, { what: "the call is kept" }));
  expect((await calls())[0]).toEqual(["cheap", "title", outcome]);
  expect(await title()).toBeUndefined();
  await b.say("and now?");
  await b.rest();
  await titler.stop();
  expect(told).toEqual([]);
  expect(await b.problems()).toEqual([]);
});

test("what a person has called the thread meanwhile stays", async () => {
  const go = Promise.withResolvers<void>();
  const { b, told, titler, title, calls } = bench(
    [reply("fine")],
    [later(go.promise, reply("Release plan"))],
  );
  await b.say("When do we release?");
  await b.rest();
  await b.command({ name: "title", value: "Ours" });
  go.resolve();
  await b.passes(until(async () => (await calls()).length === 2, { what: "the call is kept" }));
  await titler.stop();
  expect(await title()).toEqual({ text: "Ours", source: "person" });
  expect(told).toEqual([]);
  expect(await b.problems()).toEqual([]);
});

test("a thread that was reset meanwhile gets no name from what was said before", async () => {
  const go = Promise.withResolvers<void>();
  const { b, told, titler, title } = bench([reply("fine")], [later(go.promise, reply("Release plan"))]);
  await b.say("When do we release?");
  await b.rest();
  await b.command("reset");
  await b.rest();
  go.resolve();
  await titler.stop();
  expect([await title(), told]).toEqual([undefined, []]);
});
