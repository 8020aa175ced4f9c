/** One round becomes durable, and what came in meanwhile joins the run: one statement. */

import type { Committed, Fence } from "../../core/ports/run-store.ts";
import type { RoundRecord } from "../../core/round.ts";
import { ENTRY_JSON, toEntry, type EntryRow } from "./entry-row.ts";
import { judgeHeld, type HeldRow } from "./fenced.ts";
import { isDropped, JOINED, STORED, USER_ENTRY, WAS, WITH_JOINED } from "./ledger-sql.ts";
import { roundValues, STORE_CALLS } from "./round-values.ts";
import { snapshotRetry } from "./snapshot-retry.ts";
import type { Sql } from "./sql.ts";

interface CommitRow extends HeldRow {
  readonly stopped: boolean;
  readonly stored: readonly EntryRow[] | null;
  readonly steered: readonly EntryRow[] | null;
}

/** $5: the round is complete. $11: who waits may join. $10: how many entries are given. Values $6 to $9: see `round-values`. */
const COMMIT = {
  name: "commit-round",
  text: `
with ${WAS},
waiting as materialized (
  select count(*) as n from inbox i, was
  where $11::boolean and not was.stopped and i.session = $1 and i.state = 'waiting' and i.kind = 'message'
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
    and (${isDropped("h")} or ($11 and not h.stopped and i.kind = 'message'))
  returning i.seq, i.id, i.at, i.state, i.body),
${JOINED},
${STORED},
steered as (
  insert into entries (session, epoch, seq, run, round, kind, body, inbound)
  select $1, h.epoch, h.base + $10 + m.n, $3, $4, 'user', ${USER_ENTRY}, m.id
  from held h, joined m
  returning seq, epoch, run, round, body),
run as (
  update runs r set
    rounds = case when $5::boolean then $4 else r.rounds end,
    safe_fence = case when $5 then $2 else r.safe_fence end,
    ${WITH_JOINED}
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
    round.state === "complete" && round.isLast !== true,
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
