import { expect, test } from "vitest";
import { createSystemClock } from "../../src/adapters/system-clock.ts";
import { openDatabase } from "../../src/parts/database.ts";
import { silentLog } from "../support/silent-log.ts";
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
