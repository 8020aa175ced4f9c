// A Postgres that goes away, comes back, does not answer, or has no room.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openEmbedded } from "../../../src/adapters/postgres/embedded.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { openPostgres } from "../../../src/adapters/postgres/pool.ts";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import { asRun, lines, message, newSession } from "../../contract/store-samples.ts";
import { freshDatabase, ownPostgres } from "../../support/services/postgres.ts";
import { canMount, smallDisk } from "../../support/services/small-disk.ts";
import { until } from "../../support/until.ts";
import { openWire } from "../../support/wire.ts";
import { storesOver } from "./store-subject.ts";

const ONE = { name: "one", text: "select 1 as one" };

test("a restart of Postgres fails what is under way, in words of ours, and later queries work by themselves", async () => {
  await using server = await ownPostgres();
  await migrate(server.url);
  const sql = openPostgres({ url: server.url, connections: 3 });
  const { inbox, transcripts } = storesOver(sql);
  const session = newSession();
  await inbox.put(message(session, "before"));
  const sleeping = sql.query({ text: "select pg_sleep(60)" }).catch((error: unknown) => error);
  const inTransaction = sql
    .transaction(async (tx) => {
      await tx.query({ text: "select pg_sleep(60)" });
    })
    .catch((error: unknown) => error);
  await until(
    async () =>
      (await sql.query({ text: "select from pg_stat_activity where query = 'select pg_sleep(60)'" }))
        .length === 2,
    { what: "both statements run" },
  );
  await server.stop("immediate");
  expect(await sleeping).toMatchObject({ code: "store_unavailable", retryable: true });
  expect(await inTransaction).toMatchObject({ code: "store_unavailable", retryable: true });
  const during = message(session, "during");
  await expect(inbox.put(during)).rejects.toMatchObject({ code: "store_unavailable" });
  await server.start();
  expect(await inbox.put(during)).toMatchObject({ kind: "stored" });
  expect(await transcripts.inbounds(session)).toHaveLength(2);
  await sql.close();
});

test("a database that accepts and says nothing is given up after the time limit", async () => {
  const sockets = new Set<Socket>();
  const mute = createServer((socket) => void sockets.add(socket)).listen(0, "127.0.0.1");
  await once(mute, "listening");
  const address = mute.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const sql = openPostgres({ url: `postgres://u@127.0.0.1:${address.port}/d`, connectTimeoutMs: 50 });
  await expect(sql.query(ONE)).rejects.toMatchObject({ code: "store_unavailable", retryable: true });
  await sql.close();
  for (const socket of sockets) socket.destroy();
  mute.close();
});

test("connections that are dead for ever cost one time limit, not one each; what runs elsewhere meanwhile ends well", async () => {
  await using database = await freshDatabase();
  await using wire = await openWire(database.url);
  const sql = openPostgres({ url: wire.url, connections: 3, statementTimeoutMs: 500 });
  await Promise.all([1, 2, 3].map(() => sql.query({ text: "select pg_sleep(0.05)" })));
  wire.forget();
  await expect(sql.query(ONE)).rejects.toMatchObject({ code: "store_unavailable" });
  for (let count = 0; count < 3; count++) expect(await sql.query(ONE)).toEqual([{ one: 1 }]);
  const inTransaction = sql.transaction(async (tx) => {
    wire.forget();
    return tx.query(ONE);
  });
  await expect(inTransaction).rejects.toMatchObject({ code: "store_unavailable" });
  expect(await sql.transaction((tx) => tx.query(ONE))).toEqual([{ one: 1 }]);
  await sql.close();
});

test("a statement that takes too long is ended, and its connection serves the next one", async () => {
  await using database = await freshDatabase();
  const sql = openPostgres({ url: database.url, connections: 1, statementTimeoutMs: 100 });
  await expect(sql.query({ text: "select pg_sleep(60)" })).rejects.toMatchObject({
    code: "store_unavailable",
  });
  expect(await sql.query(ONE)).toEqual([{ one: 1 }]);
  await sql.close();
});

test("closing waits for what runs, may be done twice, and what comes later is refused in words of ours", async () => {
  await using database = await freshDatabase();
  const sql = openPostgres({ url: database.url });
  const running = sql.query({ text: "select pg_sleep(0.05), 1 as one" });
  await Promise.all([sql.close(), sql.close()]);
  expect(await running).toMatchObject([{ one: 1 }]);
  await expect(sql.query(ONE)).rejects.toMatchObject({ code: "store_unavailable" });
});

async function fillsUpAndRecovers(
  sql: Sql,
  fill: () => Promise<void>,
  free: () => Promise<void>,
): Promise<void> {
  const { inbox, transcripts, store } = storesOver(sql);
  const session = newSession();
  await inbox.put(message(session, "before"));
  await fill();
  // What does not compress needs pages that are not there.
  const large = message(session, randomBytes(400_000).toString("base64"));
  await expect(inbox.put(large)).rejects.toMatchObject({ code: "store_full", retryable: true });
  await expect(inbox.put(large)).rejects.toMatchObject({ code: "store_full" });
  expect(await transcripts.inbounds(session)).toHaveLength(1);
  await free();
  expect(await inbox.put(large)).toMatchObject({ kind: "stored" });
  expect(lines(asRun(await store.open(session, "w")).tail)).toHaveLength(2);
}

const mayMount = canMount();

test("on a full disk Postgres stores nothing and says so; when there is room again the same message is taken", async () => {
  if (mayMount) {
    using disk = smallDisk(192);
    await using server = await ownPostgres({ parentFolder: disk.folder });
    await migrate(server.url);
    const sql = openPostgres({ url: server.url });
    await fillsUpAndRecovers(sql, disk.fill, disk.free);
    await sql.close();
    return;
  }
  // Who may not mount a small disk makes the server itself refuse, with what it says when its disk is full.
  await using database = await freshDatabase();
  const sql = openPostgres({ url: database.url });
  const run = async (text: string): Promise<void> => void (await sql.query({ text }));
  await run(`create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'No space left on device' using errcode = '53100'; end $$`);
  await fillsUpAndRecovers(
    sql,
    () => run("create trigger full_disk after insert on inbox execute function full_disk()"),
    () => run("drop trigger full_disk on inbox"),
  );
  await sql.close();
});

if (mayMount) {
  test("the embedded database does the same", async () => {
    using disk = smallDisk(160);
    const sql = await openEmbedded({ directory: join(disk.folder, "data") });
    await fillsUpAndRecovers(sql, disk.fill, disk.free);
    await sql.close();
  });
}
