/** Statements that write for an attempt: they take the session's row, and one that did not is told why. */

import { BobbinError } from "../../core/errors.ts";
import type { Fence } from "../../core/ports/run-store.ts";
import type { Frozen } from "../../core/round.ts";
import { isStopped } from "./ledger-sql.ts";
import { snapshotRetry } from "./snapshot-retry.ts";
import type { Sql } from "./sql.ts";

/**
 * SQL: the CTE that takes the session's row for an attempt, and all conditions of it: session $1, fence $2, run $3. What it reads
 * beside the row is of one snapshot (see `snapshot-retry`). It gives `base` (the last seq before), `epoch`, `stop_seq`, `stopped`.
 */
export const holding = (of: {
  readonly adds: string;
  /** Where the parameters of `frozenValues` begin; absent where none are given. */
  readonly freezes?: number | undefined;
  /** Where the parameter of `gaugeValues` stands; absent where none is given. */
  readonly gauges?: number | undefined;
  /** SQL of further columns of the session that change with it. */
  readonly also?: string | undefined;
  readonly when: string;
  readonly gives: string;
}): string => `held as (
  update sessions s set rev = s.rev + 1, last_seq = s.last_seq + ${of.adds}, touched_at = now_ms()${
    of.freezes === undefined ? "" : freezing(of.freezes)
  }${of.gauges === undefined ? "" : `, gauge = $${of.gauges}::jsonb`}${of.also === undefined ? "" : `, ${of.also}`}
  from sessions w, runs r
  where s.id = $1 and s.fence = $2::bigint and w.id = $1 and s.rev = w.rev and r.id = $3 and r.session = $1
    and r.reply = 'open' and ${of.when}
  returning w.last_seq as base, r.epoch, w.stop_seq, ${isStopped("w", "r")} as stopped, ${of.gives})`;

/** Where somebody asked for new ones since the attempt claimed the session, what it began with is not kept for the next run. */
const freezing = (first: number): string => `,
    frozen_epoch = case when s.reload_fence >= $2 then null else r.epoch end, prompt_hash = $${first}::text, tools_hash = $${first + 1}::text`;

export const frozenValues = (frozen: Frozen | undefined): readonly string[] =>
  frozen === undefined ? [] : [frozen.prompt.hash, frozen.tools.hash];

/** Why a row was not taken. */
const WHY = {
  name: "why-not-held",
  text: `
select s.fence, r.reply = 'open' as open, r.rounds, ${isStopped("s", "r")} as stopped
from sessions s left join runs r on r.id = $2 and r.session = s.id where s.id = $1`,
};

interface Taking {
  readonly fence: Fence;
  readonly round: number | undefined;
}

type Take<R> = (joins: boolean) => Promise<readonly R[]>;

/**
 * Runs a statement that takes the session's row until it does, and answers its row.
 * @param of.round the round that the statement stores, if any; it has to follow the stored ones.
 * @param query answers no row where nothing was taken: told whether to take in who waits. At first it only looks whether someone
 * does, since mostly nobody does; and what it has found stale it begins anew.
 * @param of.unlessStopped the statement takes nothing of a run that was stopped; that is then the answer.
 * @throws BobbinError `stale_fence` when another attempt is newer, or the run has ended.
 */
export async function takeHeld<R extends object>(sql: Sql, of: Taking, query: Take<R>): Promise<R>;
export async function takeHeld<R extends object>(
  sql: Sql,
  of: Taking & { readonly unlessStopped: boolean },
  query: Take<R>,
): Promise<R | "stopped">;
export async function takeHeld<R extends object>(
  sql: Sql,
  of: Taking & { readonly unlessStopped?: boolean },
  query: Take<R>,
): Promise<R | "stopped"> {
  const { fence, round } = of;
  let joins = false;
  return snapshotRetry<R | "stopped">(async () => {
    const [row] = await query(joins);
    if (row !== undefined) return row;
    const [why] = await sql.query<WhyRow>(WHY, [fence.session, fence.run]);
    if (why?.fence !== fence.number || why.open !== true) throw staleFence(fence);
    if (round !== undefined && why.rounds !== round - 1) {
      throw new BobbinError("panic", "a round does not follow the stored ones", {
        facts: { run: fence.run, round, stored: why.rounds ?? -1 },
      });
    }
    if (of.unlessStopped === true && why.stopped === true) return "stopped";
    // Someone waits, or the row was contested; that statement is right in both cases.
    joins = true;
    return "stale";
  });
}

interface WhyRow {
  readonly fence: number;
  /** Whether the run is unfinished; null when there is no such run. */
  readonly open: boolean | null;
  readonly rounds: number | null;
  readonly stopped: boolean | null;
}

export function staleFence(fence: Fence): BobbinError {
  return new BobbinError("stale_fence", "another attempt has taken over this run", {
    facts: { session: fence.session, run: fence.run, fence: fence.number },
  });
}
