/** The servers of a run: those of the tests, started by the same code; but commits wait for the disk, as in production. */

import { randomBytes } from "node:crypto";
import pg from "pg";
import { migrate } from "../src/adapters/postgres/migrate.ts";
import { startPostgres } from "../test/support/services/postgres-server.ts";
import { startRedis } from "../test/support/services/redis-server.ts";
import type { BenchWorld } from "./comparison.ts";

export interface Services extends Pick<BenchWorld, "newDatabase" | "newRedis">, AsyncDisposable {
  /** What the server says it is, and whether it waits for the disk. */
  describe(): Promise<{ readonly version: string; readonly fsync: string }>;
}

/** DATABASE_URL names a Postgres to use in place of one of our own. */
export async function openServices(): Promise<Services> {
  const stack = new AsyncDisposableStack();
  const server = process.env["DATABASE_URL"] ?? stack.use(await startPostgres({ synced: true })).url;

  async function ask<R extends object>(text: string): Promise<readonly R[]> {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    try {
      return (await client.query<R>(text)).rows;
    } finally {
      await client.end();
    }
  }

  return {
    async newDatabase() {
      const name = `bobbin_bench_${randomBytes(6).toString("hex")}`;
      await ask(`create database "${name}" template template0`);
      stack.defer(async () => void (await ask(`drop database if exists "${name}" with (force)`)));
      const url = new URL(server);
      url.pathname = `/${name}`;
      await migrate(url.href);
      return { url: url.href };
    },
    async newRedis() {
      const redis = stack.use(await startRedis());
      return { url: redis.url };
    },
    async describe() {
      const [row] = await ask<{ server_version: string; fsync: string }>(
        "select current_setting('server_version') as server_version, current_setting('fsync') as fsync",
      );
      return { version: row?.server_version ?? "unknown", fsync: row?.fsync ?? "unknown" };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
