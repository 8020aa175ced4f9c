/** Reads all that a thread holds, a page of runs at a time. */

import { rebuildRequest } from "../../../core/context/request.ts";
import type { LongResult, Review } from "../../../core/ports/review.ts";
import type { SessionId } from "../../../core/thread.ts";
import { ENTRY_JSON, toEntry, type EntryRow } from "../entry-row.ts";
import { createModelCalls } from "../model-calls.ts";
import type { Sql } from "../sql.ts";
import {
  CALL,
  GOAL_STEPS,
  INBOUND_COLUMNS,
  RUN_COLUMNS,
  toCall,
  toGoalStep,
  toReviewedInbound,
  toRun,
  type CallRow,
  type GoalStepRow,
  type InboundRow,
  type RunRow,
} from "./review-rows.ts";

const RUNS = {
  name: "review-runs",
  text: `
select ${RUN_COLUMNS}
from runs r where r.session = $1 and ($2::bigint is null or r.n < $2) order by r.n desc limit $3::integer`,
};

const OF_RUNS = {
  name: "review-of-runs",
  text: `
with shown as (select r.id from jsonb_array_elements_text($2::jsonb) id join runs r on r.id = id and r.session = $1)
select
  (select json_agg(json_build_array(e.created_at, ${ENTRY_JSON}) order by e.epoch, e.seq) from entries e
    where e.session = $1 and (e.run in (select id from shown) or ($3::boolean and e.run is null))) as entries,
  (select json_agg(${CALL} order by c.started_at, c.id) from model_calls c
    where c.run in (select id from shown)) as calls,
  (select json_agg(json_build_object('run', t.run, 'round', t.round, 'call', t.call, 'length', length(t.content)))
    from tool_results t where t.run in (select id from shown)) as results`,
};

const MOST_INBOUNDS = 2_000;

/** The newest first, and one more than are shown. */
const INBOUNDS = {
  name: "review-inbounds",
  text: `
select ${INBOUND_COLUMNS}, i.body from inbox i
where i.session = $1 and i.received_at >= $2::bigint and i.received_at < $3::bigint
order by i.seq desc limit ${MOST_INBOUNDS + 1}`,
};

const GOALS = { name: "review-goals", text: GOAL_STEPS };

const RESULT = {
  name: "review-result",
  text: `
select coalesce(
  (select t.content from tool_results t join runs r on r.id = t.run
    where r.session = $1 and t.run = $2 and t.round = $3::integer and t.call = $4),
  (select e.body->>'content' from entries e
    where e.session = $1 and e.run = $2 and e.round = $3::integer and e.kind = 'tool' and e.body->>'call' = $4 limit 1)) as content`,
};

/** Of the runs from that of the entry on, the one with which the next page begins. What is of no run stands before the first of them. */
const BEFORE = {
  name: "review-before",
  text: `
select r.n from runs r where r.session = $1 and r.n >= (
  select coalesce(own.n, 0) from entries e left join runs own on own.id = e.run
  where e.session = $1 and e.epoch = $2 and e.seq = $3)
order by r.n offset $4::integer limit 1`,
};

const ENTRY = {
  name: "review-entry",
  text: `select json_build_array(e.created_at, ${ENTRY_JSON}) as entry from entries e
where e.session = $1 and e.epoch = $2 and e.seq = $3`,
};

/**
 * Each write that takes the session raises its revision; what a command alone stores is seen by its place in the ledger, and what becomes of
 * reactions by the sum of their numbers: the largest one alone would miss what was begun before it and ended behind it.
 */
const STATE = {
  name: "review-state",
  text: `
select concat_ws(' ', s.rev, s.last_seq, (select max(i.seq) from inbox i where i.session = s.id), s.title,
  (select sum(x.n) from reactions x where x.session = s.id)) as state
from sessions s where s.id = $1`,
};

interface OfRunsRow {
  readonly entries: readonly (readonly [number, EntryRow])[] | null;
  readonly calls: readonly CallRow[] | null;
  readonly results: readonly LongResult[] | null;
}

export function createReview(sql: Sql): Review {
  const modelCalls = createModelCalls(sql);

  return {
    async thread(session, { before, limit }) {
      const rows = await sql.query<RunRow>(RUNS, [session, before ?? null, limit + 1]);
      const hasEarlier = rows.length > limit;
      const shown = rows.slice(0, limit).toReversed();
      const oldest = shown[0];
      // What was said on the page before this one stands there.
      const since = hasEarlier && oldest !== undefined ? oldest.startedAt : 0;
      const until = before === undefined ? Number.MAX_SAFE_INTEGER : await startOf(session, before);
      const [[of], inbounds] = await Promise.all([
        sql.query<OfRunsRow>(OF_RUNS, [session, JSON.stringify(shown.map(({ id }) => id)), !hasEarlier]),
        sql.query<InboundRow>(INBOUNDS, [session, since, until]),
      ]);
      const calls = (of?.calls ?? []).map(toCall);
      return {
        runs: shown.map((row) => toRun(row, calls)),
        entries: (of?.entries ?? []).map(([at, entry]) => ({ at, entry: toEntry(entry) })),
        inbounds: inbounds.slice(0, MOST_INBOUNDS).toReversed().map(toReviewedInbound),
        hasMoreInbounds: inbounds.length > MOST_INBOUNDS,
        results: of?.results ?? [],
        hasEarlier,
      };
    },
    async goals(session) {
      return (await sql.query<GoalStepRow>(GOALS, [session])).map(toGoalStep);
    },
    async request(session, id) {
      const [owned] = await sql.query<{ call: CallRow }>(
        {
          name: "review-call",
          text: `select ${CALL} as call from model_calls c where c.id = $1 and c.session = $2`,
        },
        [id, session],
      );
      const stored = owned && (await modelCalls.read(id));
      if (stored === undefined || owned === undefined) return undefined;
      if (stored.call.params === "{}") return "forgotten";
      const { bodyHash } = stored.call;
      const request = rebuildRequest(stored.call, stored.entries);
      return { call: toCall(owned.call), request, ...(bodyHash === undefined ? {} : { bodyHash }) };
    },
    async result(session, run, round, call) {
      const [row] = await sql.query<{ content: string | null }>(RESULT, [session, run, round, call]);
      return row?.content ?? undefined;
    },
    async beforeOf(session, epoch, seq, limit) {
      const [row] = await sql.query<{ n: number }>(BEFORE, [session, epoch, seq, limit]);
      return row?.n;
    },
    async entry(session, epoch, seq) {
      const [row] = await sql.query<{ entry: readonly [number, EntryRow] }>(ENTRY, [session, epoch, seq]);
      return row && { at: row.entry[0], entry: toEntry(row.entry[1]) };
    },
    async state(session) {
      const [row] = await sql.query<{ state: string }>(STATE, [session]);
      return row?.state ?? "";
    },
  };

  async function startOf(session: SessionId, n: number): Promise<number> {
    const text = `select started_at as at from runs where session = $1 and n >= $2 order by n limit 1`;
    const [row] = await sql.query<{ at: number }>({ name: "review-start", text }, [session, n]);
    return row?.at ?? Number.MAX_SAFE_INTEGER;
  }
}
