/**
 * The bot's store over SQL. The three large steps have a file each (`open-run`, `commit-round`, `end-run`); all of them
 * take the session's row, so that one session has one writer at a time, and many sessions never wait for each other.
 */

import { gathered } from "../../core/gather.ts";
import type { NewId } from "../../core/ids.ts";
import type { Beginning, Fence, Left, RunStore } from "../../core/ports/run-store.ts";
import type { Frozen, ModelCallRecord } from "../../core/round.ts";
import { commitRound } from "./commit-round.ts";
import { endRun } from "./end-run.ts";
import { ENTRY_JSON, toEntry, type EntryRow } from "./entry-row.ts";
import { staleFence } from "./fenced.ts";
import { IN_ORDER, isStopped } from "./ledger-sql.ts";
import { toLaidOut } from "./laid-out-row.ts";
import { openGoal, openGoalOf } from "./open-goal.ts";
import { openRun, TAIL_ENTRIES } from "./open-run.ts";
import {
  modelOf,
  OUTCOME_JSON,
  toOutcome,
  toRunInfo,
  USAGE_JSON,
  type OutcomeRow,
  type RunRow,
} from "./run-row.ts";
import type { Sql } from "./sql.ts";
import { snapshotRetry } from "./snapshot-retry.ts";
import type { SessionId } from "../../core/thread.ts";
import { createWork } from "./work.ts";

export interface RunStoreOptions {
  /** Entries that `open` gives at most, beyond what is needed to begin at a user turn; default `TAIL_ENTRIES`. */
  readonly tail?: number;
  /** Turns of goals that may run at the same time in the space of a session; all unless said. */
  readonly goalsAtOnceIn?: (session: SessionId) => number;
}

interface TriedAgainRow {
  readonly run: RunRow;
  readonly outcome: OutcomeRow;
  readonly entries: readonly EntryRow[] | null;
  readonly laidOut: unknown;
}

const BEGINNING = {
  name: "beginning",
  text: `
select i.id, i.message, i.at, i.received_at as "receivedAt" from sessions s join inbox i on i.session = s.id
where s.id = $1 and s.epoch = 1 and s.last_seq = 0 and i.state = 'waiting' and i.kind = 'message' and i.seq > s.stop_seq
  and not exists (select from inbox n where n.session = $1 and n.kind = 'note')
order by ${IN_ORDER} limit 1`,
};

const TRIED_AGAIN = {
  name: "tried-again",
  text: `
select json_build_object('id', r.id, 'session', r.session, 'cause', r.cause, 'epoch', r.epoch, 'rounds', r.rounds,
    'startedAt', r.started_at, 'requester', r.requester,
    'usage', (select ${USAGE_JSON} from model_calls c where c.run = r.id), 'model', ${modelOf("r.id")}) as run,
  ${OUTCOME_JSON} as outcome, r.laid_out as "laidOut",
  (select json_agg(${ENTRY_JSON} order by e.seq) from entries e where e.run = r.id and e.session = r.session) as entries
from runs again join runs r on r.id = again.retry_of
where again.id = $1 and r.reason is not null`,
};

const SETTLED = {
  name: "settled",
  text: `
with held as (
  update sessions s set rev = s.rev + 1, touched_at = now_ms() where s.id = $1 and s.fence = $2::bigint returning s.id),
run as (
  update runs r set reply = 'settled', laid_out = $4::jsonb from held where r.id = $3 and r.session = held.id and r.reply = 'settling'),
attempt as (
  update attempts a set ended = 'ended', ended_at = now_ms()
  from held where a.run = $3 and a.fence = $2 and a.ended is null)
select id from held`,
};

/** A late word of a loser changes what was taken for a crash, and nothing that ended in order. */
const LEAVE = {
  name: "leave",
  text: `
update attempts a set ended = l.how, ended_at = now_ms()
from jsonb_to_recordset($1::jsonb) as l(run text, fence bigint, how text)
where a.run = l.run and a.fence = l.fence and (a.ended is null or a.ended = 'crashed')`,
};
/** At a deploy all attempts of a process leave in the same moment, and those who go on with them wait for it. */
const LEAVING = { atOnce: 2, most: 100 } as const;

