/** The claim of a session: one statement that decides what there is to do, takes it, and reads what the worker needs. */

import { END_REASONS } from "../../core/end-reason.ts";
import type { RunId } from "../../core/ids.ts";
import type { Fence, Opened } from "../../core/ports/run-store.ts";
import { sessionIdOf, type SessionId } from "../../core/thread.ts";
import type { EntryRow } from "./entry-row.ts";
import { CHOSEN, toChosen, toShown, toTold, type ChosenRow } from "./chosen-row.ts";
import { FROZEN, toFrozen, type FrozenRow } from "./frozen-row.ts";
import { GAUGE, toGauge, type GaugeRow } from "./gauge-row.ts";
import {
  IN_ORDER,
  IS_WORK,
  isDropped,
  isStopped,
  LAST_FIRST,
  notedTurn,
  noteEntry,
  USER_ENTRY,
} from "./ledger-sql.ts";
import { newest, sorted, TAIL, tailOf, type TailRow } from "./open-tail.ts";
import { openUsual, type Found } from "./open-usual.ts";
import {
  modelOf,
  OUTCOME_JSON,
  toOutcome,
  toRunInfo,
  USAGE_JSON,
  type OutcomeRow,
  type RunRow,
} from "./run-row.ts";
import { shaped } from "./shaped.ts";
import { snapshotRetry } from "./snapshot-retry.ts";
import type { Sql } from "./sql.ts";

/** Crashed attempts since the last stored round, or since the end, after which a run or its reply is given up. */
export const ATTEMPTS = 8;

/** A thread that nobody can write in: where no claim finds anything. */
const NOBODYS = sessionIdOf({ platform: "web", space: "nobody", channel: "nobody", root: "nobody" });
/** Entries that a claim gives, beyond what is needed to begin at a user turn. */
export const TAIL_ENTRIES = 200;

/** Longer than a lease: so long after the next claim a write of an attempt that died may still land on the platform, ms. */
const MAY_LAND_MS = 15_000;

const RETRYABLE = Object.entries(END_REASONS)
  .flatMap(([reason, { canRetry }]) => (canRetry ? [`'${reason}'`] : []))
  .join(", ");

interface OpenRow extends FrozenRow, ChosenRow, GaugeRow, TailRow {
  readonly todo: "settle" | "abandoned" | "used_up" | "resume" | "new" | "tidy" | "nothing";
  /** Null when the snapshot was stale (or there was nothing to take). */
  readonly fence: number | null;
  readonly run: RunRow | null;
  readonly outcome: OutcomeRow | null;
  /** Those of a run that is to be settled. */
  readonly entries: readonly EntryRow[] | null;
  readonly stopped: boolean;
  readonly afterCrash: boolean;
  readonly toldModel: string | null;
  readonly toldParams: string | null;
  readonly goal: string | null;
}

/**
 * What is decided, in this order: a reply that is settling, an unfinished run, a new run. A resumed run admits nothing here:
 * what waits joins it at its next round border, so that no user turn ever stands between a call and its result.
 * A new run also takes the notes (on edited and deleted messages, or of the bot) that waited for one. They stand before the
 * messages, since the model reads notes with the user turn that follows them; where a retry comes alone they are a turn of
 * their own, so that what is tried again is what was corrected.
 */
