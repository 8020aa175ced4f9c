/** Runs, model calls and inbounds between their rows and what reviewers read. */

import type { ErrorCode } from "../../../core/errors.ts";
import type { Verdict } from "../../../core/goal/verdict.ts";
import type { Fate } from "../../../core/inbound.ts";
import type { RunId } from "../../../core/ids.ts";
import type {
  GoalStep,
  ReviewedCall,
  ReviewedInbound,
  ReviewedReaction,
  ReviewedRun,
} from "../../../core/ports/review.ts";
import type { AttemptView, InboundView, RunView } from "../../../core/ports/transcripts.ts";
import type { Purpose } from "../../../core/round.ts";
import type { RunCause } from "../../../core/run.ts";
import { toInbound } from "../inbound-row.ts";
import { OUTCOME_JSON, toOutcome, toUsage, USAGE_JSON, type OutcomeRow, type UsageRow } from "../run-row.ts";

/**
 * SQL: the reactions `x`, as `ReactionRow`s. Without a name stands that of what the person said in the thread. Those of which only the
 * taking back was heard are none.
 */
const REACTIONS = `json_agg(json_build_object('message', x.message, 'person', x.person, 'name', coalesce(x.name, (
      select w.body->'author'->>'name' from inbox w
      where w.session = x.session and w.body->'author'->>'id' = x.person order by w.seq desc limit 1), x.person),
    'emoji', x.shown, 'at', x.given_at, 'takenAt', case when x.taken_at >= x.given_at then x.taken_at end)
  order by x.given_at, x.person, x.emoji) filter (where x.given_at is not null)`;

/** SQL: what is shown of the run `r` itself, as a `RunRow`. */
export const RUN_COLUMNS = `r.id, r.n, r.cause, r.epoch, r.started_at as "startedAt", r.rounds, r.reply, r.requester->>'name' as requester,
  case when r.reason is not null then ${OUTCOME_JSON} end as outcome,
  (select ${USAGE_JSON} from model_calls c where c.run = r.id) as usage,
  (select json_agg(json_build_object('fence', a.fence, 'worker', a.worker, 'startedAt', a.started_at, 'ended', a.ended)
    order by a.fence) from attempts a where a.run = r.id) as attempts,
  (select json_agg(p.message order by p.index) from pages p where p.run = r.id and p.message is not null) as messages,
  (select json_agg(json_build_object('person', f.person, 'name', f.name, 'value', f.value, 'at', f.at) order by f.at, f.person)
    from feedback f where f.run = r.id) as feedback,
  (select ${REACTIONS} from pages p join reactions x on x.session = r.session and x.message = p.message
    where p.run = r.id) as reactions`;

/** SQL: the inbound `i`, as an `InboundRow`, but for its body. */
export const INBOUND_COLUMNS = `i.seq, i.state, i.run, i.fate, i.reason, i.rule, i.note, i.received_at as "receivedAt",
  case when i.kind = 'message' then (
    select ${REACTIONS} from reactions x where x.session = i.session and x.message = i.message) end as reactions`;

/** SQL: the facts of the model call `c`, as a `CallRow`. */
export const CALL = `json_build_object('id', c.id, 'run', c.run, 'round', c.round, 'purpose', c.purpose, 'model', c.model, 'startedAt', c.started_at,
  'durationMs', c.duration_ms, 'outcome', c.outcome, 'error', c.error, 'tries', c.tries,
  'usage', json_build_object('input', c.input, 'cacheRead', c.cache_read, 'cacheWrite', c.cache_write, 'output', c.output,
    'reasoning', c.reasoning, 'cost', c.cost))`;

/** SQL: what happened to the goals of session `$1`; the newest of each goal has what was given to its card. */
export const GOAL_STEPS = `select g.id as goal, e.at, e.kind, e.who, e.status,
  coalesce(e.body->>'objective', g.body->>'objective') as objective, e.body->>'evidence' as evidence,
  e.body->'proposal'->'verdict' as verdict,
  case when not exists (select from goal_events later where later.goal = g.id and later.n > e.n) then (
    select ${REACTIONS} from reactions x where x.session = g.session and x.message = g.card_message) end as reactions
from goals g join goal_events e on e.goal = g.id where g.session = $1 order by g.n, e.n limit 1000`;

export type GoalStepRow = Omit<GoalStep, "who" | "evidence" | "verdict" | "reactions"> & {
  readonly who: string | null;
  readonly evidence: string | null;
  readonly verdict: Verdict | null;
  readonly reactions: readonly ReactionRow[] | null;
};

type ReactionRow = Omit<ReviewedReaction, "takenAt"> & { readonly takenAt: number | null };

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
  readonly reactions: readonly ReactionRow[] | null;
}

export type CallRow = Omit<ReviewedCall, "usage" | "error" | "purpose"> & {
  readonly usage: UsageRow;
  readonly purpose: Purpose | null;
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
  readonly reactions: readonly ReactionRow[] | null;
}

export function toGoalStep({ who, evidence, verdict, reactions, ...step }: GoalStepRow): GoalStep {
  return {
    ...step,
    reactions: toReactions(reactions),
    ...(who === null ? {} : { who }),
    ...(evidence === null ? {} : { evidence }),
    ...(verdict === null ? {} : { verdict }),
  };
}

export function toRun(
  { outcome, usage, attempts, messages, feedback, reactions, requester, ...row }: RunRow,
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
    reactions: toReactions(reactions),
    calls: calls.filter(({ run }) => run === row.id),
  };
}

function toReactions(rows: readonly ReactionRow[] | null): readonly ReviewedReaction[] {
  return (rows ?? []).map(({ takenAt, ...row }) => (takenAt === null ? row : { ...row, takenAt }));
}

export function toCall({ usage, error, purpose, ...row }: CallRow): ReviewedCall {
  return {
    ...row,
    usage: toUsage(usage),
    ...(error === null ? {} : { error }),
    ...(purpose === null ? {} : { purpose }),
  };
}

export function toReviewedInbound({
  body,
  run,
  fate,
  reason,
  rule,
  note,
  reactions,
  ...row
}: InboundRow): ReviewedInbound {
  return {
    ...row,
    inbound: toInbound(body),
    reactions: toReactions(reactions),
    ...(run === null ? {} : { run }),
    ...(fate === null ? {} : { fate }),
    ...(reason === null ? {} : { reason }),
    ...(rule === null ? {} : { rule }),
    ...(note === null ? {} : { note }),
  };
}
