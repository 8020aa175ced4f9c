/** What was used, added up when somebody looks: nothing is kept for it but two indexes of block ranges. */

import type { UsageFigures, UsageLine, UsageTables } from "../../../core/ports/usage-figures.ts";
import type { Sql } from "../sql.ts";

/** In which table a row belongs. */
const OF = ["day", "model", "channel", "person"] as const;
type Of = (typeof OF)[number];

/** Our pool plans for rows that are found by key; these are found by ranges of blocks, and added up as a whole. */
const PLANNED = ["enable_bitmapscan = on", "enable_seqscan = on", "plan_cache_mode = force_custom_plan"];

/** $1 prefix of the space's sessions, $2 from, $3 to. */
const WHERE = (row: string): string =>
  `${row}.started_at >= $2::bigint and ${row}.started_at < $3::bigint and starts_with(${row}.session, $1::text)`;

const KEYS = (row: string, run: string): string => `
  to_char(to_timestamp(${row}.started_at / 1000.0) at time zone 'UTC', 'YYYY-MM-DD') as day,
  coalesce((select p.parent from thread_places p where p.session = ${row}.session), split_part(${row}.session, ':', 3)) as channel,
  ${run}.requester->>'id' as person, ${run}.requester->>'name' as name`;

/** The table of a row and its key; a total has neither. */
const grouped = (of: readonly Of[]): string => `
  case ${of.map((key) => `when grouping(${key}) = 0 then '${key}'`).join(" ")} else 'total' end as of,
  coalesce(${of.map((key) => `case when grouping(${key}) = 0 then ${key} end`).join(", ")}, '') as key,
  case when grouping(person) = 0 then max(name) end as name`;

const sets = (of: readonly Of[]): string =>
  `group by grouping sets (${of.map((key) => `(${key})`).join(", ")}, ())`;

const RUNS_OF = OF.filter((key) => key !== "model");

const RUNS = `
with found as (
  select ${KEYS("r", "r")}, r.reason, r.ended_at - r.started_at as ms
  from runs r where ${WHERE("r")})
select ${grouped(RUNS_OF)}, count(*) as runs, count(*) filter (where reason = 'error') as failed,
  percentile_cont(0.5) within group (order by ms) as median, percentile_cont(0.95) within group (order by ms) as p95
from found ${sets(RUNS_OF)}`;

const CALLS = `
with found as (
  select ${KEYS("c", "r")}, c.model, c.outcome, c.input, c.cache_read, c.cache_write, c.output, c.reasoning, c.cost
  from model_calls c join runs r on r.id = c.run where ${WHERE("c")})
select ${grouped(OF)}, count(*) as calls, count(*) filter (where outcome = 'failed') as "failedCalls",
  coalesce(sum(coalesce(input, 0) + coalesce(cache_write, 0)), 0)::bigint as input, coalesce(sum(cache_read), 0)::bigint as cached,
  coalesce(sum(coalesce(output, 0) + coalesce(reasoning, 0)), 0)::bigint as output, sum(cost) as cost
from found ${sets(OF)}`;

/** By itself: to sort the calls for each way to look at them would cost as much as all else together. */
const WAITS = `
select c.model as key, percentile_cont(0.5) within group (order by c.duration_ms) as median,
  percentile_cont(0.95) within group (order by c.duration_ms) as p95
from model_calls c where ${WHERE("c")} and c.outcome in ('done', 'cut') group by c.model`;

interface Row {
  readonly of: Of | "total";
  readonly key: string;
  readonly name: string | null;
}

interface RunsRow extends Row {
  readonly runs: number;
  readonly failed: number;
  readonly median: number | null;
  readonly p95: number | null;
}

interface CallsRow extends Row {
  readonly calls: number;
  readonly failedCalls: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly cost: number | null;
}

interface WaitRow {
  readonly key: string;
  readonly median: number;
  readonly p95: number;
}

export function createUsageFigures(sql: Sql): UsageFigures {
  return {
    async of({ platform, space }, { from, to }) {
      const values = [`${platform}:${space}:`, Math.round(from), Math.round(to)];
      const [runs, calls, waits] = await sql.transaction(async (tx) => {
        for (const setting of PLANNED) await tx.query({ text: `set local ${setting}` });
        return [
          await tx.query<RunsRow>({ text: RUNS }, values),
          await tx.query<CallsRow>({ text: CALLS }, values),
          await tx.query<WaitRow>({ text: WAITS }, values),
        ] as const;
      });
      return tablesOf(runs, calls, waits);
    },
  };
}

const NOTHING = { runs: 0, failed: 0, calls: 0, failedCalls: 0, input: 0, cached: 0, output: 0 };

function tablesOf(
  runs: readonly RunsRow[],
  calls: readonly CallsRow[],
  waits: readonly WaitRow[],
): UsageTables {
  const lines = new Map<string, UsageLine>();
  const put = ({ of, key, name }: Row, more: Partial<UsageLine>): void => {
    const at = `${of} ${key}`;
    const before: UsageLine = lines.get(at) ?? { key, ...NOTHING };
    lines.set(at, { ...before, ...(name === null ? {} : { name }), ...more });
  };
  for (const row of runs) {
    const { median, p95, failed } = row;
    const waited = median === null || p95 === null ? {} : { medianMs: median, p95Ms: p95 };
    put(row, { runs: row.runs, failed, ...waited });
  }
  for (const row of calls) {
    const { input, cached, output, cost, failedCalls } = row;
    put(row, { calls: row.calls, failedCalls, input, cached, output, ...(cost === null ? {} : { cost }) });
  }
  for (const { key, median, p95 } of waits)
    put({ of: "model", key, name: null }, { callMedianMs: median, callP95Ms: p95 });
  const of = (table: Of | "total"): readonly UsageLine[] =>
    [...lines].filter(([at]) => at.startsWith(`${table} `)).map(([, line]) => line);
  const used = ({ input, cached, output }: UsageLine): number => input + cached + output;
  const byUse = (table: Of): readonly UsageLine[] =>
    of(table).toSorted((a, b) => used(b) - used(a) || b.runs - a.runs || (a.key < b.key ? -1 : 1));
  return {
    total: of("total")[0] ?? { key: "", ...NOTHING },
    days: of("day").toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    models: byUse("model"),
    channels: byUse("channel"),
    people: byUse("person"),
  };
}