const OPEN = shaped<{ readonly tail: number }>({
  name: ({ tail }) => `open-run-${tail}`,
  text: ({ tail }) => `
with was as materialized (select * from sessions where id = $1),
live as materialized (
  select i.kind from inbox i, was
  where i.session = $1 and i.state = 'waiting' and not ${isDropped("was")}),
current as materialized (
  select r.*, (
    select count(*) from attempts a where a.run = r.id and a.fence >= r.safe_fence
      and (a.ended is null or a.ended = 'crashed')) as crashes
  from runs r where r.session = $1 and r.reply <> 'settled'
  order by r.reply = 'settling' desc, r.n limit 1),
failed as materialized (
  select l.id from was, (select * from runs r where r.session = $1 order by r.n desc limit 1) l
  where l.epoch = was.epoch and l.reason in (${RETRYABLE})),
asked as materialized (
  select exists (select from live where kind = 'command') as retry, exists (select from failed) as can_retry),
todo as materialized (
  select case
    when c.reply = 'settling' and c.crashes >= ${ATTEMPTS} then 'abandoned'
    when c.reply = 'settling' then 'settle'
    when c.reply = 'open' and c.crashes >= ${ATTEMPTS} then 'used_up'
    when c.reply = 'open' then 'resume'
    when exists (select from live where kind = 'message') or (asked.retry and asked.can_retry) then 'new'
    when asked.retry or exists (
      select from inbox i where i.session = $1 and i.state = 'waiting' and ${isDropped("was")}) then 'tidy'
    else 'nothing' end as kind,
    asked.retry and asked.can_retry as retries, exists (select from live where kind = 'message') as speaks
  from was cross join asked left join current c on true),
held as (
  update sessions s set rev = s.rev + 1,
    fence = s.fence + case when todo.kind in ('tidy', 'abandoned') then 0 else 1 end,
    last_seq = s.last_seq + case todo.kind when 'new' then (select count(*) from live) + 1 when 'used_up' then 1 else 0 end,
    touched_at = now_ms()
  from was, todo
  where s.id = $1 and s.rev = was.rev and todo.kind <> 'nothing'
  returning s.fence, was.epoch, was.stop_seq, was.last_seq as base, todo.kind, todo.retries, todo.speaks),
sorted as (
  update inbox i set
    state = case when i.seq > h.stop_seq and (i.kind = 'message' or (i.kind = 'command' and h.retries))
      then 'admitted' else 'done' end,
    fate = case when ${isDropped("h")} then 'cancelled' when i.kind = 'message' then null
      when i.kind = 'command' then case when h.retries then null else 'refused' end else 'answered' end,
    reason = case when ${isDropped("h")} then 'stop'
      when i.kind = 'command' and not h.retries then 'the last answer did not fail' end,
    done_at = case when i.seq > h.stop_seq and (i.kind = 'message' or (i.kind = 'command' and h.retries))
      then null else now_ms() end,
    run = case when i.seq > h.stop_seq and h.kind = 'new' then $3 end
  from held h
  where i.session = $1 and i.state = 'waiting'
    and (${isDropped("h")} or h.kind = 'new' or (h.kind = 'tidy' and i.kind = 'command'))
  returning i.seq, i.id, i.kind, i.at, i.state, i.fate, i.body, i.note),
retried as (
  update inbox i set state = 'admitted', fate = null, reason = null, done_at = null, joined = false, run = $3
  from held h, failed f
  where h.kind = 'new' and h.retries and i.run = f.id and i.state = 'done' and i.fate <> 'refused' and ${IS_WORK}),
started as (
  insert into runs (id, session, cause, retry_of, epoch, admitted_seq, requester)
  select $3, $1, case when h.retries then 'retry' else 'message' end,
    case when h.retries then (select id from failed) end, h.epoch,
    (select max(seq) from sorted where state = 'admitted'),
    (select body->'author' from sorted where state = 'admitted' order by ${LAST_FIRST} limit 1)
  from held h where h.kind = 'new'
  returning id, session, cause, epoch, rounds, started_at, requester),
left_behind as (
  update attempts a set ended = 'crashed', ended_at = now_ms()
  from held h where h.kind <> 'tidy' and a.session = $1 and a.ended is null
  returning a.run),
attempt as (
  insert into attempts (run, fence, session, worker)
  select coalesce(c.id, $3), h.fence, $1, $2 from held h left join current c on true
  where h.kind not in ('tidy', 'abandoned')),
abandoned as (
  update runs r set reply = 'settled' from held h, current c where h.kind = 'abandoned' and r.id = c.id),
given_up as (
  update runs r set reason = 'error', error_code = 'attempts_used_up', reply = 'settling', ended_at = now_ms(),
    error_message = 'the bot was interrupted ' || c.crashes || ' times', safe_fence = h.fence
  from held h, current c where h.kind = 'used_up' and r.id = c.id
  returning ${OUTCOME_JSON} as outcome),
given_up_inbox as (
  update inbox i set state = 'done', fate = 'failed', reason = 'attempts_used_up', done_at = now_ms()
  from held h, current c where h.kind = 'used_up' and i.run = c.id and i.state = 'admitted'),
added as (
  insert into entries (session, epoch, seq, run, round, kind, body, inbound)
  select $1, h.epoch, h.base + row_number() over (order by t.body->>'kind' = 'user', ${IN_ORDER}), $3, 0, t.body->>'kind', t.body, t.inbound
  from held h, (
    select at, seq,
      case when m.kind = 'message' then ${USER_ENTRY} when h.speaks then ${noteEntry("m.note")}
        else ${notedTurn("m.note")} end as body,
      case m.kind when 'message' then id end as inbound
    from sorted m, held h where (m.kind = 'message' and state = 'admitted') or (m.kind in ('edit', 'delete', 'note') and fate = 'answered')
    union all
    select 0, 0, ${noteEntry("$4::text")}, null from held where retries) t
  where h.kind = 'new'
  union all
  select $1, c.epoch, h.base + 1, c.id, c.rounds, 'note', ${noteEntry("$5::text")}, null
  from held h, current c where h.kind = 'used_up'
  returning seq, epoch, run, round, kind, body),
scope as materialized (
  select coalesce(c.epoch, h.epoch) as epoch from held h left join current c on true where h.kind in ('new', 'resume')),
${newest("scope", tail)},
told as materialized (
  select m.model, m.params, m.prompt_hash, m.tools_hash from held h, current c, model_calls m
  where h.kind = 'resume' and m.run = c.id order by m.round desc, m.started_at desc limit 1),
of_run as (
  select e.seq, e.epoch, e.run, e.round, e.body from held h, current c, entries e
  where h.kind in ('settle', 'used_up') and e.run = c.id and e.session = $1)
select todo.kind as todo, h.fence,
  case when h.kind = 'new' then (
    select json_build_object('id', id, 'session', session, 'cause', cause, 'epoch', epoch, 'rounds', rounds,
      'startedAt', started_at, 'requester', requester, 'usage', null) from started)
  else (
    select json_build_object('id', id, 'session', session, 'cause', cause, 'epoch', epoch, 'rounds', rounds,
      'startedAt', started_at, 'requester', requester,
      'usage', (select ${USAGE_JSON} from model_calls c where c.run = current.id), 'model', ${modelOf("current.id")})
    from current) end as run,
  coalesce((select outcome from given_up),
    (select ${OUTCOME_JSON} from current r where r.reply = 'settling')) as outcome,
  (select ${TAIL} from newest e) as history, (select ${TAIL} from added e) as added, (select ${TAIL} from of_run e) as entries,
  coalesce((select ${isStopped("was", "c")} from current c), false) as stopped,
  exists (select from left_behind) or exists (
    select from current c join attempts a on a.run = c.id
    where a.ended = 'crashed' and a.ended_at > now_ms() - ${MAY_LAND_MS}) as "afterCrash",
  l.model as "toldModel", l.params as "toldParams", was.goal, ${GAUGE}, ${CHOSEN}, ${FROZEN("coalesce(c.epoch, was.epoch)", "l")}
from was cross join todo left join held h on true
left join current c on true left join told l on true`,
});

