/** Reads threads for a file: in an order that stays, a piece at a time, and no byte of an image. */

import type {
  ExportedCall,
  ExportedEntry,
  ExportedRun,
  Exports,
  Piece,
} from "../../../core/ports/exports.ts";
import type { IsDirectAddress } from "../../../core/ports/overviews.ts";
import type { GoalStep, ReviewedInbound } from "../../../core/ports/review.ts";
import { toEntry, type EntryRow } from "../entry-row.ts";
import type { Sql, SqlValue } from "../sql.ts";
import { conditionsOf } from "./overview-filter.ts";
import { OVERVIEW_COLUMNS, toOverview, type OverviewRow } from "./overview-row.ts";
import { REMARK_COLUMNS, toRemark, type RemarkRow } from "./remarks.ts";
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

/** Rows of a piece: what is read of a thread at once, some hundred kilobytes as a rule. */
const AT_ONCE = 40;
const LIMIT = AT_ONCE + 1;

/** An image without what it looks like: its text alone would be as long as a hundred messages. */
const withoutBytes = (body: string, list: string): string => `
  when jsonb_typeof(${body}->'${list}') = 'array' then jsonb_set(${body}, '{${list}}', coalesce((
    select jsonb_agg(case when part ? 'data' then jsonb_set(part, '{data}', '""') else part end order by place)
    from jsonb_array_elements(${body}->'${list}') with ordinality as parts(part, place)), '[]'))`;
const light = (body: string): string =>
  `case ${withoutBytes(body, "parts")} ${withoutBytes(body, "images")} else ${body} end`;

const inboundsAfter = (mark: string): string => `
(select json_agg(x order by x.seq) from (
  select ${INBOUND_COLUMNS}, ${light("i.body")} as body from inbox i
  where i.session = $1 and i.seq > ${mark}::bigint order by i.seq limit ${LIMIT}) x)`;

const runsAfter = (mark: string): string => `
(select json_agg(x order by x.n) from (
  select ${RUN_COLUMNS}, (
    select json_agg(json_build_object('call', ${CALL}, 'bodyHash', c.body_hash) order by c.started_at, c.id)
    from model_calls c where c.run = r.id) as calls
  from runs r where r.session = $1 and r.n > ${mark}::bigint order by r.n limit ${LIMIT}) x)`;

/** A tool's result may stand beside its entry as well, where the model received less of it. */
const FULL_LENGTH = `case when e.kind = 'tool' then (
    select length(t.content) from tool_results t
    where t.run = e.run and t.round = e.round and t.call = e.body->>'call') end`;

const entriesAfter = (epoch: string, seq: string): string => `
(select json_agg(x order by x.epoch, x.seq) from (
  select e.created_at as at, e.epoch, e.seq, e.run, e.round, ${light("(e.body::jsonb - 'reasoning')")} as body, ${FULL_LENGTH} as full
  from entries e where e.session = $1 and (e.epoch, e.seq) > (${epoch}::integer, ${seq}::bigint)
  order by e.epoch, e.seq limit ${LIMIT}) x)`;

const OPEN = {
  name: "export-open",
  text: `
select (select json_agg(x order by x.n) from (
    select m.n, ${REMARK_COLUMNS} from remarks m where m.session = $1 order by m.n limit 500) x) as remarks,
  (select json_agg(x) from (${GOAL_STEPS}) x) as goals,
  ${inboundsAfter("0")} as inbounds, ${runsAfter("0")} as runs, ${entriesAfter("0", "0")} as entries`,
};
const INBOUNDS = { name: "export-inbounds", text: `select ${inboundsAfter("$2")} as rows` };
const RUNS = { name: "export-runs", text: `select ${runsAfter("$2")} as rows` };
const ENTRIES = { name: "export-entries", text: `select ${entriesAfter("$2", "$3")} as rows` };

const RESULT = {
  name: "export-result",
  text: `
select t.content from tool_results t join runs r on r.id = t.run
where r.session = $1 and t.run = $2 and t.round = $3::integer and t.call = $4`,
};

interface ExportedCallRow {
  readonly call: CallRow;
  readonly bodyHash: string | null;
}

type ExportedRunRow = RunRow & { readonly calls: readonly ExportedCallRow[] | null };

