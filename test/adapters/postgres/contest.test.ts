// What happens when a statement has to wait for another one's row: each of these is a moment of some milliseconds in life, and
// is made long here by a transaction of our own that holds the row.
import pg from "pg";
import { expect, test } from "vitest";
import type { InboundId } from "../../../src/core/ids.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import {
  answer,
  asRun,
  command,
  deletion,
  lines,
  message,
  newSession,
  round,
} from "../../contract/store-samples.ts";
import { until } from "../../support/until.ts";
import { freshDatabase } from "../../support/services/postgres.ts";
import { createInbox } from "../../../src/adapters/postgres/inbox.ts";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import { openPostgres } from "../../../src/adapters/postgres/pool.ts";
import { storesOver, type Stores } from "./store-subject.ts";

interface Contest extends AsyncDisposable {
  readonly stores: Stores;
  readonly sql: Sql;
  /** A second connection, in a transaction that holds the session's row. */
  hold(session: SessionId): Promise<pg.Client>;
  /** Until this many statements of the stores wait for a lock. */
  waiters(count: number): Promise<unknown>;
}

async function contest(): Promise<Contest> {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await freshDatabase());
  const sql = openPostgres({ url: database.url });
  stack.defer(() => sql.close());
  const watcher = new pg.Client({ connectionString: database.url });
  await watcher.connect();
  stack.defer(() => watcher.end());
  return {
    stores: storesOver(sql),
    sql,
    async hold(session) {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      stack.defer(() => client.end());
      await client.query("begin");
      await client.query("select from sessions where id = $1 for no key update", [session]);
      return client;
    },
    waiters: (count) =>
      until(
        async () => {
          const { rows } = await watcher.query<{ n: number }>(
            `select count(*)::int as n from pg_stat_activity
             where datname = current_database() and application_name = 'bobbin' and wait_event_type = 'Lock'`,
          );
          return rows[0]?.n === count;
        },
        { what: `${count} statements wait for a lock` },
      ),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test("a claim that waited for a zombie's commit sees that round, and the zombie's next write is refused", async () => {
  await using all = await contest();
  const { store, inbox } = all.stores;
  const session = newSession();
  await inbox.put(message(session, "one"));
  const zombie = asRun(await store.open(session, "zombie"));
  const holder = await all.hold(session);
  const commit = store.commitRound(zombie.fence, round(1, answer("just in time")));
  await all.waiters(1);
  // Its snapshot is taken here: before the commit, which is first in the row's queue.
  const open = store.open(session, "successor");
  await all.waiters(2);
  await holder.query("commit");
  await commit;
  const successor = asRun(await open);
  expect(successor.run.rounds).toBe(1);
  expect(lines(successor.tail)).toEqual(["user: one", "bot: just in time"]);
  await expect(store.commitRound(zombie.fence, round(2, answer("too late")))).rejects.toMatchObject({
    code: "stale_fence",
  });
});

test("a claim that waited for the end of the run settles that reply and does not run it again", async () => {
  await using all = await contest();
  const { store, inbox } = all.stores;
  const session = newSession();
  await inbox.put(message(session, "one"));
  const first = asRun(await store.open(session, "first"));
  const holder = await all.hold(session);
  const end = store.end(first.fence, { reason: "stop", round: round(1, answer("done")), modelCalls: [] });
  await all.waiters(1);
  const open = store.open(session, "second");
  await all.waiters(2);
  await holder.query("commit");
  expect(await end).toMatchObject({ kind: "ended" });
  expect(await open).toMatchObject({ kind: "settle", outcome: { reason: "stop" } });
});

test("a claim that waited for a stop takes nothing of what was stopped", async () => {
  await using all = await contest();
  const { store, inbox } = all.stores;
  const session = newSession();
  await inbox.put(message(session, "one"));
  const holder = await all.hold(session);
  const stop = inbox.put(command(session, "stop"));
  await all.waiters(1);
  const open = store.open(session, "w");
  await all.waiters(2);
  await holder.query("commit");
  await stop;
  expect(await open).toEqual({ kind: "nothing" });
});

test("a claim that waited for a delete does not open a run for the deleted message", async () => {
  await using all = await contest();
  const { store, inbox, transcripts } = all.stores;
  const session = newSession();
  const only = message(session, "oops");
  await inbox.put(only);
  const holder = await all.hold(session);
  const removal = inbox.put(deletion(only));
  await all.waiters(1);
  const open = store.open(session, "w");
  await all.waiters(2);
  await holder.query("commit");
  await removal;
  expect(await open).toEqual({ kind: "nothing" });
  expect(await transcripts.runs(session)).toEqual([]);
});

test("a delete that waited for a claim becomes a note, since the model reads the message", async () => {
  await using all = await contest();
  const { store, inbox, transcripts } = all.stores;
  const session = newSession();
  const only = message(session, "read already");
  await inbox.put(only);
  const holder = await all.hold(session);
  const open = store.open(session, "w");
  await all.waiters(1);
  const removal = inbox.put(deletion(only));
  await all.waiters(2);
  await holder.query("commit");
  asRun(await open);
  await removal;
  expect((await transcripts.inbounds(session)).map((view) => view.state)).toEqual(["admitted", "waiting"]);
});

test("a commit that waited for a successor's claim is refused", async () => {
  await using all = await contest();
  const { store, inbox, transcripts } = all.stores;
  const session = newSession();
  await inbox.put(message(session, "one"));
  const first = asRun(await store.open(session, "first"));
  const holder = await all.hold(session);
  const open = store.open(session, "second");
  await all.waiters(1);
  const commit = store.commitRound(first.fence, round(1, answer("stale"))).catch((error: unknown) => error);
  const page = all.stores.pages
    .put(first.fence, { run: first.run.id, index: 0, key: "k" })
    .catch((error: unknown) => error);
  await all.waiters(3);
  await holder.query("commit");
  asRun(await open);
  expect(await commit).toMatchObject({ code: "stale_fence" });
  expect(await page).toMatchObject({ code: "stale_fence" });
  expect(lines(await transcripts.entries(session))).toEqual(["user: one"]);
  expect(await all.stores.pages.list(first.run.id)).toEqual([]);
});

test("an end with a note that had to begin anew leaves the entry after it a place of its own", async () => {
  await using all = await contest();
  const { store, inbox, transcripts } = all.stores;
  const session = newSession();
  await inbox.put(message(session, "one"));
  const { fence } = asRun(await store.open(session, "w"));
  const holder = await all.hold(session);
  const end = store.end(fence, { reason: "error", note: "it failed", modelCalls: [] });
  await all.waiters(1);
  await holder.query("update sessions set rev = rev + 1 where id = $1", [session]);
  await holder.query("commit");
  expect(await end).toEqual({ kind: "ended" });
  await store.settled(fence);
  await inbox.put(message(session, "two"));
  asRun(await store.open(session, "w"));
  expect(lines(await transcripts.entries(session))).toEqual(["user: one", "note: it failed", "user: two"]);
});

test("a message never waits for the row of its session", async () => {
  await using all = await contest();
  const { inbox } = all.stores;
  const session = newSession();
  await inbox.put(message(session, "one"));
  const holder = await all.hold(session);
  expect(await inbox.put(message(session, "two"))).toMatchObject({ kind: "stored" });
  await holder.query("rollback");
});

test("a message that was sent before a stop and committed after it is cancelled", async () => {
  await using all = await contest();
  const { store, inbox, transcripts } = all.stores;
  const session = newSession();
  await inbox.put(message(session, "one"));
  // A put whose connection is slow to commit: its seq is drawn before the stop's.
  const slow = await all.hold(newSession());
  const late = message(session, "two");
  await slow.query(
    "insert into inbox (id, session, kind, message, at, body, state) values ($1, $2, 'message', $3, $4, $5, 'waiting')",
    [late.id, session, late.message, late.at, JSON.stringify(late)],
  );
  await inbox.put(command(session, "stop"));
  await slow.query("commit");
  expect(await store.open(session, "w")).toEqual({ kind: "nothing" });
  expect((await transcripts.inbounds(session)).map((view) => view.fate)).toEqual([
    "cancelled",
    "cancelled",
    "answered",
  ]);
});

test("a message that was sent before a stop and is seen only after the stopped run has looked is cancelled all the same", async () => {
  await using all = await contest();
  const { store, inbox, transcripts } = all.stores;
  const session = newSession();
  await inbox.put(message(session, "one"));
  const { fence } = asRun(await store.open(session, "w"));
  // It waits for its own copy, which is not stored in the end: its seq is drawn before.
  const late = message(session, "two");
  const copy = await all.hold(newSession());
  await copy.query(
    "insert into inbox (id, session, kind, message, at, body, state) values ($1, $2, 'message', $3, $4, $5, 'waiting')",
    [late.id, session, late.message, late.at, JSON.stringify(late)],
  );
  const put = inbox.put(late);
  await all.waiters(1);
  await inbox.put(command(session, "stop"));
  expect(await store.commitRound(fence, round(1, answer("hm")))).toMatchObject({
    stopped: true,
    steered: [],
  });
  await copy.query("rollback");
  expect(await put).toMatchObject({ kind: "stored" });
  const views = await transcripts.inbounds(session);
  expect(views.map(({ inbound, state }) => [inbound.kind, state])).toEqual([
    ["message", "admitted"],
    ["message", "waiting"],
    ["command", "done"],
  ]);
  await store.end(fence, { reason: "cancelled", modelCalls: [] });
  expect((await transcripts.inbounds(session)).map(({ fate }) => fate)).toEqual([
    "cancelled",
    "cancelled",
    "answered",
  ]);
});

test("two processes that store the same inbounds in opposite orders do not wait for each other in a circle", async () => {
  await using all = await contest();
  const [one, two] = [all.stores.inbox, createInbox(all.sql)];
  const [first, held, last] = ["1", "2", "3"].map((end) => {
    const session = newSession();
    return message(session, "a mention", { id: `web/x/${end}` as InboundId });
  });
  if (first === undefined || held === undefined || last === undefined) throw new Error("three were made");
  // Between the first and the last of each there is one that waits.
  const holder = await all.hold(newSession());
  await holder.query(
    "insert into inbox (id, session, kind, message, at, body, state) values ($1, $2, 'message', $3, $4, $5, 'waiting')",
    [held.id, held.session, held.message, held.at, JSON.stringify(held)],
  );
  const stores = [first, held, last].map((inbound) => one.put(inbound));
  await all.waiters(1);
  const again = [last, held, first].map((inbound) => two.put(inbound));
  await all.waiters(2);
  await holder.query("commit");
  const kinds = (await Promise.all([...stores, ...again])).map(({ kind }) => kind);
  expect(kinds).toEqual(["stored", "duplicate", "stored", "duplicate", "duplicate", "duplicate"]);
});
