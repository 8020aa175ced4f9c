/** The end of a run: outcome, fates and `reply = settling` in one statement; or what came in meanwhile joins and it goes on. */

import type { Ended, Fence, RunEnding } from "../../core/ports/run-store.ts";
import { cleanText } from "../../core/text.ts";
import { ENTRY_JSON, toEntry, type EntryRow } from "./entry-row.ts";
import { judgeHeld, type HeldRow } from "./fenced.ts";
import { isDropped, JOINED, noteEntry, STORED, USER_ENTRY, WAS, WITH_JOINED } from "./ledger-sql.ts";
import { roundValues, STORE_CALLS } from "./round-values.ts";
import { snapshotRetry } from "./snapshot-retry.ts";
import type { Sql } from "./sql.ts";

interface EndRow extends HeldRow {
  readonly goesOn: boolean;
  readonly stored: readonly EntryRow[] | null;
  readonly steered: readonly EntryRow[] | null;
}

/**
 * $4: the last round, or null. $5: whether that is complete. $10: how many entries it has. $11 to $13: reason, error code and
 * message. $14: the note's text, or null. $15: who waits may join. Values $6 to $9: see `round-values`.
 */
const END = {
  name: "end-run",
  text: `
with ${WAS},
waiting as materialized (
  select count(*) as n from inbox i, was
  where i.session = $1 and i.state = 'waiting' and i.kind = 'message' and i.seq > was.stop_seq),
going as materialized (
  select $15::boolean and $11::text = 'stop' and not was.stopped and waiting.n > 0 as on from was, waiting),
held as (
  update sessions s set rev = s.rev + 1, last_seq = s.last_seq + $10::integer + waiting.n + 1, touched_at = now_ms()
  from was, waiting, going
  where s.id = $1 and s.fence = $2::bigint and s.rev = was.rev and was.open
    and ($4::integer is null or was.rounds = $4 - 1)
  returning was.last_seq as base, was.epoch, was.stop_seq, going.on as goes_on,
    case when $5::boolean then $4 else was.rounds end as rounds),
sorted as (
  update inbox i set
    state = case when i.state = 'waiting' and i.seq > h.stop_seq then 'admitted' else 'done' end,
    fate = case when i.state = 'waiting' then case when i.seq < h.stop_seq then 'cancelled' end
      when $11 in ('stop', 'waiting') then case when i.joined then 'steered' else 'answered' end
      when $11 = 'cancelled' then 'cancelled' else 'failed' end,
    reason = case when i.state = 'waiting' then case when i.seq < h.stop_seq then 'stop' end
      when $11 not in ('stop', 'waiting') then coalesce($12::text, $11) end,
    done_at = case when i.state = 'waiting' and i.seq > h.stop_seq then null else now_ms() end,
    run = case when i.state = 'waiting' and i.seq < h.stop_seq then null else $3 end,
    joined = i.joined or (i.state = 'waiting' and i.seq > h.stop_seq)
  from held h
  where i.session = $1 and (
    (i.state = 'waiting' and (${isDropped("h")} or (h.goes_on and i.kind = 'message')))
    or (i.state = 'admitted' and i.run = $3 and not h.goes_on))
  returning i.seq, i.id, i.at, i.state, i.body),
${JOINED},
${STORED},
after as (
  insert into entries (session, epoch, seq, run, round, kind, body, inbound)
  select $1, h.epoch, h.base + $10 + m.n, $3, h.rounds, 'user', ${USER_ENTRY}, m.id
  from held h, joined m
  union all
  select $1, h.epoch, h.base + $10 + 1, $3, h.rounds, 'note', ${noteEntry("$14::text")}, null
  from held h where not h.goes_on and $14 is not null
  returning seq, epoch, run, round, body),
run as (
  update runs r set
    rounds = h.rounds,
    safe_fence = case when h.rounds > r.rounds or not h.goes_on then $2 else r.safe_fence end,
    ${WITH_JOINED},
    reason = case when not h.goes_on then $11 end,
    error_code = case when not h.goes_on then $12 end,
    error_message = case when not h.goes_on then $13::text end,
    ended_at = case when not h.goes_on then now_ms() end,
    reply = case when h.goes_on then 'open' else 'settling' end
  from held h where r.id = $3),
${STORE_CALLS}
select was.fence, was.open, was.rounds, exists (select from held) as held, going.on as "goesOn",
  (select json_agg(${ENTRY_JSON} order by e.seq) from stored e) as stored,
  (select json_agg(${ENTRY_JSON} order by e.seq) from after e) as steered
from was, going`,
};

export async function endRun(
  sql: Sql,
  fence: Fence,
  ending: RunEnding,
  isStored: (hash: string) => boolean,
): Promise<Ended> {
  const { round, error, note } = ending;
  const calls = [...(round?.modelCalls ?? []), ...ending.modelCalls];
  const values = [
    fence.session,
    fence.number,
    fence.run,
    round?.round ?? null,
    round?.state === "complete",
    ...roundValues(round, calls, isStored),
    round?.entries.length ?? 0,
    ending.reason,
    error?.code ?? null,
    error === undefined ? null : cleanText(error.message),
    note === undefined ? null : cleanText(note),
    ending.isLast !== true,
  ];
  const row = await snapshotRetry(async () => {
    const [found] = await sql.query<EndRow>(END, values);
    return judgeHeld(found, fence, round?.round);
  });
  if (!row.goesOn) return { kind: "ended" };
  return {
    kind: "steered",
    stored: (row.stored ?? []).map(toEntry),
    steered: (row.steered ?? []).map(toEntry),
  };
}
