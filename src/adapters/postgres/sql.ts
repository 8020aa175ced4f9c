/**
 * A SQL database as our stores use it: Postgres 15 or newer, in another process (`pool.ts`) or in this one (`pglite.ts`).
 *
 * Contract, the same for both (see the suite): bigint columns come back as numbers, json and jsonb as parsed values; a
 * statement that fails changes nothing and the next one works; a transaction that throws is rolled back and the error
 * passes through. Connection trouble rejects with `store_unavailable`, a full disk with `store_full`, both retryable; what
 * the database says about the statement itself passes through with its SQLSTATE in `code`.
 */

import type { AsyncLocalStorage } from "node:async_hooks";

/** Constant text. A named one is prepared once per connection; one name always has the same text. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
}

/**
 * No arrays and no objects: drivers disagree on whether an array is a Postgres array or JSON. JSON goes in as its text
 * and is cast in the statement.
 */
export type SqlValue = string | number | boolean | null;

export interface Sql {
  /** One statement, whose rows it resolves to. The type of a row is the statement's promise and is not checked. */
  query<R extends object>(statement: Statement, values?: readonly SqlValue[]): Promise<readonly R[]>;
  /**
   * Runs the body in one transaction. Inside it only the given handle is to be used: a query on any other handle of the
   * same database rejects at once, since with one connection it would wait for itself for ever.
   */
  transaction<T>(body: (tx: Sql) => Promise<T>): Promise<T>;
  /** Waits for what runs, then ends the connections. May be called twice. */
  close(): Promise<void>;
}

/** The transaction that the current asynchronous call belongs to, if any. */
export type OpenTransaction = AsyncLocalStorage<{ open: boolean }>;

/** @throws when the caller is inside a transaction of the database whose outer handle it uses. */
export function refuseInside(current: OpenTransaction): void {
  if (current.getStore()?.open === true) {
    throw new Error(
      "A query beside an open transaction: inside a transaction only its own handle may be used.",
    );
  }
}
