/**
 * The claim for a goal's own turn: where nothing of people waits and nothing is unfinished, the planned turn is begun and is
 * planned no more, in one statement. Whoever comes second finds it gone.
 */

import type { Goal } from "../../core/goal/goal.ts";
import { reduceGoal } from "../../core/goal/reduce.ts";
import { isAnswered } from "../../core/goal/wake.ts";
import { turnText } from "../../core/goal/texts.ts";
import type { RunId } from "../../core/ids.ts";
import type { Opened } from "../../core/ports/run-store.ts";
import type { RunInfo } from "../../core/run.ts";
import type { SessionId } from "../../core/thread.ts";
import type { EntryRow } from "./entry-row.ts";
import { CHOSEN, toChosen, toShown, type ChosenRow } from "./chosen-row.ts";
import { toFrozen, FROZEN, type FrozenRow } from "./frozen-row.ts";
import { GAUGE, toGauge, type GaugeRow } from "./gauge-row.ts";
import { goalPart, isSameGoal, readOpen, type GoalChange, type GoalRow } from "./goal-row.ts";
import { isDropped, notedTurn, WAITS } from "./ledger-sql.ts";
import { newest, TAIL, tailOf, type TailRow } from "./open-tail.ts";
import { isFull, placing, spaceOf } from "./goal-places.ts";
import { createGoals, writeGoal } from "./goals.ts";
import type { RoundPart } from "./round-values.ts";
import { shaped } from "./shaped.ts";
import type { Sql } from "./sql.ts";

interface GoalTurnRow extends FrozenRow, ChosenRow, GaugeRow, TailRow {
  readonly fence: number;
  readonly epoch: number;
  readonly startedAt: number;
  readonly added: readonly EntryRow[] | null;
  readonly afterCrash: boolean;
}

/** $1 session, $2 worker, $3 the new run's id, $4 who it is for, $5 what the model is told; from $6 on: the goal, then its space. */
const OPEN_GOAL = shaped<{ readonly tail: number; readonly part: RoundPart }>({
  name: ({ tail }) => `open-goal-${tail}`,
  text: ({ tail, part }) => `
with was as materialized (select * from sessions where id = $1),
${placing(6 + part.values.length)},
held as (
  update sessions s set rev = s.rev + 1, fence = s.fence + 1, last_seq = s.last_seq + 1, touched_at = now_ms()
  from was w, placed
  where s.id = $1 and s.rev = w.rev and ${isSameGoal(6)}
    and w.muted is not true
    and not exists (select from runs r where r.session = $1 and r.reply <> 'settled')
    and not exists (select from inbox i where i.session = $1 and ${WAITS} and not ${isDropped("w")})
  returning s.fence, w.epoch, w.last_seq as base, w.stop_seq),
started as (
  insert into runs (id, session, cause, epoch, admitted_seq, requester)
  select $3, $1, 'continuation', h.epoch, h.stop_seq, $4::jsonb from held h
  returning started_at),
left_behind as (
  update attempts a set ended = 'crashed', ended_at = now_ms()
  from held h where a.session = $1 and a.ended is null
  returning a.run),
attempt as (
  insert into attempts (run, fence, session, worker) select $3, h.fence, $1, $2 from held h),
added as (
  insert into entries (session, epoch, seq, run, round, kind, body)
  select $1, h.epoch, h.base + 1, $3, 0, 'user', ${notedTurn("$5::text")} from held h
  returning seq, epoch, run, round, body),
${part.sql(6)},
${newest("held", tail)}
select h.fence, h.epoch, r.started_at as "startedAt", exists (select from left_behind) as "afterCrash",
  (select ${TAIL} from newest e) as history, (select ${TAIL} from added e) as added, ${CHOSEN},
  ${GAUGE}, ${FROZEN("was.epoch")}
from was cross join held h cross join started r`,
});

/**
 * `stale`: something happened in the session meanwhile, and has to be looked at first.
 * @param known the goal as it was just read; it is read where that was not done.
 */
