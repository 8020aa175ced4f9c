// What stands beside a thread's own words, and what comes back to it behind an erasure.
import { beforeAll, expect, test } from "vitest";
import { createAudit } from "../../../src/adapters/postgres/admin/audit.ts";
import { createHolds } from "../../../src/adapters/postgres/admin/holds.ts";
import { createOverviews } from "../../../src/adapters/postgres/admin/overviews.ts";
import { createRemarks } from "../../../src/adapters/postgres/admin/remarks.ts";
import { createReviews } from "../../../src/adapters/postgres/admin/reviews.ts";
import type { ErasedThing } from "../../../src/core/ports/erasures.ts";
import type { Person } from "../../../src/core/ports/sign-ins.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { answer, asRun, edit, round } from "../../contract/store-samples.ts";
import { placesOf } from "../../support/word-scan.ts";
import { postgresBackend } from "./backends.ts";
import { ANA, BEN, BOSS, eraseWorld, newSlackThread, type EraseWorld } from "./erase-world.ts";

const backend = postgresBackend();
let world: EraseWorld;
beforeAll(() => {
  world = eraseWorld(backend.sql());
});

let count = 0;
async function erase(thing: ErasedThing): Promise<string> {
  const { erasures } = world;
  const id = `e${++count}`;
  expect(await erasures.begin(id, thing, "r", BOSS)).toEqual({ kind: "begun" });
  for (const session of await erasures.left(id)) await erasures.erase(id, session);
  await erasures.finish(id);
  return id;
}

async function spoken(session: SessionId, by: typeof ANA, text: string): Promise<void> {
  await world.stores.inbox.put(world.say(session, by, text));
  await world.answered(asRun(await world.stores.store.open(session, "w")), text);
}

test("a reviewer or admin who never wrote to the bot is erased, once, from all that they did there", async () => {
  const sql = backend.sql();
  const cleo: Person = { ...BOSS, person: "UCLEO", name: "Cleo Nyala5" };
  const session = newSlackThread();
  await spoken(session, BEN, "of it");
  const holds = createHolds(sql);
  const held = { kind: "thread", subject: newSlackThread() } as const;
  const deeds: readonly (() => Promise<unknown>)[] = [
    () => createAudit(sql).write({ who: cleo, kind: "list" }),
    () => createReviews(sql, () => false).assign(session, cleo),
    () => createRemarks(sql).add(session, { id: `m${++count}`, kind: "note", text: "look" }, cleo),
    () => holds.set(`by-${++count}`, held, "case 9", cleo),
    async () => {
      await holds.set("lifted", { ...held, subject: newSlackThread() }, "case 9", BOSS);
      return holds.lift("lifted", cleo);
    },
    () => world.erasures.begin("hers", { kind: "thread", subject: session }, "r", cleo),
  ];
  for (const deed of deeds) {
    await deed();
    expect(await placesOf(sql, "nyala5")).not.toEqual([]);
    const id = await erase({ kind: "person", subject: "UCLEO" });
    expect(await placesOf(sql, "nyala5")).toEqual([]);
    expect(await world.erasures.get(BOSS, id)).toMatchObject({
      doneAt: expect.any(Number) as number,
      threads: [],
    });
    expect(await world.erasures.begin("again", { kind: "person", subject: "UCLEO" }, "r", BOSS)).toEqual({
      kind: "nothing",
    });
  }
  expect((await holds.list(BOSS, 100)).map(({ name, liftedName }) => [name, liftedName])).toEqual(
    expect.arrayContaining([
      ["[erased]", undefined],
      ["Bea", "[erased]"],
    ]),
  );
});

test("flags that are open stay so in the list, in its filter and in what is exported by it", async () => {
  const sql = backend.sql();
  const session = newSlackThread("C5");
  await spoken(session, ANA, "hers");
  await spoken(session, BEN, "his");
  await world.maker.make(session);
  const remarks = createRemarks(sql);
  for (const id of ["f1", "f2", "f3"])
    await remarks.add(session, { id, kind: "harmful", text: "look" }, BOSS);
  await remarks.add(session, { id: "n1", kind: "note", text: "no flag" }, BOSS);
  await remarks.resolve(session, "f3", BOSS);
  await erase({ kind: "person", subject: ANA.id });
  await world.maker.make(session);
  const flagged = async () =>
    (
      await createOverviews(sql, () => false).list(BOSS, { isFlagged: true, channel: "C5" }, { limit: 9 })
    ).map(({ flags }) => flags);
  expect(await flagged()).toEqual([2]);
  await remarks.resolve(session, "f1", BOSS);
  await spoken(session, BEN, "more");
  await world.maker.make(session);
  expect(await flagged()).toEqual([1]);
});

test("what a platform tells of an erased message, as a change of it, is not stored again", async () => {
  const session = newSlackThread();
  const hers = world.say(session, ANA, "tell me of gnu5");
  await world.stores.inbox.put(hers);
  await world.answered(asRun(await world.stores.store.open(session, "w")), "well");
  await spoken(session, BEN, "his");
  await erase({ kind: "person", subject: ANA.id });
  expect(await world.stores.inbox.put({ ...edit(hers, "tell me of gnu5"), author: ANA })).toEqual({
    kind: "ignored",
  });
  expect(await placesOf(backend.sql(), "gnu5")).toEqual([]);
  expect(await world.stores.store.hasWork(session)).toBe(false);
});

test("of a thread that was summarised twice no summary keeps a word: of a person each is a marker, of a thread none is left", async () => {
  const sql = backend.sql();
  const session = newSlackThread();
  const summarised = async (text: string, upTo: number): Promise<void> => {
    await world.stores.inbox.put(world.say(session, BEN, "go on"));
    const { fence } = asRun(await world.stores.store.open(session, "w"));
    const summary = { v: 1, kind: "summary", text, upTo } as const;
    await world.stores.store.end(fence, {
      reason: "stop",
      round: round(1, answer("well"), summary),
      modelCalls: [],
    });
    await world.stores.store.settled(fence);
  };
  await spoken(session, ANA, "tell me of impala5");
  await summarised("she spoke of impala5", 2);
  await summarised("as said before, of impala5", 4);
  const summaries = () =>
    sql.query<{ body: object }>(
      { text: "select body from entries where session = $1 and kind = 'summary' order by seq" },
      [session],
    );
  await erase({ kind: "person", subject: ANA.id });
  expect(await placesOf(sql, "impala5")).toEqual([]);
  const marked = (await summaries()).map(({ body }) => body);
  expect(marked.slice(-2)).toEqual([
    { v: 1, kind: "summary", text: "[erased]", upTo: 2 },
    { v: 1, kind: "summary", text: "[erased]", upTo: 4 },
  ]);
  await erase({ kind: "thread", subject: session });
  expect(await summaries()).toEqual([]);
});
