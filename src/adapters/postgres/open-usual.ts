/**
 * The claim as it nearly always is: messages wait, and nothing of the session is unfinished. It has only the parts that this
 * needs; what else there may be to do is `open-run`'s, which is asked when this one answers `other` and has taken nothing.
 */

import type { RunId } from "../../core/ids.ts";
import type { Opened } from "../../core/ports/run-store.ts";
import type { SessionId } from "../../core/thread.ts";
import { toAuthor, type EntryRow } from "./entry-row.ts";
import { CHOSEN, toChosen, toShown, type ChosenRow } from "./chosen-row.ts";
import { toFrozen, FROZEN, type FrozenRow } from "./frozen-row.ts";
import { GAUGE, toGauge, type GaugeRow } from "./gauge-row.ts";
import { openGoalJson, toGoalRow, type GoalColumns, type GoalRow } from "./goal-row.ts";
import { IN_ORDER, isDropped, LAST_FIRST, noteEntry, USER_ENTRY } from "./ledger-sql.ts";
import { newest, TAIL, tailOf, type TailRow } from "./open-tail.ts";
import { shaped } from "./shaped.ts";
import type { Sql } from "./sql.ts";

interface UsualRow extends FrozenRow, ChosenRow, GaugeRow, TailRow {
  readonly todo: "new" | "other" | "nothing";
  /** Null when the snapshot was stale (or there was nothing to take). */
  readonly fence: number | null;
  readonly epoch: number;
  readonly startedAt: number;
  readonly requester: unknown;
  readonly added: readonly EntryRow[] | null;
  /** The open one of the session. */
  readonly goal: GoalColumns | null;
}

/** A claim, before it is looked what goal the session has, if any. */
export interface Found {
  readonly opened: Opened;
  readonly hasGoal: boolean;
  /** As it stood when that was looked; absent where it was not read. */
  readonly goal?: GoalRow;
}

/** $1 session, $2 worker, $3 the new run's id. */
const USUAL = shaped<{ readonly tail: number }>({
  name: ({ tail }) => `open-usual-${tail}`,
  text: ({ tail }) => `
with was as materialized (select * from sessions where id = $1),
todo as materialized (
  select count(i.seq) as n, case
    when exists (select from runs r where r.session = $1 and r.reply <> 'settled')
      or exists (select from attempts a where a.session = $1 and a.ended is null)
      or bool_or(i.kind = 'command' or ${isDropped("was")}) then 'other'
    when bool_or(i.kind = 'message') then 'new'
    else 'nothing' end as kind
  from was left join inbox i on i.session = $1 and i.state = 'waiting'),
held as (
  update sessions s set rev = s.rev + 1, fence = s.fence + 1, last_seq = s.last_seq + todo.n, touched_at = now_ms()
  from was, todo
  where s.id = $1 and s.rev = was.rev and todo.kind = 'new'
  returning s.fence, was.epoch, was.last_seq as base),
sorted as (
  update inbox i set run = $3,
    state = case i.kind when 'message' then 'admitted' else 'done' end,
    fate = case when i.kind <> 'message' then 'answered' end,
    done_at = case when i.kind <> 'message' then now_ms() end
  from held where i.session = $1 and i.state = 'waiting'
  returning i.seq, i.id, i.kind, i.at, i.body, i.note),
started as (
  insert into runs (id, session, cause, epoch, admitted_seq, requester)
  select $3, $1, 'message', h.epoch, (select max(seq) from sorted where kind = 'message'),
    (select body->'author' from sorted where kind = 'message' order by ${LAST_FIRST} limit 1)
  from held h
  returning started_at, requester),
attempt as (
  insert into attempts (run, fence, session, worker) select $3, h.fence, $1, $2 from held h),
added as (
  insert into entries (session, epoch, seq, run, round, kind, body, inbound)
  select $1, h.epoch, h.base + row_number() over (order by m.kind = 'message', ${IN_ORDER}), $3, 0,
    case m.kind when 'message' then 'user' else 'note' end,
    case m.kind when 'message' then ${USER_ENTRY} else ${noteEntry("m.note")} end,
    case m.kind when 'message' then m.id end
  from held h, sorted m
  returning seq, epoch, run, round, body),
${newest("held", tail)}
select todo.kind as todo, h.fence, was.epoch, r.started_at as "startedAt", r.requester,
  (select ${TAIL} from newest e) as history, (select ${TAIL} from added e) as added, ${openGoalJson("was")} as goal, ${CHOSEN},
  ${GAUGE}, ${FROZEN("was.epoch")}
from was cross join todo left join held h on true left join started r on true`,
});

/** `stale` as for `snapshotRetry`. */
export async function openUsual(
  sql: Sql,
  session: SessionId,
  worker: string,
  options: { readonly id: RunId; readonly tail: number },
): Promise<Found | "other" | "stale"> {
  const { id, tail } = options;
  const [row] = await sql.query<UsualRow>(USUAL({ tail }), [session, worker, id]);
  const found = row?.goal == null ? { hasGoal: false } : { hasGoal: true, goal: toGoalRow(row.goal) };
  if (row === undefined || row.todo === "nothing") return { opened: { kind: "nothing" }, ...found };
  if (row.todo === "other") return "other";
  if (row.fence === null) return "stale";
  const { epoch, startedAt } = row;
  const requester = toAuthor(row.requester);
  const opened: Opened = {
    kind: "run",
    run: { id, session, cause: "message", epoch, rounds: 0, usage: {}, startedAt, requester },
    fence: { session, run: id, number: row.fence },
    tail: await tailOf(sql, { session, epoch }, row, tail),
    ...toFrozen(row),
    chosen: toChosen(row),
    shown: toShown(row),
    ...toGauge(row),
    resumed: false,
    stopped: false,
    afterCrash: false,
  };
  return { opened, ...found };
}
