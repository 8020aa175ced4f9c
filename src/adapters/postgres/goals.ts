/** The goals of threads. A write takes the session's row, as claims and ends do, so that each of them sees all that was before it. */

import type { GoalEvent } from "../../core/goal/event.ts";
import { reduceGoal } from "../../core/goal/reduce.ts";
import type { Where } from "../../core/inbound.ts";
import type { Applied, Goals } from "../../core/ports/goals.ts";
import type { SessionId } from "../../core/thread.ts";
import {
  goalLog,
  goalPart,
  goalValues,
  isSameGoal,
  readOpen,
  toGoal,
  type GoalChange,
  type GoalRow,
} from "./goal-row.ts";
import { busy, hasPlace, RUNNING, spaceIn, spaceOf } from "./goal-places.ts";
import type { EntryRow } from "./entry-row.ts";
import { sorted, TAIL } from "./open-tail.ts";
import { shaped } from "./shaped.ts";
import { snapshotRetry } from "./snapshot-retry.ts";
import type { Sql } from "./sql.ts";

const NEWEST = {
  name: "goal-newest",
  text: `select body from goals where session = $1 order by n desc limit 1`,
};

const DONE_BEFORE = {
  name: "goal-done-before",
  text: `
select g.body from goal_events e join goals g on g.id = e.goal where e.key = $1`,
};

const OPEN_SESSION = {
  name: "goal-opens-session",
  text: `insert into sessions (id) values ($1) on conflict (id) do nothing`,
};

const NOW = { name: "goal-now", text: "select now_ms() as now" };

const RECORD = {
  name: "goal-record",
  text: `
select ${TAIL} as entries from (
  select e.seq, e.epoch, e.run, e.round, e.body from entries e
  where e.session = $1 and e.epoch = (select epoch from sessions where id = $1) order by e.seq desc limit $2::integer) e`,
};

const WHERE_OF = {
  name: "goal-where-of",
  text: `select i.body->'where' as where from inbox i where i.run = $1 and i.body ? 'where' order by i.seq desc limit 1`,
};

const WAITING_FOR_CALL = {
  name: "goal-waiting-for-call",
  text: `select session from goals where status = 'waiting' and closed is null and body->'wait'->>'token' = $1::text`,
};

/** $1 the session, or the beginning of those of a channel; $2 the message. */
const WAITING_FOR_REACTION = {
  name: "goal-waiting-for-reaction",
  text: `
select g.session from goals g
where g.status = 'waiting' and g.closed is null and g.body->'wait'->>'kind' = 'reaction'
  and (g.session = $1::text or starts_with(g.session, concat($1::text, ':')))
  and (g.card_message = $2::text or exists (
    select from runs r join pages p on p.run = r.id where r.session = g.session and p.message = $2))
limit 1`,
};

const MAY_BEGIN = `g.wake_at <= now_ms()
  and not exists (select from runs r where r.session = g.session and r.reply <> 'settled')
  and not exists (
    select from installs x where x.state = 'broken' and starts_with(g.session, concat(x.platform, ':', x.space, ':')))`;

const DUE_IN_SPACE = {
  name: "goals-due-in-space",
  text: `
select g.session, ${busy("$2::text")}::integer as busy from goals g
where ${MAY_BEGIN} and starts_with(g.session, $2 || ':') order by g.wake_at, g.n limit $1::integer`,
};

/**
 * With how many run in their space: those of a space that is full are not rung for in vain. First the one of each space that is due
 * longest, then the second ones: one space that has very many takes nobody's place.
 */
const DUE = {
  name: "goals-due",
  text: `
with due as materialized (
  select g.session, g.wake_at, g.n, ${spaceIn("g.session")} as space from goals g where ${MAY_BEGIN}),
busy as (
  select ${spaceIn("r.session")} as space, count(*) as runs from runs r join sessions o on o.id = r.session
  where ${RUNNING} group by 1),
placed as (
  select session, wake_at, n, space, row_number() over (partition by space order by wake_at, n) as place from due)
select p.session, p.wake_at as at, coalesce(b.runs, 0)::integer as busy from placed p left join busy b on b.space = p.space
where p.place <= $1::integer order by p.place, p.wake_at, p.n`,
};

