/** The history that a claim gives: the newest entries of the epoch, from a user turn on. */

import type { Entry } from "../../core/entry.ts";
import type { SessionId } from "../../core/thread.ts";
import { ENTRY_JSON, toEntry, type EntryRow } from "./entry-row.ts";
import type { Sql } from "./sql.ts";

export interface TailRow {
  /** The newest entries as they stood before the claim, in any order. */
  readonly history: readonly EntryRow[] | null;
  /** What the claim itself stored, in any order. */
  readonly added: readonly EntryRow[] | null;
}

/**
 * SQL: CTE of the newest entries in the epoch of `scope`. The limit is a part of the text: a planner that does not know it takes
 * a long session for one that is better read as a whole.
 */
export const newest = (scope: string, limit: number): string => `newest as (
  select e.seq, e.epoch, e.run, e.round, e.body from entries e
  where e.session = $1 and e.epoch = (select epoch from ${scope}) order by e.seq desc limit ${limit})`;

/** SQL: the rows of `e` in any order; to sort them here costs nothing, there it was a fifth of what reading them costs. */
export const TAIL = `json_agg(${ENTRY_JSON})`;

/** Everything from the last user turn before a seq, or from the first entry where there is none. */
const OLDER = {
  name: "open-older",
  text: `
select ${TAIL} as older from entries e
where e.session = $1 and e.epoch = $2::integer and e.seq < $3::bigint and e.seq >= coalesce((
  select u.seq from entries u
  where u.session = $1 and u.epoch = $2 and u.seq < $3 and u.kind = 'user' order by u.seq desc limit 1), 0)`,
};

/**
 * At most `limit` entries, beyond what is needed to begin at a user turn. What that takes beyond the rows given is read by
 * itself: whoever holds the session is the only one who writes to its history.
 */
export async function tailOf(
  sql: Sql,
  of: { readonly session: SessionId; readonly epoch: number },
  row: TailRow,
  limit: number,
): Promise<readonly Entry[]> {
  const history = sorted(row.history);
  const added = sorted(row.added);
  const room = Math.max(1, limit - added.length);
  if (history.length < room) return [...history, ...added];
  const first = history.length - room;
  let border = history.findIndex(({ body }, index) => index >= first && body.kind === "user");
  if (border < 0) border = history.findLastIndex(({ body }) => body.kind === "user");
  if (border >= 0) return [...history.slice(border), ...added];
  const before = history[0]?.seq ?? 0;
  const [found] = await sql.query<{ older: readonly EntryRow[] | null }>(OLDER, [
    of.session,
    of.epoch,
    before,
  ]);
  return [...sorted(found?.older ?? null), ...history, ...added];
}

export function sorted(rows: readonly EntryRow[] | null): readonly Entry[] {
  return (rows ?? []).map(toEntry).sort((a, b) => a.seq - b.seq);
}
