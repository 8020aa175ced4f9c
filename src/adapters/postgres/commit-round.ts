/** One round becomes durable, and what came in meanwhile joins the run: one statement. */

import type { Committed, Fence, RoundRecord } from "../../core/ports/run-store.ts";
import { ENTRY_JSON, toEntry, type EntryRow } from "./entry-row.ts";
import { DROPPED, judgeHeld, type HeldRow } from "./fenced.ts";
import { roundValues, STORE_CALLS } from "./round-values.ts";
import { snapshotRetry } from "./snapshot-retry.ts";
import type { Sql } from "./sql.ts";

interface CommitRow extends HeldRow {
  readonly stopped: boolean;
  readonly stored: readonly EntryRow[] | null;
  readonly steered: readonly EntryRow[] | null;
}

/** $5: the round is complete. $10: how many entries are given. Values $6 to $9: see `round-values`. */
const COMMIT = {
  name: "commit-round",
  text: `
with was as materialized (
  select s.rev, s.fence, s.stop_seq, s.last_seq, r.epoch, r.rounds, r.reply = 'open' as open,
    s.stop_seq > r.admitted_seq as stopped
  from sessions s left join runs r on r.id = $3 and r.session = s.id where s.id = $1),
waiting as materialized (
  select count(*) as n from inbox i, was
  where $5::boolean and not was.stopped and i.session = $1 and i.state = 'waiting' and i.kind = 'message'
    and i.seq > was.stop_seq),
held as (
  update sessions s set rev = s.rev + 1, last_seq = s.last_seq + $10::integer + waiting.n, touched_at = now_ms()
  from was, waiting
  where s.id = $1 and s.fence = $2::bigint and s.rev = was.rev and was.open and was.rounds = $4::integer - 1
  returning was.last_seq as base, was.epoch, was.stopped, was.stop_seq),
sorted as (
  update inbox i set
    state = case when i.seq < h.stop_seq then 'done' else 'admitted' end,
    fate = case when i.seq < h.stop_seq then 'cancelled' end,
    reason = case when i.seq < h.stop_seq then 'stop' end,
    done_at = case when i.seq < h.stop_seq then now_ms() end,
    run = case when i.seq > h.stop_seq then $3 end,
    joined = i.seq > h.stop_seq
  from held h
  where i.session = $1 and i.state = 'waiting'
    and (${DROPPED} or ($5 and not h.stopped and i.kind = 'message'))
  returning i.seq, i.id, i.at, i.state, i.body),
joined as (
  select row_number() over (order by at, seq) as n, seq, id, body from sorted where state = 'admitted'),
stored as (
  insert into entries (session, epoch, seq, run, round, kind, body)
  select $1, h.epoch, h.base + t.n, $3, $4, t.body->>'kind', t.body
  from held h, jsonb_array_elements($6::jsonb) with ordinality as t(body, n)
  returning seq, epoch, run, round, body),
steered as (
  insert into entries (session, epoch, seq, run, round, kind, body, inbound)
  select $1, h.epoch, h.base + $10 + j.n, $3, $4, 'user', jsonb_build_object('v', 1, 'kind', 'user',
    'author', j.body->'author', 'parts', j.body->'parts', 'inbound', j.id), j.id
  from held h, joined j
  returning seq, epoch, run, round, body),
run as (
  update runs r set
    rounds = case when $5 then $4 else r.rounds end,
    safe_fence = case when $5 then $2 else r.safe_fence end,
    admitted_seq = greatest(r.admitted_seq, (select max(seq) from joined)),
    requester = coalesce((select body->'author' from joined order by n desc limit 1), r.requester)
  from held where r.id = $3),
${STORE_CALLS}
select was.fence, was.open, was.rounds, was.stopped, exists (select from held) as held,
  (select json_agg(${ENTRY_JSON} order by e.seq) from stored e) as stored,
  (select json_agg(${ENTRY_JSON} order by e.seq) from steered e) as steered
from was`,
};

export async function commitRound(
  sql: Sql,
  fence: Fence,
  round: RoundRecord,
  isStored: (hash: string) => boolean,
): Promise<Committed> {
  const values = [
    fence.session,
    fence.number,
    fence.run,
    round.round,
    round.state === "complete",
    ...roundValues(round, round.modelCalls, isStored),
    round.entries.length,
  ];
  const row = await snapshotRetry(async () => {
    const [found] = await sql.query<CommitRow>(COMMIT, values);
    return judgeHeld(found, fence, round.round);
  });
  return {
    stored: (row.stored ?? []).map(toEntry),
    steered: (row.steered ?? []).map(toEntry),
    stopped: row.stopped,
  };
}
