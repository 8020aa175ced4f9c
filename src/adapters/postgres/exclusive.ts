/** One process at a time, over all that share a database: an advisory lock that goes with its transaction. */

import type { Sql } from "./sql.ts";

/** What one process does at a time, each by itself. Any numbers, but the same in every version: two run beside each other during a deploy. */
const LOCKS = { sweep: 7_246_822, overviews: 7_246_823, retention: 7_246_824 } as const;

export type Exclusive = keyof typeof LOCKS;

const TRY = { name: "exclusive-try", text: "select pg_try_advisory_xact_lock($1::bigint) as taken" };

/**
 * Calls `body` unless another process is in one of the same; resolves after it either way. The lock is bound to a transaction and not
 * to a connection, so it also holds behind a pooler, and goes with a process that dies.
 *
 * Not for an embedded database: its one connection would belong to the lock, and `body` would wait for it for ever.
 */
export async function exclusively(
  sql: Sql,
  body: () => Promise<void>,
  what: Exclusive = "sweep",
): Promise<void> {
  const tried = Promise.withResolvers<boolean>();
  const done = Promise.withResolvers<void>();
  const held = sql.transaction(async (tx) => {
    const [row] = await tx.query<{ taken: boolean }>(TRY, [LOCKS[what]]);
    tried.resolve(row?.taken === true);
    if (row?.taken === true) await done.promise;
  });
  held.catch(tried.reject);
  try {
    // Here and not in the transaction: `body` uses the database by its own handles.
    if (await tried.promise) await body();
  } finally {
    done.resolve();
    await held;
  }
}
