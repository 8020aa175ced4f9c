/** How a run ends, for the store and for the people who read the reply. */

import type { LoopOutcome } from "../agent/loop-types.ts";
import { noteFor } from "../end-reason.ts";
import type { TurnNews } from "../goal/news.ts";
import type { RunEnding } from "../ports/run-store.ts";
import type { RoundRecord } from "../round.ts";
import type { Outcome } from "../run.ts";

export type LoopEnd = Extract<LoopOutcome, { kind: "ended" }>;

/** A stop or reset came before the first look: no model call is made for it. */
export const stoppedBeforeItBegan: LoopOutcome = {
  kind: "ended",
  reason: "cancelled",
  modelCalls: [],
  rounds: 0,
  usage: {},
  durationMs: 0,
};

/**
 * @param stored rounds that are stored. A blank reply stands in no entry, but it is one of the run's model calls.
 * @param most model calls that the run may make.
 */
export function toRunEnding(outcome: LoopEnd, stored: number, most: number): RunEnding {
  const note = noteFor(outcome.reason);
  if (outcome.round === undefined && outcome.rounds > stored) {
    const { rounds: round, modelCalls } = outcome;
    const blank: RoundRecord = { round, state: "complete", entries: [], results: [], modelCalls };
    return toRunEnding({ ...outcome, round: blank, modelCalls: [] }, stored, most);
  }
  return {
    reason: outcome.reason,
    modelCalls: outcome.modelCalls,
    ...(outcome.error === undefined
      ? {}
      : { error: { code: outcome.error.code, message: outcome.error.message } }),
    ...(outcome.round === undefined ? {} : { round: outcome.round }),
    ...(note === undefined ? {} : { note }),
    ...(outcome.rounds < most ? {} : { isLast: true }),
  };
}

/** @param news of the thread's goal, as the store has written it. */
export function outcomeOf(outcome: LoopEnd, endedAt: number, news: TurnNews = {}): Outcome {
  return {
    reason: outcome.reason,
    endedAt,
    ...(outcome.error === undefined
      ? {}
      : { error: { code: outcome.error.code, message: outcome.error.message } }),
    ...(news.said === undefined ? {} : { goal: news.said }),
    ...(news.isQuiet ? { isQuiet: true } : {}),
  };
}
