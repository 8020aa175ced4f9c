/**
 * PGlite as `Sql`: one connection, used by one caller at a time. Not through `pg.Pool`, which dies there at the first
 * SQL error. Whoever opens it holds the lock of its directory (`embedded.ts`).
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { PGlite, Results } from "@electric-sql/pglite";
import { refuseInside, type OpenTransaction, type Sql, type SqlValue, type Statement } from "./sql.ts";
import { toStoreError } from "./store-error.ts";

const INT8 = 20;
const parsers = { [INT8]: Number };

/** @param closed called after the database was closed, once. */
export function overPglite(database: PGlite, closed: () => Promise<void> = () => Promise.resolve()): Sql {
  const current: OpenTransaction = new AsyncLocalStorage();
  let last: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;
  const alone = <T>(body: () => Promise<T>): Promise<T> => {
    const next = last.then(body);
    last = next.catch(() => {});
    return next.catch(rethrow);
  };
  const run = async <R extends object>(
    statement: Statement,
    values: readonly SqlValue[],
  ): Promise<readonly R[]> => {
    const { rows }: Results<R> = await database.query<R>(statement.text, [...values], { parsers });
    return rows;
  };
  return {
    async query<R extends object>(statement: Statement, values: readonly SqlValue[] = []) {
      refuseInside(current);
      return alone(() => run<R>(statement, values));
    },
    async transaction(body) {
      refuseInside(current);
      return alone(async () => {
        const scope = { open: true };
        const handle: Sql = {
          async query<R extends object>(statement: Statement, values: readonly SqlValue[] = []) {
            if (!scope.open) throw new Error("The transaction of this handle is over.");
            return run<R>(statement, values).catch(rethrow);
          },
          transaction: () => Promise.reject(new Error("A transaction inside a transaction.")),
          close: () => Promise.resolve(),
        };
        try {
          await database.exec("begin");
          const value = await current.run(scope, () => body(handle));
          await database.exec("commit");
          return value;
        } catch (thrown) {
          await database.exec("rollback").catch(() => {});
          throw thrown;
        } finally {
          scope.open = false;
        }
      });
    },
    close() {
      closing ??= last.then(() => database.close()).then(closed);
      return closing;
    },
  };
}

function rethrow(thrown: unknown): never {
  throw toStoreError(thrown);
}