/** No `rev`: it changes nothing that another statement could have read. */
const TOUCH = {
  name: "touch",
  text: `update sessions set touched_at = now_ms() where id = $1 and fence = $2::bigint returning 1 as one`,
};

const IS_STOPPED = {
  name: "is-stopped",
  text: `
select ${isStopped("s", "r")} as stopped
from sessions s join runs r on r.session = s.id where s.id = $1 and r.id = $2`,
};

const IS_STEERED = {
  name: "is-steered",
  text: `
select exists (select from inbox i where i.session = $1 and i.state = 'waiting' and i.kind = 'message'
  and i.seq > s.stop_seq) as steered
from sessions s where s.id = $1`,
};

/** Hashes that are remembered as stored, so that a prompt does not travel with each round. */
const KNOWN_BLOBS = 1_000;

export function createRunStore(
  deps: { readonly sql: Sql; readonly newId: NewId },
  options: RunStoreOptions = {},
): RunStore {
  const { sql, newId } = deps;
  const tail = options.tail ?? TAIL_ENTRIES;
  const { goalsAtOnceIn = () => 1_000_000 } = options;
  const known = new Set<string>();
  const isStored = (hash: string): boolean => known.has(hash);
  const remember = (calls: readonly ModelCallRecord[], frozen?: Frozen): void => {
    if (known.size > KNOWN_BLOBS) known.clear();
    for (const { prompt, tools } of frozen === undefined ? calls : [...calls, frozen])
      known.add(prompt.hash).add(tools.hash);
  };
  const leave = gathered<{ readonly fence: Fence; readonly how: Left }, undefined>(async (attempts) => {
    const rows = attempts.map(({ fence, how }) => ({ run: fence.run, fence: fence.number, how }));
    await sql.query(LEAVE, [JSON.stringify(rows)]);
    return [];
  }, LEAVING);
  return {
    ...createWork(sql),
    open(session, worker, goals) {
      const options = { newRun: newId, tail };
      return snapshotRetry(async () => {
        const { opened, hasGoal, goal } = await openRun(sql, session, worker, options);
        if (!hasGoal || opened.kind === "settle") return opened;
        if (opened.kind === "run") return { ...opened, ...(await openGoalOf(sql, opened, goal)) };
        return goals === undefined
          ? opened
          : openGoal(sql, session, worker, { ...options, atOnce: goalsAtOnceIn(session) }, goal);
      });
    },
    async beginning(session) {
      const [row] = await sql.query<Beginning>(BEGINNING, [session]);
      return row;
    },
    async triedAgain(fence) {
      const [row] = await sql.query<TriedAgainRow>(TRIED_AGAIN, [fence.run]);
      if (row === undefined) return undefined;
      const { run, outcome, entries } = row;
      const laidOut = toLaidOut(row.laidOut);
      return {
        run: toRunInfo(run),
        outcome: toOutcome(outcome),
        entries: (entries ?? []).map(toEntry),
        ...(laidOut === undefined ? {} : { laidOut }),
      };
    },
    async commitRound(fence, round, frozen) {
      const committed = await commitRound(sql, fence, { round, frozen }, isStored);
      remember(round.modelCalls, frozen);
      return committed;
    },
    async end(fence, ending, frozen) {
      const ended = await endRun(sql, fence, { ending, frozen }, isStored);
      if (ended.kind !== "stopped")
        remember([...(ending.round?.modelCalls ?? []), ...ending.modelCalls], frozen);
      return ended;
    },
    async settled(fence, laidOut) {
      const stands = laidOut === undefined ? null : JSON.stringify(laidOut);
      const rows = await sql.query(SETTLED, [fence.session, fence.number, fence.run, stands]);
      if (rows.length === 0) throw staleFence(fence);
    },
    async touch(fence) {
      const rows = await sql.query(TOUCH, [fence.session, fence.number]);
      if (rows.length === 0) throw staleFence(fence);
    },
    async leave(fence, how) {
      await leave({ fence, how });
    },
    async isStopped(fence) {
      const [row] = await sql.query<{ stopped: boolean }>(IS_STOPPED, [fence.session, fence.run]);
      return row?.stopped ?? false;
    },
    async isSteered(fence) {
      const [row] = await sql.query<{ steered: boolean }>(IS_STEERED, [fence.session]);
      return row?.steered ?? false;
    },
  };
}
