/** Stores what happened through the shell, and takes in what came back. */

import { isStaleFence, toBobbinError, type BobbinError } from "../errors.ts";
import type { EndReason } from "../events.ts";
import type { ModelCallRecord, RoundRecord } from "../round.ts";
import { abortReasonOf } from "./abort.ts";
import type { CommitAnswer } from "./loop-types.ts";
import { runIdOf, type RunState } from "./run-state.ts";

/** The loop ends here. */
export type Ending =
  | {
      readonly kind: "ended";
      readonly reason: EndReason;
      readonly error?: BobbinError;
      readonly round?: RoundRecord;
      readonly modelCalls: readonly ModelCallRecord[];
    }
  | { readonly kind: "left"; readonly how: "handed_over" | "lost" };

export type Commit = { readonly kind: "committed"; readonly answer: CommitAnswer } | Ending;

/** The conversation goes on with the entries as they were stored, since a store may mask secrets in them. */
export async function commit(state: RunState, record: RoundRecord): Promise<Commit> {
  let answer: CommitAnswer;
  try {
    answer = await state.hooks.commitRound(record);
  } catch (thrown) {
    const error = toBobbinError(thrown);
    if (isStaleFence(error) || error.code === "lease_lost") return { kind: "left", how: "lost" };
    return { kind: "ended", reason: "error", error, modelCalls: record.modelCalls };
  }
  const own = record.entries.map((body) => ({ run: runIdOf(state), round: record.round, body }));
  const isWhole = answer.stored.length === own.length;
  state.entries.push(...own.map((entry, index) => ({ ...entry, ...(isWhole ? answer.stored[index] : {}) })));
  return { kind: "committed", answer };
}

/** What an abort of the run's signal ends the loop with. */
export function endingOfAbort(
  state: RunState,
  modelCalls: readonly ModelCallRecord[],
  round?: RoundRecord,
): Ending {
  const reason = abortReasonOf(state.signal);
  switch (reason) {
    case "lost":
      return { kind: "left", how: "lost" };
    case "leave":
      return { kind: "left", how: "handed_over" };
    case "stopped":
    case "timeout":
      return {
        kind: "ended",
        reason: reason === "stopped" ? "cancelled" : "timeout",
        ...(round === undefined ? {} : { round }),
        modelCalls,
      };
    default:
      return reason satisfies never;
  }
}
