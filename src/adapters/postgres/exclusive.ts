/** One process at a time, over all that share a database: an advisory lock that goes with its transaction. */

import { pause } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Sql } from "./sql.ts";

/** What one process does at a time, each by itself. Any numbers, but the same in every version: two run beside each other during a deploy. */
const LOCKS = { sweep: 7_246_822, overviews: 7_246_823, retention: 7_246_824 } as const;

export type Exclusive = keyof typeof LOCKS;

const TRY = { name: "exclusive-try", text: "select pg_try_advisory_xact_lock($1::bigint) as taken" };

/** A transaction in which nothing happens is ended after 15 s, so that a process which stands still locks nobody out. */
const BEAT_MS = 5_000;
const BEAT = { name: "exclusive-beat", text: "select 1 as held" };

/**
 * Calls `body` unless another process is in one of the same; resolves after it either way. The lock is bound to a transaction and not
 * to a connection, so it also holds behind a pooler, and goes with a process that dies. Where it is lost meanwhile another process may
 * begin the same beside this one, and the call ends as `body` does.
 *
 * Not for an embedded database: its one connection would belong to the lock, and `body` would wait for it for ever.
 */
export async function exclusively(
  { sql, clock }: { readonly sql: Sql; readonly clock: Clock },
  body: () => Promise<void>,
  what: Exclusive = "sweep",
): Promise<void> {
  const tried = Promise.withResolvers<boolean>();
  const done = new AbortController();
  const held = sql.transaction(async (tx) => {
    const [row] = await tx.query<{ taken: boolean }>(TRY, [LOCKS[what]]);
    tried.resolve(row?.taken === true);
    if (row?.taken !== true) return;
    while (await pause(clock, BEAT_MS, done.signal)) await tx.query(BEAT);
  });
  held.catch(tried.reject);
  try {
    // Here and not in the transaction: `body` uses the database by its own handles.
    if (await tried.promise) await body();
  } finally {
    done.abort();
    await held.catch(() => {});
  }
}
