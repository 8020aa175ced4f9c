/** Runs, model calls and inbounds between their rows and what reviewers read. */

import type { ErrorCode } from "../../../core/errors.ts";
import type { Fate } from "../../../core/inbound.ts";
import type { RunId } from "../../../core/ids.ts";
import type { GoalStep, ReviewedCall, ReviewedInbound, ReviewedRun } from "../../../core/ports/review.ts";
import type { AttemptView, InboundView, RunView } from "../../../core/ports/transcripts.ts";
import type { RunCause } from "../../../core/run.ts";
import { toInbound } from "../inbound-row.ts";
import { OUTCOME_JSON, toOutcome, toUsage, USAGE_JSON, type OutcomeRow, type UsageRow } from "../run-row.ts";

/** SQL: what is shown of the run `r` itself, as a `RunRow`. */
export const RUN_COLUMNS = `r.id, r.n, r.cause, r.epoch, r.started_at as "startedAt", r.rounds, r.reply, r.requester->>'name' as requester,
  case when r.reason is not null then ${OUTCOME_JSON} end as outcome,
  (select ${USAGE_JSON} from model_calls c where c.run = r.id) as usage,
  (select json_agg(json_build_object('fence', a.fence, 'worker', a.worker, 'startedAt', a.started_at, 'ended', a.ended)
    order by a.fence) from attempts a where a.run = r.id) as attempts,
  (select json_agg(p.message order by p.index) from pages p where p.run = r.id and p.message is not null) as messages,
  (select json_agg(json_build_object('person', f.person, 'name', f.name, 'value', f.value, 'at', f.at) order by f.at, f.person)
    from feedback f where f.run = r.id) as feedback`;

/** SQL: the inbound `i`, as an `InboundRow`, but for its body. */
export const INBOUND_COLUMNS = `i.seq, i.state, i.run, i.fate, i.reason, i.rule, i.note, i.received_at as "receivedAt"`;

/** SQL: the facts of the model call `c`, as a `CallRow`. */
export const CALL = `json_build_object('id', c.id, 'run', c.run, 'round', c.round, 'model', c.model, 'startedAt', c.started_at,
  'durationMs', c.duration_ms, 'outcome', c.outcome, 'error', c.error, 'tries', c.tries,
  'usage', json_build_object('input', c.input, 'cacheRead', c.cache_read, 'cacheWrite', c.cache_write, 'output', c.output,
    'reasoning', c.reasoning, 'cost', c.cost))`;

/** SQL: what happened to the goals of session `$1`. */
export const GOAL_STEPS = `select g.id as goal, e.at, e.kind, e.who, e.status, g.body->>'objective' as objective
from goals g join goal_events e on e.goal = g.id where g.session = $1 order by g.n, e.n limit 1000`;

export type GoalStepRow = Omit<GoalStep, "who"> & { readonly who: string | null };

export interface RunRow {
  readonly id: RunId;
  readonly n: number;
  readonly cause: RunCause;
  readonly epoch: number;
  readonly startedAt: number;
  readonly rounds: number;
  readonly reply: RunView["reply"];
  readonly requester: string | null;
  readonly outcome: OutcomeRow | null;
  readonly usage: UsageRow;
  readonly attempts:
    | readonly (Omit<AttemptView, "ended"> & {
        readonly ended: NonNullable<AttemptView["ended"]> | null;
      })[]
    | null;
  readonly messages: readonly string[] | null;
  readonly feedback: ReviewedRun["feedback"] | null;
}

export type CallRow = Omit<ReviewedCall, "usage" | "error"> & {
  readonly usage: UsageRow;
  readonly error: ErrorCode | null;
};

export interface InboundRow {
  readonly seq: number;
  readonly body: unknown;
  readonly state: InboundView["state"];
  readonly run: RunId | null;
  readonly fate: Fate | null;
  readonly reason: string | null;
  readonly rule: string | null;
  readonly note: string | null;
  readonly receivedAt: number;
}

export function toGoalStep({ who, ...step }: GoalStepRow): GoalStep {
  return who === null ? step : { ...step, who };
}

export function toRun(
  { outcome, usage, attempts, messages, feedback, requester, ...row }: RunRow,
  calls: readonly ReviewedCall[],
): ReviewedRun {
  return {
    ...row,
    requester: requester ?? "",
    ...(outcome === null ? {} : { outcome: toOutcome(outcome) }),
    usage: toUsage(usage),
    attempts: (attempts ?? []).map(({ ended, ...attempt }): AttemptView =>
      ended === null ? attempt : { ...attempt, ended },
    ),
    messages: messages ?? [],
    feedback: feedback ?? [],
    calls: calls.filter(({ run }) => run === row.id),
  };
}

export function toCall({ usage, error, ...row }: CallRow): ReviewedCall {
  return { ...row, usage: toUsage(usage), ...(error === null ? {} : { error }) };
}

export function toReviewedInbound({
  body,
  run,
  fate,
  reason,
  rule,
  note,
  ...row
}: InboundRow): ReviewedInbound {
  return {
    ...row,
    inbound: toInbound(body),
    ...(run === null ? {} : { run }),
    ...(fate === null ? {} : { fate }),
    ...(reason === null ? {} : { reason }),
    ...(rule === null ? {} : { rule }),
    ...(note === null ? {} : { note }),
  };
}