/** What the model reads in a retried run, so that its history ends with a turn to answer. */
const RETRY_NOTE = "The last turn was not answered to its end. Someone asked to try it again: answer it now.";
const USED_UP_NOTE = "The previous turn ended: the bot was interrupted too many times while it worked on it.";

/**
 * Asks both claims for a session that nobody has, so that the connection has planned them. Who takes up what a process that
 * ended left behind comes with the second one, which a question for anything else never reaches.
 */
export async function planClaims(sql: Sql, tail = TAIL_ENTRIES): Promise<void> {
  const [nobody, worker, id] = [NOBODYS, "nobody", "nobody" as RunId];
  await openUsual(sql, nobody, worker, { id, tail });
  await sql.query(OPEN({ tail }), [nobody, worker, id, RETRY_NOTE, USED_UP_NOTE]);
}

export async function openRun(
  sql: Sql,
  session: SessionId,
  worker: string,
  options: { readonly newRun: () => string; readonly tail: number },
): Promise<Found> {
  const { tail } = options;
  const id = options.newRun() as RunId;
  const values = [session, worker, id, RETRY_NOTE, USED_UP_NOTE];
  let isUsual = true;
  return snapshotRetry(async () => {
    if (isUsual) {
      const opened = await openUsual(sql, session, worker, { id, tail });
      if (opened !== "other") return opened;
      isUsual = false;
    }
    const [row] = await sql.query<OpenRow>(OPEN({ tail }), values);
    const hasGoal = typeof row?.goal === "string";
    if (row === undefined || row.todo === "nothing") return { opened: { kind: "nothing" }, hasGoal };
    return row.fence === null ? "stale" : { opened: await toOpened(sql, row, session, tail), hasGoal };
  });
}

async function toOpened(sql: Sql, row: OpenRow, session: SessionId, tail: number): Promise<Opened> {
  if (row.todo === "tidy" || row.todo === "abandoned" || row.todo === "nothing") return { kind: "nothing" };
  if (row.run === null || row.fence === null) throw new Error("a claim without its run");
  const run = toRunInfo(row.run);
  const fence: Fence = { session, run: run.id, number: row.fence };
  switch (row.todo) {
    case "settle":
    case "used_up":
      if (row.outcome === null) throw new Error("a settling run without its outcome");
      return {
        kind: "settle",
        run,
        fence,
        outcome: toOutcome(row.outcome),
        shown: toShown(row),
        entries: [...sorted(row.entries), ...sorted(row.added)],
        afterCrash: row.afterCrash,
      };
    case "new":
    case "resume":
      return {
        kind: "run",
        run,
        fence,
        tail: await tailOf(sql, run, row, tail),
        ...toFrozen(row),
        chosen: toChosen(row),
        shown: toShown(row),
        ...toGauge(row),
        ...(row.toldModel === null ? {} : { begunWith: toTold(row.toldModel, row.toldParams) }),
        resumed: row.todo === "resume",
        stopped: row.stopped,
        afterCrash: row.afterCrash,
      };
    default:
      return row.todo satisfies never;
  }
}
