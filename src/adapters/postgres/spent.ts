/** What a session and its newest run took and did, for people who look. */

import type { ErrorCode } from "../../core/errors.ts";
import type { RunId } from "../../core/ids.ts";
import type { ModelCallView, ModelUsage, RunDetails, SessionUsage } from "../../core/ports/transcripts.ts";
import type { Purpose } from "../../core/round.ts";
import type { RunCause } from "../../core/run.ts";
import type { SessionId } from "../../core/thread.ts";
import { toEntry, ENTRY_JSON, type EntryRow } from "./entry-row.ts";
import { OUTCOME_JSON, toOutcome, toUsage, USAGE_JSON, type OutcomeRow, type UsageRow } from "./run-row.ts";
import type { Sql } from "./sql.ts";

const NEWEST = `(select n.id from runs n where n.session = $1 order by n.n desc limit 1)`;

const byModel = (name: string, calls: string) => ({
  name,
  text: `
select c.model, count(*) as calls, count(c.cost) as reported, ${USAGE_JSON} as usage
from ${calls} group by c.model order by count(*) desc, c.model`,
});

const OF_SESSION = byModel(
  "spent-by-session",
  "runs r join model_calls c on c.run = r.id where r.session = $1",
);
const OF_NEWEST = byModel("spent-by-newest", `model_calls c where c.run = ${NEWEST}`);

interface ByModelRow {
  readonly model: string;
  readonly calls: number;
  readonly reported: number;
  readonly usage: UsageRow;
}

/** A page of a reply, else a message that somebody wrote. */
const OF_MESSAGE = `coalesce(
  (select p.run from runs m join pages p on p.run = m.id where m.session = $1 and p.message = $2 limit 1),
  (select i.run from inbox i where i.session = $1 and i.kind = 'message' and i.message = $2
    order by i.seq desc limit 1))`;

/** @param run an SQL expression. */
const details = (name: string, run: string) => ({
  name,
  text: `
select r.id, r.cause, r.epoch, r.started_at as "startedAt", r.rounds, r.reply,
  case when r.reason is not null then ${OUTCOME_JSON} end as outcome,
  (select ${USAGE_JSON} from model_calls c where c.run = r.id) as usage,
  (select json_agg(json_build_object('round', c.round, 'model', c.model, 'durationMs', c.duration_ms, 'outcome', c.outcome,
      'error', c.error, 'purpose', c.purpose, 'usage', json_build_object('input', c.input, 'cacheRead', c.cache_read, 'cacheWrite', c.cache_write,
      'output', c.output, 'reasoning', c.reasoning, 'cost', c.cost)) order by c.started_at, c.round)
    from model_calls c where c.run = r.id) as calls,
  (select json_agg(${ENTRY_JSON} order by e.seq) from entries e where e.run = r.id and e.kind = 'tool') as tools
from runs r where r.id = ${run}`,
});

const DETAILS = details("spent-details", NEWEST);
const DETAILS_OF = details("spent-details-of", OF_MESSAGE);
const DETAILS_NAMED = details(
  "spent-details-named",
  `(select n.id from runs n where n.session = $1 and n.id = $2)`,
);

interface DetailsRow {
  readonly id: RunId;
  readonly cause: RunCause;
  readonly epoch: number;
  readonly startedAt: number;
  readonly rounds: number;
  readonly reply: RunDetails["run"]["reply"];
  readonly outcome: OutcomeRow | null;
  readonly usage: UsageRow;
  readonly calls: readonly CallRow[] | null;
  readonly tools: readonly EntryRow[] | null;
}

type CallRow = Omit<ModelCallView, "usage" | "error" | "purpose"> & {
  readonly usage: UsageRow;
  readonly error: ErrorCode | null;
  readonly purpose: Purpose | null;
};

export async function readUsage(sql: Sql, session: SessionId): Promise<SessionUsage> {
  const [models, last] = await Promise.all(
    [OF_SESSION, OF_NEWEST].map((statement) => sql.query<ByModelRow>(statement, [session])),
  );
  return { models: (models ?? []).map(toModelUsage), last: (last ?? []).map(toModelUsage) };
}

function toModelUsage({ usage, ...row }: ByModelRow): ModelUsage {
  return { ...row, usage: toUsage(usage) };
}

/** @param which the run itself, or a message that belongs to it; the newest one unless said. */
export async function readRun(
  sql: Sql,
  session: SessionId,
  which: { readonly message?: string; readonly run?: RunId } = {},
): Promise<RunDetails | undefined> {
  const { message, run: id } = which;
  const [row] =
    id !== undefined
      ? await sql.query<DetailsRow>(DETAILS_NAMED, [session, id])
      : message === undefined
        ? await sql.query<DetailsRow>(DETAILS, [session])
        : await sql.query<DetailsRow>(DETAILS_OF, [session, message]);
  if (row === undefined) return undefined;
  const { outcome, usage, calls, tools, ...run } = row;
  return {
    run: {
      ...run,
      ...(outcome === null ? {} : { outcome: toOutcome(outcome) }),
      usage: toUsage(usage),
    },
    modelCalls: (calls ?? []).map(({ error, purpose, usage: of, ...call }) => ({
      ...call,
      ...(error === null ? {} : { error }),
      ...(purpose === null ? {} : { purpose }),
      usage: toUsage(of),
    })),
    tools: (tools ?? []).flatMap((entry) => {
      const { body } = toEntry(entry);
      return body.kind === "tool" ? [body] : [];
    }),
  };
}
