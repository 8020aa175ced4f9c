/** Notices that the database's disk is full, from what its statements are told: a look that only reads would find nothing wrong. */

import { BobbinError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Sql, Statement } from "./sql.ts";

export interface WatchedSql {
  readonly sql: Sql;
  /** One sentence while there is no room. */
  check(): string | undefined;
}

/** What was refused is soon tried again, by the platform, the browser or the sweeper; who hears nothing for so long may hope, ms. */
const REMEMBERED_MS = 60_000;

/** There is room again when a statement succeeds that was refused, or when none was refused for a minute. */
export function watchDisk(sql: Sql, clock: Pick<Clock, "ticks">): WatchedSql {
  /** Statements by name (or text), with the ticks at which they were refused. */
  const refused = new Map<string, number>();

  async function watched<T>(statement: Statement, work: Promise<T>): Promise<T> {
    const name = statement.name ?? statement.text;
    try {
      const result = await work;
      // Whatever else was refused is not tried again as soon as this one, and would say "full" for a minute yet.
      if (refused.has(name)) refused.clear();
      return result;
    } catch (error) {
      if (error instanceof BobbinError && error.code === "store_full") refused.set(name, clock.ticks());
      throw error;
    }
  }

  const over = (inner: Sql): Sql => ({
    query: (statement, values) => watched(statement, inner.query(statement, values)),
    transaction: (body) => inner.transaction((tx) => body(over(tx))),
    close: () => inner.close(),
  });

  return {
    sql: over(sql),
    check() {
      const since = clock.ticks() - REMEMBERED_MS;
      for (const [name, at] of refused) if (at < since) refused.delete(name);
      return refused.size === 0
        ? undefined
        : "Its disk is full: nothing new can be stored until there is room.";
    },
  };
}
