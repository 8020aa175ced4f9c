// Postgres for tests: a database of one's own on the server that the whole run shares, or a whole server to break.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { startPostgres, type PostgresServer, type PostgresServerOptions } from "./postgres-server.ts";

export interface FreshDatabase extends AsyncDisposable {
  readonly url: string;
}

/** A database with today's schema and nothing in it, copied from the template in some 25 ms. Disposing drops it. */
export function freshDatabase(): Promise<FreshDatabase> {
  return createDatabase(`template "${inject("services").databaseTemplate}" strategy wal_log`);
}

/** A database without any table, for tests of the migrations. */
export function emptyDatabase(): Promise<FreshDatabase> {
  return createDatabase("template template0");
}

/** A server for one test, which may stop it and start it again. It has the database `postgres`, without tables. */
export function ownPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  return startPostgres(options);
}

async function createDatabase(how: string): Promise<FreshDatabase> {
  const name = `bobbin_test_${randomBytes(6).toString("hex")}`;
  await admin().query(`create database "${name}" ${how}`);
  const url = new URL(inject("services").databaseUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    // Forced: a connection that a test forgot must not keep the database, and must not fail the test here.
    async [Symbol.asyncDispose]() {
      await admin().query(`drop database if exists "${name}" with (force)`);
    },
  };
}

let pool: pg.Pool | undefined;

/** One connection for each test process, which does not keep the process alive. */
function admin(): pg.Pool {
  if (pool) return pool;
  pool = new pg.Pool({ connectionString: inject("services").databaseUrl, max: 1, allowExitOnIdle: true });
  pool.on("error", () => {});
  return pool;
}
