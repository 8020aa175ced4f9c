import { spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claimProcess, type Heartbeat } from "../../../src/adapters/postgres/heartbeat.ts";
import { openPostgres } from "../../../src/adapters/postgres/pool.ts";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import { manualClock, type ManualClock } from "../../support/manual-clock.ts";
import { freshDatabase, type FreshDatabase } from "../../support/services/postgres.ts";
import { silentLog } from "../../support/silent-log.ts";
import { until } from "../../support/until.ts";

let database: FreshDatabase;
let sql: Sql;
let clock: ManualClock;

beforeEach(async () => {
  database = await freshDatabase();
  sql = openPostgres({ url: database.url });
  clock = manualClock();
});

afterEach(async () => {
  await sql.close();
  await database[Symbol.asyncDispose]();
});

const claim = (): Promise<Heartbeat> => claimProcess({ sql, clock, log: silentLog });

async function set(columns: string): Promise<void> {
  await sql.query({ text: `update processes set ${columns}` });
}

test("a second process on a database without Redis refuses, and says who is there and what to do", async () => {
  const first = await claim();
  await expect(claim()).rejects.toMatchObject({ code: "lock_failed", facts: { pid: process.pid } });
  await expect(claim()).rejects.toThrow(/REDIS_URL/);
  await first.release();
  await first.release();
  const second = await claim();
  await second.release();
  expect(clock.waiting).toBe(0);
});

test("of many that start at once one gets in", async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, claim));
  const got = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  expect(got).toHaveLength(1);
  await got[0]?.release();
});

test("it is renewed while the process lives", async () => {
  const first = await claim();
  await set("renewed_at = 0");
  await clock.advance(5_000);
  await until(
    async () => (await sql.query({ text: "select from processes where renewed_at > 0" })).length === 1,
    { what: "the row was renewed" },
  );
  await expect(claim()).rejects.toMatchObject({ code: "lock_failed" });
  await first.release();
});

test("a row that was not renewed is taken over, and the one that slept notices", async () => {
  const first = await claim();
  await set("renewed_at = 0, host = 'elsewhere'");
  const second = await claim();
  expect(first.signal.aborted).toBe(false);
  await until(
    async () => {
      await clock.advance(5_000);
      return first.signal.aborted;
    },
    { what: "the first noticed" },
  );
  await first.release();
  await expect(claim()).rejects.toMatchObject({ code: "lock_failed" });
  await second.release();
});

test("after a crash on the same machine a restart need not wait", async () => {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  const first = await claim();
  await set(`holder = 'crashed', pid = ${child.pid}, host = '${hostname()}'`);
  const second = await claim();
  await second.release();
  await first.release();
});
