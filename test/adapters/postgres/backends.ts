// The two databases that every suite here runs over.
import { afterAll, beforeAll } from "vitest";
import { overPglite } from "../../../src/adapters/postgres/pglite.ts";
import { openPostgres } from "../../../src/adapters/postgres/pool.ts";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import { embeddedInMemory } from "../../support/services/embedded.ts";
import { freshDatabase, type FreshDatabase } from "../../support/services/postgres.ts";

export interface Backend {
  readonly name: string;
  /** One database for the whole file: cases keep to sessions of their own. */
  sql(): Sql;
}

/** Registers the hooks that open and close it. */
export function postgresBackend(): Backend {
  let database: FreshDatabase | undefined;
  let sql: Sql | undefined;
  beforeAll(async () => {
    database = await freshDatabase();
    sql = openPostgres({ url: database.url });
  });
  afterAll(async () => {
    await sql?.close();
    await database?.[Symbol.asyncDispose]();
  });
  return { name: "Postgres", sql: () => opened(sql) };
}

/** The first instance of a process takes seconds and half a gigabyte: one for each file. */
export function pgliteBackend(): Backend {
  let sql: Sql | undefined;
  beforeAll(async () => {
    sql = overPglite(await embeddedInMemory());
  });
  afterAll(() => sql?.close());
  return { name: "PGlite", sql: () => opened(sql) };
}

function opened(sql: Sql | undefined): Sql {
  if (sql === undefined) throw new Error("the database is opened before the first test");
  return sql;
}

/** A subject for `runContract` that lives as long as the file. */
export function shared<S>(subject: () => S): () => { subject: S; close(): Promise<void> } {
  return () => ({ subject: subject(), close: () => Promise.resolve() });
}
