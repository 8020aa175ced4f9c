/** The store: Postgres where a URL is set, else the embedded one in its folder; migrated, and guarded against a second process. */

import { openEmbedded } from "../adapters/postgres/embedded.ts";
import { claimProcess } from "../adapters/postgres/heartbeat.ts";
import { exclusively, type Exclusive } from "../adapters/postgres/exclusive.ts";
import { migrate } from "../adapters/postgres/migrate.ts";
import { openPostgres } from "../adapters/postgres/pool.ts";
import { watchDisk, type WatchedSql } from "../adapters/postgres/full-disk.ts";
import type { Sql } from "../adapters/postgres/sql.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import { BobbinError } from "../core/errors.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import { checkPostgres } from "./postgres-check.ts";
import { untilThere } from "./until-there.ts";
import { createWarmth } from "./warmth.ts";

export interface Database {
  readonly sql: Sql;
  /** Aborts when another process has taken the database over; only without Redis. */
  readonly takenOver?: AbortSignal;
  /** Calls `body` unless another process that shares the database is in one of the same just now. Default the sweep. */
  exclusive(body: () => Promise<void>, what?: Exclusive): Promise<void>;
  /** One sentence on what is missing, or nothing. */
  check(): Promise<string | undefined>;
  /**
   * Does `work`, which changes nothing, on each of the connections that stay, and again when others take their place. What fails is left
   * to those who need it.
   */
  warm(work: () => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

/** Internal: shorter in tests. */
export interface DatabaseTimes {
  readonly connectTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
  readonly connectionLifeMs?: number;
}

const ALIVE = { name: "alive", text: "select 1 as alive" };
/**
 * Beside the runs there are the web chat and the sweeper; a run needs a connection only for its short statements. With more than these a
 * process that takes up fifty runs of another at once spends its time on opening them and on planning there what the others have planned.
 */
const CONNECTIONS = 12;
/** One that is opened anew plans each statement when it first meets it: some tens of ms that the next message would wait for. */
const KEPT = 6;

/** Waits for a Postgres that is not there yet. @throws BobbinError for what waiting cannot change. */
export async function openDatabase(
  deps: { readonly clock: Clock; readonly log: Log },
  settings: Pick<Settings, "databaseUrl" | "redisUrl" | "dataDir">,
  signal: AbortSignal,
  { connectTimeoutMs, statementTimeoutMs, connectionLifeMs }: DatabaseTimes = {},
): Promise<Database> {
  const { databaseUrl, redisUrl, dataDir } = settings;
  const { clock, log } = deps;
  if (databaseUrl === undefined) {
    const watched = watchDisk(await openEmbedded({ directory: dataDir, log }), clock);
    const { sql } = watched;
    return { sql, exclusive: alone, check: () => check(watched), warm: once, close: () => sql.close() };
  }
  await untilThere("Postgres", () => preparePostgres(databaseUrl, log), deps, signal);
  const { warm, again } = createWarmth(KEPT);
  const postgres = openPostgres({
    url: databaseUrl,
    connections: CONNECTIONS,
    kept: KEPT,
    fewer: again,
    log,
    ...(connectionLifeMs === undefined ? {} : { lifeMs: connectionLifeMs }),
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
    ...(statementTimeoutMs === undefined ? {} : { statementTimeoutMs }),
  });
  const watched = watchDisk(postgres, clock);
  const { sql } = watched;
  if (redisUrl !== undefined) {
    const exclusive: Database["exclusive"] = (body, what) => exclusively({ sql, clock }, body, what);
    return { sql, exclusive, check: () => check(watched), warm, close: () => sql.close() };
  }
  try {
    const heartbeat = await claimProcess({ sql, clock, log });
    const close = async (): Promise<void> => {
      await heartbeat.release();
      await sql.close();
    };
    return { sql, exclusive: alone, takenOver: heartbeat.signal, check: () => check(watched), warm, close };
  } catch (error) {
    await sql.close();
    throw error;
  }
}

/** Where the guard against a second process makes this the only one. */
function alone(body: () => Promise<void>): Promise<void> {
  return body();
}

/**
 * Brings a Postgres to today's schema.
 * @throws BobbinError `store_unavailable` with a sentence for an operator; retryable when it only is not there yet.
 */
export async function preparePostgres(url: string, log: Log): Promise<void> {
  await expectFit(url);
  await migrate(url, log);
}

/** @throws BobbinError `store_unavailable` with a sentence for an operator where it is no Postgres for us; retryable when it only is not there yet. */
export async function expectFit(url: string): Promise<void> {
  const found = await checkPostgres(url);
  if (found.kind === "fit") return;
  throw new BobbinError("store_unavailable", `${found.sentence} ${found.fix}`, {
    retryable: found.kind === "unreachable",
  });
}

async function once(work: () => Promise<unknown>): Promise<void> {
  await Promise.allSettled([work()]);
}

async function check(database: WatchedSql): Promise<string | undefined> {
  await database.sql.query(ALIVE);
  return database.check();
}
