/**
 * Brings a database to today's schema. Any number of processes may do so at once: node-pg-migrate's advisory lock is
 * waited for, and it covers the making of its own table. A newer schema than ours is left as it is. Who is cut off between two
 * migrations leaves those that are done, and whoever comes next goes on behind them.
 */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { runner } from "node-pg-migrate";
import pg from "pg";
import type { Log } from "../../core/ports/log.ts";
import { toStoreError } from "./store-error.ts";

const FOLDER = join(import.meta.dirname, "migrations");

/** Names of what makes the schema that this version works with. */
export async function schemaOfThisVersion(): Promise<readonly string[]> {
  return (await readdir(FOLDER)).map((file) => file.replace(/\.sql$/, "")).toSorted();
}

/** @throws BobbinError `store_unavailable` when there is no answer. */
export async function migrate(url: string, log?: Log): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    application_name: "bobbin migrate",
  });
  client.on("error", () => {});
  try {
    await client.connect();
    await run(client, log);
  } catch (thrown) {
    throw toStoreError(thrown);
  } finally {
    await client.end().catch(() => {});
  }
}

/** The same over the one connection of an embedded database that nobody else uses yet. */
export async function migrateEmbedded(database: PGlite, log?: Log): Promise<void> {
  // The runner asks a client for nothing but `query`, and gives many statements in one text.
  const client = {
    query: async (query: string | { text: string }) => {
      const results = await database.exec(typeof query === "string" ? query : query.text);
      return { rows: results.at(-1)?.rows ?? [] };
    },
  };
  try {
    await run(client as unknown as pg.ClientBase, log);
  } catch (thrown) {
    throw toStoreError(thrown);
  }
}

async function run(client: pg.ClientBase, log: Log | undefined): Promise<void> {
  const say = (message: string): void => log?.debug("migration", { message });
  const ran = await runner({
    dbClient: client,
    dir: FOLDER,
    migrationsTable: "migrations",
    direction: "up",
    // Each is one of its own: what locks one table is not held while an index of another one is built.
    singleTransaction: false,
    // A migration that came in late with a lower number is run all the same, and the version before is not stopped by it.
    checkOrder: false,
    advisoryLockMode: "wait",
    logger: { debug: say, info: say, warn: say, error: say },
  });
  for (const { name } of ran) log?.info("a migration was applied", { name });
}
