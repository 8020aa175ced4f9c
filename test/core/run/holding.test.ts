// What an attempt says while it holds a run, and what it does when another has taken it.
import { expect, test } from "vitest";
import { RunBench } from "../../support/run-bench.ts";
import { storeAway } from "../../support/moments.ts";
import { hangs, later, reply } from "../../support/scripted-model.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();

test("a run that takes long is touched every few seconds, so that nobody rings for it, also after the store was away", async () => {
  const go = Promise.withResolvers<void>();
  const b = new RunBench(backend.sql(), [later(go.promise, reply("at last"))]);
  await b.say("hello");
  const served = b.worker().serve();
  await until(() => b.model.streaming === 1, { what: "the model is asked" });
  const touchedAt = async (): Promise<number> => {
    const [row] = await backend
      .sql()
      .query<{ at: number }>({ text: "select touched_at as at from sessions where id = $1" }, [b.session]);
    return row?.at ?? 0;
  };
  const before = await touchedAt();
  b.moments.at("touch", "before", storeAway);
  await b.clock.advance(4_000);
  await until(() => b.moments.pending === 0, { what: "the store was away" });
  await until(async () => (await b.clock.advance(4_000), (await touchedAt()) > before), { what: "touched" });
  go.resolve();
  await served;
  expect(b.shown()).toEqual(["at last"]);
  expect(await b.attempts()).toEqual([["ended"]]);
  expect(b.clock.waiting).toBe(0);
  expect(await b.problems()).toEqual([]);
});

test("an attempt that another has replaced finds out while its model is still talking, and ends as lost", async () => {
  const b = new RunBench(backend.sql(), [hangs("half of"), reply("the whole answer")]);
  await b.say("hello");
  const loser = b.worker();
  const served = loser.serve();
  await until(() => b.thread.texts().includes("half of"), { what: "the text is shown" });
  // Its own lease seems to hold.
  b.locker.forget(b.key);
  await b.rest();
  const { writes } = loser;
  await b.clock.advance(4_000);
  await served;
  expect(loser.writes).toBe(writes);
  expect(b.shown()).toEqual(["the whole answer"]);
  expect(b.clock.waiting).toBe(0);
  expect(await b.problems()).toEqual([]);
});

test.each(["lose", "loseSilently"] as const)(
  "an attempt that hangs says no more that it is there once its lease is over (%s), so that its session is rung for",
  async (how) => {
    const b = new RunBench(backend.sql(), [reply("not stored"), reply("the answer")]);
    await b.say("hello");
    let hangs = false;
    b.moments.at("end", "before", () => ((hangs = true), new Promise(() => {})));
    b.worker().begin();
    await until(() => hangs, { what: "it hangs" });
    b.locker[how](b.key);
    for (const text of [
      "update sessions set touched_at = now_ms() - 10000 where id = $1",
      "update runs set started_at = now_ms() - 10000 where session = $1",
    ])
      await backend.sql().query({ text }, [b.session]);
    let isTouched = false;
    b.moments.at("touch", "before", () => void (isTouched = true));
    await b.clock.advance(20_000);
    expect(isTouched).toBe(false);
    expect(await b.stores.store.due(10_000, 1_000)).toContain(b.session);
    b.moments.clear();
    await b.rest();
    expect(b.shown()).toEqual(["the answer"]);
    expect(await b.problems()).toEqual([]);
  },
);
