import { expect, test } from "vitest";
import { exclusively } from "../../../src/adapters/postgres/exclusive.ts";
import { openPostgres, type PostgresOptions } from "../../../src/adapters/postgres/pool.ts";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { Clock } from "../../../src/core/ports/clock.ts";
import { freshDatabase } from "../../support/services/postgres.ts";
import { until } from "../../support/until.ts";

/** The lock of this database. */
const OURS = `where l.locktype = 'advisory' and l.database = (select d.oid from pg_database d where d.datname = current_database())`;
const HELD_LONG = {
  text: `select from pg_locks l join pg_stat_activity a on a.pid = l.pid ${OURS} and a.xact_start < clock_timestamp() - interval '3 seconds'`,
};

const system = createSystemClock();
const at = (sql: Sql, clock: Clock = system) => ({ sql, clock });

async function twoProcesses(options: Partial<PostgresOptions> = {}) {
  const stack = new AsyncDisposableStack();
  const { url } = stack.use(await freshDatabase());
  const [a, b] = [openPostgres({ ...options, url }), openPostgres({ url })];
  stack.defer(() => a.close());
  stack.defer(() => b.close());
  return { a, b, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test("only one of two processes is in the body, and the other goes on without it", async () => {
  await using processes = await twoProcesses();
  const entered: string[] = [];
  await exclusively(at(processes.a), async () => {
    entered.push("a");
    await exclusively(at(processes.b), async () => void entered.push("b"));
  });
  await exclusively(at(processes.b), async () => void entered.push("b afterwards"));
  expect(entered).toEqual(["a", "b afterwards"]);
});

test("the body may use the database by its own handle", async () => {
  await using processes = await twoProcesses();
  let answer: unknown;
  await exclusively(at(processes.a), async () => {
    [answer] = await processes.a.query({ text: "select 1 as one" });
  });
  expect(answer).toEqual({ one: 1 });
});

test("a body that throws gives the lock back, and its error passes through", async () => {
  await using processes = await twoProcesses();
  const failing = exclusively(at(processes.a), () => Promise.reject(new Error("no luck")));
  await expect(failing).rejects.toThrow("no luck");
  let entered = false;
  await exclusively(at(processes.b), async () => void (entered = true));
  expect(entered).toBe(true);
});

test("a body that takes longer than a transaction may do nothing keeps the lock all the time", async () => {
  await using processes = await twoProcesses({ statementTimeoutMs: 1_000 });
  // Five seconds are a fifth of one.
  const quick: Clock = { ...system, after: (ms, run) => system.after(ms / 25, run) };
  const entered: string[] = [];
  await exclusively(at(processes.a, quick), async () => {
    const isHeldLong = async (): Promise<boolean> => (await processes.b.query(HELD_LONG)).length === 1;
    await until(isHeldLong, { what: "the lock is held for longer than that", timeoutMs: 20_000 });
    await exclusively(at(processes.b), async () => void entered.push("b"));
  });
  expect(entered).toEqual([]);
});

test("a body that succeeded has, also where its lock was lost meanwhile", async () => {
  await using processes = await twoProcesses();
  let isOver = false;
  await exclusively(at(processes.a), async () => {
    await processes.b.query({
      text: `select pg_terminate_backend(l.pid) from pg_locks l ${OURS}`,
    });
    await until(
      async () => (await processes.b.query({ text: `select from pg_locks l ${OURS}` })).length === 0,
      {
        what: "the lock is gone",
      },
    );
    isOver = true;
  });
  expect(isOver).toBe(true);
});

test("a database that is away is told, and the body does not run", async () => {
  const away = openPostgres({ url: "postgres://127.0.0.1:1/none", connectTimeoutMs: 500 });
  let entered = false;
  const failing = exclusively(at(away), async () => void (entered = true));
  await expect(failing).rejects.toMatchObject({ code: "store_unavailable" });
  expect(entered).toBe(false);
  await away.close();
});
