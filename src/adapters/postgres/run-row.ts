/** Runs between their rows and the vocabulary. */

import type { EndReason } from "../../core/events.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { RunId } from "../../core/ids.ts";
import type { Outcome, RunCause, RunInfo } from "../../core/run.ts";
import type { SessionId } from "../../core/thread.ts";
import type { Usage } from "../../core/usage.ts";
import { toAuthor } from "./entry-row.ts";

/** Sums of model calls; a bucket that no call reported is null. */
export interface UsageRow {
  readonly input: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  readonly output: number | null;
  readonly reasoning: number | null;
  readonly cost: number | null;
}

export interface RunRow {
  readonly id: string;
  readonly session: string;
  readonly cause: RunCause;
  readonly epoch: number;
  readonly rounds: number;
  readonly startedAt: number;
  readonly requester: unknown;
  readonly usage: UsageRow | null;
  readonly model?: string | null;
}

export interface OutcomeRow {
  readonly reason: EndReason;
  readonly code: ErrorCode | null;
  readonly message: string | null;
  readonly endedAt: number;
  readonly goal: string | null;
  readonly quiet: boolean | null;
}

/** SQL: the usage of all model calls `c` in the rows that it is put over, as a `UsageRow`. */
export const USAGE_JSON = `json_build_object('input', sum(c.input), 'cacheRead', sum(c.cache_read),
  'cacheWrite', sum(c.cache_write), 'output', sum(c.output), 'reasoning', sum(c.reasoning), 'cost', sum(c.cost))`;

/** SQL: the model that the run with this id asked last. */
export const modelOf = (run: string): string =>
  `(select m.model from model_calls m where m.run = ${run} order by m.round desc, m.started_at desc limit 1)`;

/** SQL: the outcome of the ended run `r`, as an `OutcomeRow`. */
export const OUTCOME_JSON = `json_build_object('reason', r.reason, 'code', r.error_code, 'message', r.error_message,
  'endedAt', r.ended_at, 'goal', r.goal_said, 'quiet', r.quiet)`;

export function toRunInfo(row: RunRow): RunInfo {
  return {
    id: row.id as RunId,
    session: row.session as SessionId,
    cause: row.cause,
    epoch: row.epoch,
    rounds: row.rounds,
    usage: toUsage(row.usage),
    startedAt: row.startedAt,
    ...(row.model == null ? {} : { model: row.model }),
    requester: toAuthor(row.requester),
  };
}

export function toOutcome(row: OutcomeRow): Outcome {
  const error = row.code === null ? undefined : { code: row.code, message: row.message ?? "" };
  return {
    reason: row.reason,
    ...(error === undefined ? {} : { error }),
    endedAt: row.endedAt,
    ...(row.goal === null ? {} : { goal: row.goal }),
    ...(row.quiet === true ? { isQuiet: true } : {}),
  };
}

export function toUsage(row: UsageRow | null): Usage {
  const usage: { -readonly [K in keyof Usage]: Usage[K] } = {};
  if (row === null) return usage;
  for (const bucket of ["input", "cacheRead", "cacheWrite", "output", "reasoning", "cost"] as const) {
    const value = row[bucket];
    if (value !== null) usage[bucket] = value;
  }
  return usage;
}