export async function openGoal(
  sql: Sql,
  session: SessionId,
  worker: string,
  options: { readonly newRun: () => string; readonly tail: number; readonly atOnce: number },
  known: GoalRow | undefined,
): Promise<Opened | "stale"> {
  const before = known ?? (await readOpen(sql, session));
  if (before === undefined) return { kind: "nothing" };
  if (before.isMuted) return quieted(sql, session, before);
  const step = reduceGoal(before.goal, { kind: "begin" }, before.now);
  if (step.kind === "refused") {
    // Kept, or it would be rung for again and again.
    const kept = step.goal && { before, goal: step.goal, kind: "begin_refused" };
    return kept === undefined || (await writeGoal(sql, session, kept)) ? { kind: "nothing" } : "stale";
  }
  const { goal } = step;
  const change: GoalChange = { before, goal, kind: "begin" };
  const { tail, atOnce } = options;
  const space = spaceOf(session);
  const id = options.newRun() as RunId;
  const part = goalPart(change);
  const [row] = await sql.query<GoalTurnRow>(OPEN_GOAL({ tail, part }), [
    session,
    worker,
    id,
    JSON.stringify(goal.owner),
    turnText(goal, before.goal),
    ...part.values,
    space,
    atOnce,
  ]);
  // A goal that finds no place is due as before: it is rung for when one is free.
  if (row === undefined) return (await isFull(sql, space, atOnce)) ? { kind: "nothing" } : "stale";
  const { epoch, startedAt, afterCrash } = row;
  return {
    kind: "run",
    run: {
      id,
      session,
      cause: "continuation",
      epoch,
      rounds: 0,
      usage: {},
      startedAt,
      requester: goal.owner,
    },
    fence: { session, run: id, number: row.fence },
    tail: await tailOf(sql, { session, epoch }, row, tail),
    ...toFrozen(row),
    chosen: toChosen(row),
    shown: toShown(row),
    ...toGauge(row),
    resumed: false,
    stopped: false,
    afterCrash,
    goal,
  };
}

/** Whoever muted the bot died before the goal was paused: that goes with it all the same. */
async function quieted(sql: Sql, session: SessionId, before: GoalRow): Promise<Opened | "stale"> {
  const step = reduceGoal(before.goal, { kind: "mute" }, before.now);
  if (step.kind === "refused") return { kind: "nothing" };
  const isWritten = await writeGoal(sql, session, { before, goal: step.goal, kind: "mute" });
  return isWritten ? { kind: "nothing" } : "stale";
}

const HEARD = {
  name: "goal-heard",
  text: `
select distinct e.body->'author'->>'id' as by
from entries e where e.run = $1 and e.inbound is not null and e.created_at >= $2::bigint`,
};

/**
 * The goal of a session in which a run was claimed. Whoever wrote wakes one that waits: asked at each claim, since the attempt
 * that took in the message may have died before it said so.
 */
export async function openGoalOf(
  sql: Sql,
  claimed: { readonly run: RunInfo },
  known?: GoalRow,
): Promise<{ readonly goal?: Goal }> {
  const { run } = claimed;
  const open = known ?? (await readOpen(sql, run.session));
  // One that was set later is not what this run is about, also where it took the place of the one that was.
  if (open === undefined || open.goal.createdAt > run.startedAt) return {};
  const { goal } = open;
  if (goal.status !== "waiting") return { goal };
  const since = goal.wait?.since ?? goal.updatedAt;
  const by = (await sql.query<{ by: string | null }>(HEARD, [run.id, since])).map((row) => row.by ?? "");
  if (by.length === 0 || (goal.wait !== undefined && !isAnswered(goal.wait, by))) return { goal };
  const applied = await createGoals(sql).apply(run.session, { kind: "heard", by });
  // Refused where it was woken, or closed, meanwhile.
  return applied.kind === "changed" ? { goal: applied.goal } : openGoalOf(sql, claimed);
}
