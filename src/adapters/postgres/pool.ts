/** Postgres in another process, over a pool of connections. */

import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";
import { BobbinError } from "../../core/errors.ts";
import type { Log } from "../../core/ports/log.ts";
import { refuseInside, type OpenTransaction, type Sql, type SqlValue, type Statement } from "./sql.ts";
import { toStoreError } from "./store-error.ts";

export interface PostgresOptions {
  readonly url: string;
  /** Connections at most; default 10. */
  readonly connections?: number;
  /** Connections that stay open while nothing happens; default 0. */
  readonly kept?: number;
  /** How long a connection is used, ms; default 10 minutes. It is closed then, once nothing uses it. */
  readonly lifeMs?: number;
  /** Called when fewer than `kept` are open, because one was old or was lost. */
  readonly fewer?: () => void;
  /** How long to wait for a connection, ms; default 5,000. */
  readonly connectTimeoutMs?: number;
  /** How long a statement may run, ms; default 15,000. The answer may be late by a second, never more. */
  readonly statementTimeoutMs?: number;
  readonly log?: Log;
}

const INT8 = 20;
/**
 * Postgres keeps what it planned for a connection as long as that is open: a quarter of a megabyte for each of the large statements, of which
 * there is one for each shape of a round and of an end. One that lived as long as its process would come to hold them all.
 */
const LIFE_MS = 600_000;
/** Where a machine or a firewall between forgot a connection, the system's own first question would come after two hours. */
const KEEP_ALIVE_MS = 10_000;

/**
 * Our statements find rows by key whatever the values are, and planning the large ones for each call took most of their time. So
 * a plan is made once, perhaps while tables are still empty and for a session of common length: it must neither read a table as
 * a whole nor all of a session to sort it. What is switched off so costs so much on paper that Postgres would compile those few that
 * cannot do without: 0.7 s each time.
 */
export const PLANNING =
  "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off -c jit=off";

/**
 * Opens nothing by itself: the first query connects. A Postgres that goes away fails the queries that are under way, and
 * later ones connect anew; the process never ends by it. One that says nothing any more fails them when their time is over,
 * and the connections of that time are not used again: each of them would cost as long to find out.
 */
export function openPostgres(options: PostgresOptions): Sql {
  const openPool = (): pg.Pool => {
    const opened = newPool(options);
    opened.on("remove", () => {
      if (pool === opened && closing === undefined && opened.totalCount < (options.kept ?? 0))
        options.fewer?.();
    });
    return opened;
  };
  let closing: Promise<void> | undefined;
  let pool = openPool();
  const current: OpenTransaction = new AsyncLocalStorage();
  /** Those that were left, until their last query has ended. */
  const leaving = new Set<Promise<void>>();

  const leave = (left: pg.Pool): void => {
    if (pool !== left || closing !== undefined) return;
    options.log?.warn("Postgres did not answer in time; its connections are made anew");
    pool = openPool();
    const ended = left.end().finally(() => leaving.delete(ended));
    leaving.add(ended);
  };
  /** Runs on today's pool. */
  const using = async <T>(work: (on: pg.Pool) => Promise<T>): Promise<T> => {
    const on = pool;
    try {
      return await work(on);
    } catch (thrown) {
      if (isSilence(thrown)) leave(on);
      throw toStoreError(thrown);
    }
  };
  return {
    async query<R extends object>(statement: Statement, values: readonly SqlValue[] = []) {
      refuseInside(current);
      return using((on) => run<R>(on, statement, values));
    },
    async transaction(body) {
      refuseInside(current);
      return using(async (on) => {
        const client = await on.connect();
        const scope = { open: true };
        let broken = false;
        try {
          await client.query("begin");
          const value = await current.run(scope, () => body(handleOf(client, scope)));
          await client.query("commit");
          return value;
        } catch (thrown) {
          // Who said nothing to the last question will not hear the next one; it would only cost its time as well.
          if (isSilence(thrown)) broken = true;
          else await client.query("rollback").catch(() => (broken = true));
          throw thrown;
        } finally {
          scope.open = false;
          client.release(broken);
        }
      });
    },
    close() {
      closing ??= Promise.all([pool.end(), ...leaving]).then(() => {});
      return closing;
    },
  };
}

/** The driver's own limit: the server has not even said that the time is over. */
function isSilence(thrown: unknown): boolean {
  const error = thrown instanceof BobbinError ? thrown.cause : thrown;
  return error instanceof Error && /query read timeout/i.test(error.message);
}

function newPool(options: PostgresOptions): pg.Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? 15_000;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connections ?? 10,
    min: options.kept ?? 0,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    statement_timeout: statementTimeoutMs,
    // Ours as well: a server that is frozen or cut off says nothing, not even that the time is over.
    query_timeout: statementTimeoutMs + 1_000,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: (options.lifeMs ?? LIFE_MS) / 1000,
    application_name: "bobbin",
    options: PLANNING,
    types: {
      getTypeParser: ((oid: number, format?: "text") =>
        oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  });
  // Without a listener the loss of an idle connection would end the process.
  pool.on("error", (error) => options.log?.warn("a database connection was lost", { error }));
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

function handleOf(client: pg.PoolClient, scope: { readonly open: boolean }): Sql {
  return {
    async query<R extends object>(statement: Statement, values: readonly SqlValue[] = []) {
      if (!scope.open) throw new Error("The transaction of this handle is over.");
      return run<R>(client, statement, values).catch(rethrow);
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
  const { rows } = await on.query<R>(config);
  return rows;
}

function rethrow(thrown: unknown): never {
  throw toStoreError(thrown);
}
