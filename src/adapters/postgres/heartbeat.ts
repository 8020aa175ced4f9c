/**
 * Without Redis nothing keeps two processes on one database apart: queue, locks and stops of each live in its own memory. So
 * an all-in-one process claims the row `all-in-one` and renews it, and a second one refuses to start.
 */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { BobbinError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Sql } from "./sql.ts";

export interface HeartbeatOptions {
  /** Renewed this often, ms; default 5,000. */
  readonly everyMs?: number;
  /** A row that was not renewed for so long may be taken over, ms; default 20,000. */
  readonly staleMs?: number;
}

export interface Heartbeat {
  /** Aborts when another process has taken the row over: this one has to stop its work. */
  readonly signal: AbortSignal;
  /** Stops renewing and gives the row free. May be called twice; never throws. */
  release(): Promise<void>;
}

const CLAIM = {
  name: "heartbeat-claim",
  text: `
with claimed as (
  insert into processes as p (name, holder, host, pid, renewed_at) values ('all-in-one', $1, $2, $3::integer, now_ms())
  on conflict (name) do update set holder = excluded.holder, host = excluded.host, pid = excluded.pid,
    renewed_at = excluded.renewed_at
  where p.renewed_at <= now_ms() - $4::bigint or p.holder = $5::text
  returning holder)
select exists (select from claimed) as claimed, p.holder, p.host, p.pid
from (values (1)) as one left join processes p on p.name = 'all-in-one'`,
};

interface ClaimRow {
  readonly claimed: boolean;
  /** Who held it before; null when nobody did. */
  readonly holder: string | null;
  readonly host: string | null;
  readonly pid: number | null;
}

const RENEW = {
  name: "heartbeat-renew",
  text: `update processes set renewed_at = now_ms() where name = 'all-in-one' and holder = $1 returning holder`,
};

const RELEASE = {
  name: "heartbeat-release",
  text: `delete from processes where name = 'all-in-one' and holder = $1`,
};

/** Those of this process: an equal pid with another holder was a process before us (a restarted container). */
const holders = new Set<string>();

/** @throws BobbinError `lock_failed`, whose message says who holds it and what to do. */
export async function claimProcess(
  deps: { readonly sql: Sql; readonly clock: Clock; readonly log: Log },
  options: HeartbeatOptions = {},
): Promise<Heartbeat> {
  const { sql, clock, log } = deps;
  const everyMs = options.everyMs ?? 5_000;
  const staleMs = options.staleMs ?? 20_000;
  const holder = randomUUID();
  const claim = async (dead: string): Promise<ClaimRow | undefined> =>
    (await sql.query<ClaimRow>(CLAIM, [holder, hostname(), process.pid, staleMs, dead]))[0];
  // Before the claim: between its commit and our reading of it, another claim of this process must not take us for dead.
  holders.add(holder);
  let row: ClaimRow | undefined;
  try {
    row = await claim("");
    if (row?.claimed === false && hasDied(row)) row = await claim(row.holder ?? "");
  } finally {
    if (row?.claimed !== true) holders.delete(holder);
  }
  if (row?.claimed !== true) {
    throw new BobbinError(
      "lock_failed",
      `Another Bobbin (process ${row?.pid ?? "unknown"} on ${row?.host ?? "an unknown host"}) uses this database without ` +
        `Redis. Stop it, or set REDIS_URL for both. If it has crashed, try again in ${Math.ceil(staleMs / 1_000)} seconds.`,
      { facts: { pid: row?.pid ?? 0, host: row?.host ?? "" } },
    );
  }
  const lost = new AbortController();
  let cancel: () => void = () => {};
  let beating: Promise<void> = Promise.resolve();
  let released: Promise<void> | undefined;
  const beat = async (): Promise<void> => {
    try {
      const rows = await sql.query(RENEW, [holder]);
      if (rows.length === 0) lost.abort(new Error("another process has taken over this database"));
    } catch (error) {
      log.warn("the heartbeat could not be written", { error });
    }
    if (released === undefined && !lost.signal.aborted) schedule();
  };
  const schedule = (): void => {
    cancel = clock.after(everyMs, () => {
      beating = beat();
    });
  };
  schedule();
  return {
    signal: lost.signal,
    release() {
      cancel();
      holders.delete(holder);
      released ??= beating
        .then(() => sql.query(RELEASE, [holder]))
        .then(
          () => {},
          (error: unknown) => log.warn("the heartbeat could not be given free", { error }),
        );
      return released;
    },
  };
}

/** Whether the holder was a process of this machine that is certainly gone, so that a restart need not wait. */
function hasDied({ holder, host, pid }: ClaimRow): boolean {
  if (holder === null || pid === null || host !== hostname() || holders.has(holder)) return false;
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