/** Longer than a sweep takes to come again, so that it names those that wait behind them, ms. */
const BEHIND_MS = 20_000;

/** Only when it is named: the goal itself is due as it says, and is begun by whoever comes. $1 session, $2 its space, $3 how many may run there. */
const BEHIND = {
  name: "goal-behind",
  text: `
update goals g set wake_at = now_ms() + ${BEHIND_MS}
where g.session = $1 and g.wake_at <= now_ms() and ${busy("$2::text")} < $3::integer`,
};

/** Of an integer in SQL. */
const UNLIMITED = 2 ** 31 - 1;

/** $1 session, $2 the goal that it has from now on. */
const CHANGE = shaped<{ readonly part: ReturnType<typeof goalPart> }>({
  name: () => "goal-change",
  text: ({ part }) => `
with held as (
  update sessions s set rev = s.rev + 1, goal = $2::text
  from sessions w
  where s.id = $1 and w.id = $1 and s.rev = w.rev and ${isSameGoal(3)}
  returning s.id),
${part.sql(3)}
select id from held`,
});

const IS_OPEN = {
  name: "goal-run-open",
  text: `select 1 as one from runs r where r.id = $2 and r.session = $1 and r.reply = 'open'`,
};

/** $1 session, $2 the new goal, $3 status, $4 wake_at, $5 body, $6 who, $7 key, $8 the run that sets it, or null; from $9 on: the goal before, closed. */
const SET = shaped<{ readonly part: ReturnType<typeof goalPart> | undefined }>({
  name: ({ part }) => (part === undefined ? "goal-set" : "goal-replace"),
  text: ({ part }) => `
with held as (
  update sessions s set rev = s.rev + 1, goal = $2::text
  from sessions w
  where s.id = $1 and w.id = $1 and s.rev = w.rev and ${part === undefined ? "w.goal is null" : isSameGoal(9)}
    and ($8::text is null or exists (select from runs r where r.id = $8 and r.session = w.id and r.reply = 'open'))
  returning s.id),
made as (
  insert into goals (id, session, status, wake_at, body) select $2, $1, $3::text, $4::bigint, $5::jsonb from held)${
    part === undefined ? "" : `,\n${part.sql(9)}`
  },
${goalLog("set_log", { goal: "$2", status: "$3", body: "$5", kind: "'set'", who: "$6::text", key: "$7::text" })}
select id from held`,
});

/** False where the goal is no longer what the change was made from. */
export async function writeGoal(sql: Sql, session: SessionId, change: GoalChange): Promise<boolean> {
  const part = goalPart(change);
  const { goal } = change;
  const hasGoal = goal.closed === undefined ? goal.id : null;
  const rows = await sql.query(CHANGE({ part }), [session, hasGoal, ...part.values]);
  return rows.length > 0;
}

export interface GoalsOptions {
  /** How many turns of goals may run at once in the space of this session. Unlimited unless said. */
  readonly atOnceIn?: (session: SessionId) => number;
}

