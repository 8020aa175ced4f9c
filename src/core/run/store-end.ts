/** Stores how a run ended. Its answer goes with the end, so what may befall an answer is decided here. */

import { isStaleFence, isStoreTrouble, toBobbinError } from "../errors.ts";
import type { Ended, RunEnding } from "../ports/run-store.ts";
import { toRunEnding, type LoopEnd } from "./run-ending.ts";

export interface StoredEnd {
  /** How it ended in truth. */
  readonly how: LoopEnd;
  readonly ended: Exclude<Ended, { kind: "stopped" }>;
}

/**
 * @param end stores it.
 * @param stored rounds that are stored.
 * @param most model calls that the run may make.
 * @returns an answer that a stop came before as cancelled, and one that our store has a fault with as that error.
 */
export async function storeEnd(
  end: (ending: RunEnding) => Promise<Ended>,
  outcome: LoopEnd,
  stored: number,
  most: number,
): Promise<StoredEnd> {
  let how = outcome;
  let ended: Ended;
  try {
    ended = await end(toRunEnding(how, stored, most));
  } catch (thrown) {
    const { round, ...rest } = outcome;
    const error = toBobbinError(thrown);
    // A store that is away, or an attempt that has lost, ends only the attempt.
    if (outcome.reason !== "stop" || round === undefined || isStoreTrouble(error) || isStaleFence(error))
      throw thrown;
    how = { ...rest, reason: "error", error, modelCalls: round.modelCalls, rounds: stored };
    ended = await end(toRunEnding(how, stored, most));
  }
  if (ended.kind === "stopped") {
    how = { ...outcome, reason: "cancelled" };
    ended = await end(toRunEnding(how, stored, most));
  }
  if (ended.kind === "stopped") throw new TypeError("a cancelled run cannot be stopped");
  return { how, ended };
}
