// What others do while an erasure is under way: each of these is a moment of some milliseconds in life, and is made long here by
// stopping a statement of one of them.
import { beforeAll, describe, expect, test } from "vitest";
import { createErasures } from "../../../src/adapters/postgres/admin/erasures.ts";
import { createHolds } from "../../../src/adapters/postgres/admin/holds.ts";
import { createOverviewMaker } from "../../../src/adapters/postgres/admin/overview-maker.ts";
import { createRetention } from "../../../src/adapters/postgres/admin/retention.ts";
import type { Sql, Statement } from "../../../src/adapters/postgres/sql.ts";
import type { ErasedThing } from "../../../src/core/ports/erasures.ts";
import type { Retained } from "../../../src/core/ports/retention.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { asRun } from "../../contract/store-samples.ts";
import { placesOf } from "../../support/word-scan.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "./backends.ts";
import { ANA, BOSS, eraseWorld, newSlackThread, type EraseWorld } from "./erase-world.ts";

/** Two moments of one statement: it is there, and it may go. */
function gate() {
  const [there, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return { there, go };
}

/** The statement that `at` finds is held up behind (or before) its run, once. */
function haltingAt(
  sql: Sql,
  at: (statement: Statement) => boolean,
  when: "before" | "behind" = "behind",
): { readonly sql: Sql; readonly there: Promise<void>; go(): void } {
  const { there, go } = gate();
  let isMet = false;
  const halting = (inner: Sql): Sql => ({
    ...inner,
    async query<R extends object>(statement: Statement, values?: Parameters<Sql["query"]>[1]) {
      const halt = async (): Promise<void> => {
        isMet = true;
        there.resolve();
        await go.promise;
      };
      const isIt = !isMet && at(statement);
      if (isIt && when === "before") await halt();
      const rows = await inner.query<R>(statement, values);
      if (isIt && when === "behind") await halt();
      return rows;
    },
    transaction: (body) => inner.transaction((tx) => body(halting(tx))),
  });
  return { sql: halting(sql), there: there.promise, go: () => go.resolve() };
}

describe("while an erasure is under way", () => {
  const backend = postgresBackend();
  let world: EraseWorld;
  beforeAll(() => {
    world = eraseWorld(backend.sql());
  });

  let count = 0;
  async function begun(thing: ErasedThing): Promise<string> {
    const id = `e${++count}`;
    expect(await world.erasures.begin(id, thing, "r", BOSS)).toEqual({ kind: "begun" });
    return id;
  }

  async function spoken(session: SessionId, text: string): Promise<void> {
    await world.stores.inbox.put(world.say(session, ANA, text));
    await world.answered(asRun(await world.stores.store.open(session, "w")), text);
  }

  async function said(word: string): Promise<SessionId> {
    const session = newSlackThread();
    await spoken(session, `tell me of ${word}`);
    return session;
  }

  const waiting = (): Promise<unknown> =>
    until(
      async () => {
        const [row] = await backend.sql().query<{ n: number }>({
          text: `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        });
        return row?.n === 1;
      },
      { what: "a statement waits for a lock" },
    );

  test.each(["sessions", "overviews", "search_lines"])(
    "an overview that is made while the erasure stands behind %s brings no word back",
    async (table) => {
      const word = `quagga${table.replaceAll("_", "")}`;
      const session = await said(word);
      await world.maker.make(session);
      await spoken(session, `more of ${word}`);
      const id = await begun({ kind: "thread", subject: session });
      const held = haltingAt(backend.sql(), ({ text }) =>
        new RegExp(`(update|delete from) ${table} `).test(text),
      );
      const erased = createErasures(held.sql).erase(id, session);
      await held.there;
      const made = createOverviewMaker(backend.sql()).make(session);
      await waiting().finally(held.go);
      await Promise.all([erased, made]);
      expect(await placesOf(backend.sql(), word)).toEqual([]);
      await world.maker.make(session);
      expect(await placesOf(backend.sql(), word)).toEqual([]);
    },
  );

  test.each(["thread", "person"] as const)(
    "an emoji that is told of while the erasure of its %s is under way is not brought back",
    async (kind) => {
      const session = newSlackThread();
      const [asked, zoe] = [world.say(session, ANA, "hello"), { id: `UZOE${kind}`, name: `emu${kind}` }];
      await world.stores.inbox.put(asked);
      await world.answered(asRun(await world.stores.store.open(session, "w")), "hello");
      await world.react(asked, zoe);
      const id = await begun({ kind, subject: kind === "thread" ? session : zoe.id } as ErasedThing);
      const held = haltingAt(backend.sql(), ({ text }) => text.includes("delete from reactions"));
      const erased = createErasures(held.sql).erase(id, session);
      await held.there;
      const told = world.react(asked, zoe);
      await waiting().finally(held.go);
      await Promise.all([erased, told]);
      expect(await placesOf(backend.sql(), zoe.name)).toEqual([]);
    },
  );

  test("lines that were read before it are not written behind it, also where the overview is made anew", async () => {
    const session = await said("okapi");
    const held = haltingAt(backend.sql(), ({ name }) => name === "overview-lines", "before");
    const made = createOverviewMaker(held.sql).make(session);
    await held.there;
    const id = await begun({ kind: "thread", subject: session });
    await world.erasures.erase(id, session);
    await world.maker.make(session);
    held.go();
    await made;
    expect(await placesOf(backend.sql(), "okapi")).toEqual([]);
  });

  /** As an eraser does it. */
  async function eraseAll(id: string): Promise<void> {
    const { erasures } = world;
    for (let [session] = await erasures.left(id); session !== undefined; [session] = await erasures.left(id))
      await erasures.erase(id, session);
    await erasures.finish(id);
  }

  test("a branch that is opened before it and would be copied behind it gets nothing", async () => {
    const session = await said("bongo1");
    const { copy } = await world.openedBranchOf(session);
    const id = await begun({ kind: "thread", subject: session });
    await eraseAll(id);
    await copy();
    expect(await placesOf(backend.sql(), "bongo1")).toEqual([]);
  });

  test.each([
    ["thread", "copied"],
    ["person", "person"],
  ] as const)(
    "what is copied between its begin and its end is erased with it, of a %s",
    async (kind, extent) => {
      const word = `bongo${kind}`;
      const session = await said(word);
      const { to, copy } = await world.openedBranchOf(session);
      const id = await begun(kind === "thread" ? { kind, subject: session } : { kind, subject: ANA.id });
      await copy();
      expect(await placesOf(backend.sql(), word)).not.toEqual([]);
      await eraseAll(id);
      expect(await placesOf(backend.sql(), word)).toEqual([]);
      const { threads, doneAt } = (await world.erasures.get(BOSS, id)) ?? {};
      expect(doneAt).toBeDefined();
      expect(threads?.find((each) => each.session === to)).toMatchObject({ extent });
    },
  );

  test("a copy that begins under it waits for it, and has what it left", async () => {
    const session = await said("bongo2");
    const id = await begun({ kind: "thread", subject: session });
    const held = haltingAt(backend.sql(), ({ text }) => /delete from entries /.test(text));
    const erased = createErasures(held.sql).erase(id, session);
    await held.there;
    const branched = world.branchOf(session);
    await waiting().finally(held.go);
    await Promise.all([erased, branched]);
    await eraseAll(id);
    // The copy of what was still there was asked for while it was.
    expect((await placesOf(backend.sql(), "bongo2")).filter((place) => place.startsWith("entries"))).toEqual(
      [],
    );
  });

  test("what is held since it began is left and says so, until the hold is lifted; a hold waits for what is being erased", async () => {
    const holds = createHolds(backend.sql());
    const [one, two] = [await said("kudu1"), await said("kudu2")];
    const ids = [
      await begun({ kind: "thread", subject: one }),
      await begun({ kind: "thread", subject: two }),
    ] as const;
    const held = haltingAt(backend.sql(), ({ text }) => text.includes("delete from entries "));
    const erased = createErasures(held.sql).erase(ids[0], one);
    await held.there;
    const set = holds.set("h1", { kind: "space", subject: "T1" }, "case 9", BOSS);
    await waiting().finally(held.go);
    await Promise.all([erased, set]);
    await world.erasures.erase(ids[1], two);
    await eraseAll(ids[1]);
    expect(await placesOf(backend.sql(), "kudu1")).toEqual([]);
    expect(await placesOf(backend.sql(), "kudu2")).toContain("entries.body");
    const proof = await world.erasures.get(BOSS, ids[1]);
    expect(proof?.doneAt).toBeUndefined();
    expect(proof?.threads).toMatchObject([{ session: two, heldBack: { reason: "case 9", name: "Bea" } }]);
    await holds.lift("h1", BOSS);
    await eraseAll(ids[1]);
    expect(await placesOf(backend.sql(), "kudu2")).toEqual([]);
    expect((await world.erasures.get(BOSS, ids[1]))?.doneAt).toBeDefined();
  });

  /** All that is there, however young. */
  async function sweep(sql: Sql, kind: Retained): Promise<void> {
    const retention = createRetention(sql);
    const at = { platform: "slack", space: "T9" } as const;
    let next: string | undefined;
    do {
      const options = { olderThanMs: -60_000, limit: 9, ...(next === undefined ? {} : { after: next }) };
      ({ next } = await retention.forget(at, kind, options));
    } while (next !== undefined);
  }

  test.each([
    ["a conversation", "conversations", "retention-thread"],
    ["a first message that was refused", "conversations", "retention-refused"],
    ["results of tools", "toolResults", "retention-results"],
  ] as const)(
    "a hold waits for what is forgotten just now, of %s, and what is looked at behind it is held",
    async (_, kind, name) => {
      const word = `eland${name.replaceAll("-", "")}`;
      const session = `slack:T9:C${++count}:171.1` as SessionId;
      if (name === "retention-refused")
        await world.stores.inbox.put(world.say(session, ANA, word), { rule: "r", isRefused: true });
      else await spoken(session, word);
      await world.maker.make(session);
      const held = haltingAt(backend.sql(), (statement) => statement.name === name);
      const holds = createHolds(backend.sql());
      const [boss, hold] = [{ ...BOSS, space: "T9" }, `h${++count}`];
      const swept = sweep(held.sql, kind);
      await held.there;
      const set = holds.set(hold, { kind: "space", subject: "T9" }, "case 9", boss);
      await waiting().finally(held.go);
      await Promise.all([swept, set]);
      const left = await placesOf(backend.sql(), word);
      expect(left).not.toContain(kind === "toolResults" ? "tool_results.content" : "inbox.body");
      const other = `slack:T9:C${++count}:171.1` as SessionId;
      await spoken(other, `${word}2`);
      await world.maker.make(other);
      await sweep(backend.sql(), kind);
      expect(await placesOf(backend.sql(), `${word}2`)).toEqual(
        expect.arrayContaining(["entries.body", "inbox.body", "tool_results.content"]),
      );
      await holds.lift(hold, boss);
    },
  );
});
