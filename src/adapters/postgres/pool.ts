/** Postgres in another process, over a pool of connections. */

import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";
import type { Log } from "../../core/ports/log.ts";
import { refuseInside, type OpenTransaction, type Sql, type SqlValue, type Statement } from "./sql.ts";
import { toStoreError } from "./store-error.ts";

export interface PostgresOptions {
  readonly url: string;
  /** Connections at most; default 10. */
  readonly connections?: number;
  /** How long to wait for a connection, ms; default 5,000. */
  readonly connectTimeoutMs?: number;
  /** How long a statement may run, ms; default 15,000. The answer may be late by a second, never more. */
  readonly statementTimeoutMs?: number;
  readonly log?: Log;
}

const INT8 = 20;

/**
 * Opens nothing by itself: the first query connects. A Postgres that goes away fails the queries that are under way, and
 * later ones connect anew; the process never ends by it.
 */
export function openPostgres(options: PostgresOptions): Sql {
  const statementTimeoutMs = options.statementTimeoutMs ?? 15_000;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    statement_timeout: statementTimeoutMs,
    // Ours as well: a server that is frozen or cut off says nothing, not even that the time is over.
    query_timeout: statementTimeoutMs + 1_000,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
    idleTimeoutMillis: 30_000,
    application_name: "bobbin",
    // Our statements find rows by key whatever the values are, and planning the large ones for each call took most of their
    // time. So a plan is made once, perhaps while tables are still empty and for a session of common length: it must neither
    // read a table as a whole nor all of a session to sort it.
    options: "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off",
    types: {
      getTypeParser: ((oid: number, format?: "text") =>
        oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  });
  // Without a listener the loss of an idle connection would end the process.
  pool.on("error", (error) => options.log?.warn("a database connection was lost", { error }));
  pool.on("connect", (client) => client.on("error", () => {}));
  const current: OpenTransaction = new AsyncLocalStorage();
  let closing: Promise<void> | undefined;
  return {
    async query<R extends object>(statement: Statement, values: readonly SqlValue[] = []) {
      refuseInside(current);
      return run<R>(pool, statement, values);
    },
    async transaction(body) {
      refuseInside(current);
      const client = await pool.connect().catch(rethrow);
      const scope = { open: true };
      let broken = false;
      try {
        await client.query("begin");
        const value = await current.run(scope, () => body(handleOf(client, scope)));
        await client.query("commit");
        return value;
      } catch (thrown) {
        await client.query("rollback").catch(() => (broken = true));
        throw toStoreError(thrown);
      } finally {
        scope.open = false;
        client.release(broken);
      }
    },
    close() {
      closing ??= pool.end();
      return closing;
    },
  };
}

function handleOf(client: pg.PoolClient, scope: { readonly open: boolean }): Sql {
  return {
    async query<R extends object>(statement: Statement, values: readonly SqlValue[] = []) {
      if (!scope.open) throw new Error("The transaction of this handle is over.");
      return run<R>(client, statement, values);
    },
    transaction: () => Promise.reject(new Error("A transaction inside a transaction.")),
    close: () => Promise.resolve(),
  };
}

async function run<R extends object>(
  on: pg.Pool | pg.PoolClient,
  statement: Statement,
  values: readonly SqlValue[],
): Promise<readonly R[]> {
  const config: pg.QueryConfig = { text: statement.text, values: [...values] };
  if (statement.name !== undefined) config.name = statement.name;
  const { rows } = await on.query<R>(config).catch(rethrow);
  return rows;
}

function rethrow(thrown: unknown): never {
  throw toStoreError(thrown);
}