interface ExportedEntryRow {
  readonly at: number;
  readonly epoch: number;
  readonly seq: number;
  readonly run: string | null;
  readonly round: number | null;
  readonly body: unknown;
  readonly full: number | null;
}

type Rows<T> = readonly T[] | null;

interface OpenRow {
  readonly remarks: Rows<RemarkRow>;
  readonly goals: Rows<GoalStepRow>;
  readonly inbounds: Rows<InboundRow>;
  readonly runs: Rows<ExportedRunRow>;
  readonly entries: Rows<ExportedEntryRow>;
}

/** @param sql for questions that stand behind the work. */
export function createExports(sql: Sql, isDirectAddress: IsDirectAddress): Exports {
  async function more<R, T>(
    statement: { readonly name: string; readonly text: string },
    values: readonly SqlValue[],
    toItem: (row: R) => T,
  ): Promise<Piece<T>> {
    const [row] = await sql.query<{ rows: Rows<R> }>(statement, values);
    return pieceOf(row?.rows ?? null, toItem);
  }

  return {
    async count({ platform, space }, filter) {
      const values: SqlValue[] = [platform, space];
      const wheres = conditionsOf(filter, (value) => `$${values.push(value)}`);
      const text = `select count(*) as threads, coalesce(sum(o.runs), 0)::bigint as runs from overviews o
where ${["o.platform = $1", "o.space = $2", ...wheres].join(" and ")}`;
      const [row] = await sql.query<{ threads: number; runs: number }>({ text }, values);
      return row ?? { threads: 0, runs: 0 };
    },
    async threads({ platform, space }, filter, { after, limit }) {
      const values: SqlValue[] = [platform, space];
      const given = (value: SqlValue): string => `$${values.push(value)}`;
      const wheres = ["o.platform = $1", "o.space = $2", ...conditionsOf(filter, given)];
      if (after !== undefined) wheres.push(`o.session > ${given(after)}`);
      const chosen = `select * from overviews o where ${wheres.join(" and ")} order by o.session limit ${given(limit)}::integer`;
      const text = `select ${OVERVIEW_COLUMNS} from (${chosen}) o join sessions s on s.id = o.session order by o.session`;
      return (await sql.query<OverviewRow>({ text }, values)).map((row) => toOverview(row, isDirectAddress));
    },
    async open(session) {
      const [row] = await sql.query<OpenRow>(OPEN, [session]);
      return {
        remarks: (row?.remarks ?? []).map(toRemark),
        goals: (row?.goals ?? []).map((step): GoalStep => toGoalStep(step)),
        inbounds: pieceOf(row?.inbounds ?? null, (each): ReviewedInbound => toReviewedInbound(each)),
        runs: pieceOf(row?.runs ?? null, toExportedRun),
        entries: pieceOf(row?.entries ?? null, toExportedEntry),
      };
    },
    inbounds: (session, { seq }) => more(INBOUNDS, [session, seq], toReviewedInbound),
    runs: (session, { n }) => more(RUNS, [session, n], toExportedRun),
    entries: (session, { entry }) => more(ENTRIES, [session, entry.epoch, entry.seq], toExportedEntry),
    async result(session, run, round, call) {
      const [row] = await sql.query<{ content: string }>(RESULT, [session, run, round, call]);
      return row?.content;
    },
  };
}

/** One row more was asked for than is in a piece. */
function pieceOf<R, T>(rows: Rows<R>, toItem: (row: R) => T): Piece<T> {
  const all = rows ?? [];
  return { items: all.slice(0, AT_ONCE).map(toItem), hasMore: all.length > AT_ONCE };
}

function toExportedRun({ calls, ...row }: ExportedRunRow): ExportedRun {
  const { calls: _, ...run } = toRun(row, []);
  return {
    ...run,
    calls: (calls ?? []).map(({ call, bodyHash }): ExportedCall => ({
      ...toCall(call),
      ...(bodyHash === null ? {} : { bodyHash }),
    })),
  };
}

function toExportedEntry({ at, epoch, seq, run, round, body, full }: ExportedEntryRow): ExportedEntry {
  const row: EntryRow = [seq, epoch, run, round, body];
  return { at, entry: toEntry(row), ...(full === null ? {} : { fullLength: full }) };
}
