/** What is being done, what waits and what failed, read through the indexes of what is unfinished and of what failed. */

import type { IsDirectAddress, Space } from "../../../core/ports/overviews.ts";
import type {
  Load,
  NamedThread,
  OpenRun,
  Operations,
  ParkedRun,
  WaitingThread,
} from "../../../core/ports/operations.ts";
import { labelOf } from "../../../core/label.ts";
import { threadOf, type SessionId } from "../../../core/thread.ts";
import { WAITS } from "../ledger-sql.ts";
import type { Sql } from "../sql.ts";
import { IS_PRIVATE } from "./channel-privacy.ts";
import { standingOf } from "../standing.ts";

const HOUR_MS = 3_600_000;

/** Of the runs that people's messages began; those that came into one that was under way waited for nobody. */
const WAITED = {
  text: `
select percentile_cont(0.5) within group (order by ms) as "medianMs", percentile_cont(0.95) within group (order by ms) as "p95Ms",
  count(*) as messages
from (
  select greatest(r.started_at - i.received_at, 0) as ms from runs r join inbox i on i.run = r.id
  where r.started_at > now_ms() - ${HOUR_MS} and r.cause = 'message' and i.kind = 'message' and not i.joined
  limit 20000) waited`,
};

/** One that began a moment ago has no overview yet. */
const NAME = `s.title, o.said, coalesce(o.is_direct, false) as "isDirect", o.first_name as "firstName",
  ${IS_PRIVATE} as "isPrivate"`;
const NAMED = `join sessions s on s.id = x.session left join overviews o on o.session = x.session`;

/** How many of each kind are read at most: in the statement itself, since of a limit that it is not told Postgres expects a tenth of all rows. */
const MOST = 50;

/** $1 prefix of the space's sessions. */
const RUNS = {
  name: "operations-runs",
  text: `
select x.session, ${NAME}, x.id as run, x.cause, x.reply = 'settling' as "isSettling", x.requester->>'name' as requester,
  now_ms() - x.started_at as "sinceMs", x.rounds,
  (select json_build_object('n', count(*) over (), 'fence', a.fence, 'worker', a.worker, 'sinceMs', now_ms() - a.started_at,
    'hasEnded', a.ended is not null) from attempts a where a.run = x.id order by a.fence desc limit 1) as attempt
from (
  select * from runs r where r.reply <> 'settled' and starts_with(r.session, $1) order by r.started_at limit ${MOST}) x
${NAMED} order by x.started_at, x.id`,
};

const WAITING = {
  name: "operations-waiting",
  text: `
select x.session, ${NAME}, x.waiting, now_ms() - x.since as "sinceMs"
from (
  select i.session, count(*) as waiting, min(i.received_at) as since from inbox i join sessions s on s.id = i.session
  where ${WAITS} and i.seq > s.stop_seq and starts_with(i.session, $1)
  group by i.session order by since limit ${MOST}) x
${NAMED} order by x.since, x.session`,
};

/** What an overview says is behind by a moment, so the thread itself is asked too. */
const parked = (chosen: string): string => `
select x.session, ${NAME}, x.id as run, x.error_code as error, x.requester->>'name' as requester, x.ended_at as "endedAt",
  (select i.body->'where' from inbox i where i.run = x.id order by i.seq limit 1) as "where"
from (${chosen}) x
${NAMED} where s.epoch = x.epoch and x.reason = 'error' and x.reply <> 'open'
  and not exists (select from inbox i where i.session = x.session and ${WAITS} and i.seq > s.stop_seq)`;

const NEWEST_RUN = `select * from runs r where r.session = f.session order by r.n desc limit 1`;

/** $1 platform, $2 space. */
const PARKED = {
  name: "operations-parked",
  text: `
${parked(`select r.* from (
    select f.session from overviews f where f.platform = $1 and f.space = $2 and f.reason = 'error'
    order by f.touched_at desc limit ${MOST}) f
  join lateral (${NEWEST_RUN}) r on true`)}
order by x.ended_at desc, x.id`,
};

/** $1 prefix of the space's sessions, $2 run. */
const PARKED_RUN = {
  name: "operations-parked-run",
  text: parked(`select r.* from (select q.session from runs q where q.id = $2 and starts_with(q.session, $1)) f
  join lateral (${NEWEST_RUN}) r on r.id = $2`),
};

interface NameRow {
  readonly session: SessionId;
  readonly title: string | null;
  readonly said: string | null;
  readonly isDirect: boolean;
  readonly isPrivate: boolean | null;
  readonly firstName: string | null;
}

type RunRow = NameRow & Omit<OpenRun, keyof NamedThread>;
type WaitingRow = NameRow & Omit<WaitingThread, keyof NamedThread>;
type ParkedRow = NameRow & {
  readonly [K in keyof Omit<ParkedRun, keyof NamedThread>]-?: Exclude<ParkedRun[K], undefined> | null;
};
interface WaitedRow {
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
  readonly messages: number;
}

/** @param dear for what reads the runs of an hour. Default the same database. */
export function createOperations(sql: Sql, isDirectAddress: IsDirectAddress, dear: Sql = sql): Operations {
  function named<R extends NameRow>({ title, said, firstName, isDirect, isPrivate, ...row }: R) {
    return {
      ...row,
      label: labelOf({ title: title ?? undefined, firstText: said ?? undefined }),
      isDirect: isDirect || isDirectAddress(threadOf(row.session)),
      isPrivate: isPrivate ?? true,
      ...(firstName === null ? {} : { firstName }),
    };
  }
  const toParked = (row: ParkedRow): ParkedRun => {
    const known = Object.fromEntries(Object.entries(named(row)).filter(([, value]) => value !== null));
    return known as unknown as ParkedRun;
  };

  return {
    async load(): Promise<Load> {
      const [standing, [waited]] = await Promise.all([standingOf(sql), dear.query<WaitedRow>(WAITED)]);
      if (waited === undefined || waited.medianMs === null || waited.p95Ms === null) return standing;
      const { medianMs, p95Ms, messages } = waited;
      return { ...standing, waited: { medianMs, p95Ms, messages } };
    },
    async of({ platform, space }) {
      const begins = prefixOf({ platform, space });
      const [runs, waiting, failed] = await Promise.all([
        sql.query<RunRow>(RUNS, [begins]),
        sql.query<WaitingRow>(WAITING, [begins]),
        sql.query<ParkedRow>(PARKED, [platform, space]),
      ]);
      return {
        runs: runs.map((row) => named(row)),
        waiting: waiting.map((row) => named(row)),
        parked: failed.map(toParked),
      };
    },
    async parked(space, run) {
      const [row] = await sql.query<ParkedRow>(PARKED_RUN, [prefixOf(space), run]);
      return row && toParked(row);
    },
  };
}

const prefixOf = ({ platform, space }: Space): string => `${platform}:${space}:`;