export function createGoals(sql: Sql, { atOnceIn = () => Infinity }: GoalsOptions = {}): Goals {
  async function set(
    session: SessionId,
    before: GoalRow | undefined,
    made: Made,
    line: Line,
    run: string | undefined,
  ): Promise<boolean> {
    const { goal, replaced } = made;
    const [status, , wakeAt, body] = goalValues(goal);
    const part =
      before === undefined || replaced === undefined
        ? undefined
        : goalPart({ before, goal: replaced, kind: "replaced", who: line.who });
    const values = [session, goal.id, status, wakeAt, body, line.who ?? null, line.key ?? null, run ?? null];
    const rows = await sql.query(SET({ part }), [...values, ...(part?.values ?? [])]);
    return rows.length > 0;
  }

  return {
    async read(session) {
      const open = await readOpen(sql, session);
      if (open !== undefined) return open.goal;
      const [row] = await sql.query<{ body: unknown }>(NEWEST, [session]);
      return row && toGoal(row.body);
    },
    apply(session, event, key, run) {
      return snapshotRetry<Applied>(
        unlessTwice(async () => {
          if (key !== undefined) {
            const [done] = await sql.query<{ body: unknown }>(DONE_BEFORE, [key]);
            if (done !== undefined) return { kind: "changed", goal: toGoal(done.body), isRepeat: true };
          }
          if (run !== undefined && (await sql.query(IS_OPEN, [session, run])).length === 0)
            return { kind: "refused", why: "The turn that asks for it has ended." };
          const before = await readOpen(sql, session);
          const now = before?.now ?? (await sql.query<{ now: number }>(NOW))[0]?.now ?? 0;
          const step = reduceGoal(before?.goal, event, now);
          const line: Line = { kind: nameOf(event), who: askerOf(event), key };
          if (step.kind === "refused") {
            if (step.goal === undefined || before === undefined) return step;
            return (await writeGoal(sql, session, { before, goal: step.goal, ...line }))
              ? { kind: "refused", why: step.why }
              : "stale";
          }
          const isNew = step.goal.id !== before?.goal.id;
          if (isNew) await sql.query(OPEN_SESSION, [session]);
          const isWritten =
            isNew || before === undefined
              ? await set(session, before, step, line, run)
              : await writeGoal(sql, session, { before, goal: step.goal, ...line });
          return isWritten ? step : "stale";
        }),
      );
    },
    async isDone(key) {
      return (await sql.query(DONE_BEFORE, [key])).length > 0;
    },
    async record(session, limit) {
      const [row] = await sql.query<{ entries: readonly EntryRow[] | null }>(RECORD, [session, limit]);
      return sorted(row?.entries ?? null);
    },
    async whereOf(run) {
      const [row] = await sql.query<{ where: Where | null }>(WHERE_OF, [run]);
      return row?.where ?? undefined;
    },
    async waitingForCall(token) {
      const [row] = await sql.query<{ session: SessionId }>(WAITING_FOR_CALL, [token]);
      return row?.session;
    },
    async waitingForReaction({ platform, space, channel, root }, message) {
      const near = [platform, space, channel, ...(root === undefined ? [] : [root])].join(":");
      const [row] = await sql.query<{ session: SessionId }>(WAITING_FOR_REACTION, [near, message]);
      return row?.session;
    },
    async hasPlace(session) {
      const atOnce = atOnceIn(session);
      return atOnce === Infinity || hasPlace(sql, session, atOnce);
    },
    async behind(session) {
      await sql.query(BEHIND, [session, spaceOf(session), Math.min(atOnceIn(session), UNLIMITED)]);
    },
    async due(limit, like) {
      if (like !== undefined) {
        const values = [limit, spaceOf(like)];
        const rows = await sql.query<{ session: SessionId; busy: number }>(DUE_IN_SPACE, values);
        return rows.filter((row, place) => row.busy + place < atOnceIn(like)).map(({ session }) => session);
      }
      const rows = await sql.query<{ session: SessionId; at: number; busy: number }>(DUE, [limit]);
      return rows
        .filter(({ session, busy }) => busy < atOnceIn(session))
        .slice(0, limit)
        .toSorted((one, other) => one.at - other.at)
        .map(({ session }) => session);
    },
  };
}

const UNIQUE_VIOLATION = "23505";

/** Two deliveries at once: the later one finds what the first has done. */
function unlessTwice<T>(attempt: () => Promise<T | "stale">): () => Promise<T | "stale"> {
  return () =>
    attempt().catch((error: unknown) => {
      if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return "stale" as const;
      throw error;
    });
}

type Made = Extract<Applied, { kind: "changed" }>;

interface Line {
  readonly kind: string;
  readonly who?: string | undefined;
  readonly key?: string | undefined;
}

/** As the audit has it: what was found, and not that somebody looked. */
function nameOf(event: GoalEvent): string {
  return event.kind === "verdict" ? event.verdict.kind : event.kind;
}

function askerOf(event: GoalEvent): string | undefined {
  if (!("by" in event)) return undefined;
  const { by } = event;
  return typeof by === "string" ? by : by !== undefined && "id" in by ? by.id : by?.join(", ");
}
