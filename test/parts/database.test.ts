import { expect, test } from "vitest";
import { createSystemClock } from "../../src/adapters/system-clock.ts";
import { openDatabase } from "../../src/parts/database.ts";
import { silentLog } from "../support/silent-log.ts";
import { until } from "../support/until.ts";
import { freshDatabase } from "../support/services/postgres.ts";

// What a worker hands over at a deploy comes to the next one at once: without this each of its first claims connected and planned.
test("what warms a process up is done once on each of the connections that stay", async () => {
  await using server = await freshDatabase();
  const settings = { databaseUrl: server.url, redisUrl: "redis://of-nobody", dataDir: "unused" };
  const deps = { clock: createSystemClock(), log: silentLog };
  const database = await openDatabase(deps, settings, new AbortController().signal);
  try {
    const backends: number[] = [];
    await database.warm(async () => {
      const [row] = await database.sql.query<{ pid: number }>({
        text: "select pg_backend_pid() as pid, pg_sleep(0.05)",
      });
      backends.push(row?.pid ?? 0);
    });
    expect(backends.length).toBeGreaterThan(1);
    expect(new Set(backends).size).toBe(backends.length);
    await database.warm(() => Promise.reject(new Error("not there yet")));
  } finally {
    await database.close();
  }
});

test("a connection that has grown old is closed where nothing uses it, and who takes its place is warmed up too", async () => {
  await using server = await freshDatabase();
  const settings = { databaseUrl: server.url, redisUrl: "redis://of-nobody", dataDir: "unused" };
  const deps = { clock: createSystemClock(), log: silentLog };
  const { signal } = new AbortController();
  const database = await openDatabase(deps, settings, signal, { connectionLifeMs: 300 });
  try {
    const backends = new Set<number>();
    await database.warm(async () => {
      const [row] = await database.sql.query<{ pid: number }>({
        text: "select pg_backend_pid() as pid, pg_sleep(0.02)",
      });
      backends.add(row?.pid ?? 0);
    });
    const first = new Set(backends);
    await until(() => backends.size >= 3 * first.size, { what: "all were taken the place of, twice" });
    const OPEN = { text: "select pid from pg_stat_activity where datname = current_database()" };
    const open = await database.sql.query<{ pid: number }>(OPEN);
    expect(open.filter(({ pid }) => first.has(pid))).toEqual([]);
    // What is under way on one that grows old comes to its end.
    expect(await database.sql.query({ text: "select 1 as one, pg_sleep(0.6)" })).toMatchObject([{ one: 1 }]);
  } finally {
    await database.close();
  }
});
