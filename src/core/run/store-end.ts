/**
 * Stores how a run ended. Its answer goes with the end, so what may befall an answer is decided here; and so does what its model
 * calls took, which must not keep an answer from being stored.
 */

import { isStaleFence, isStoreTrouble, toBobbinError, type BobbinError } from "../errors.ts";
import type { Ended, RunEnding } from "../ports/run-store.ts";
import { toRunEnding, type LoopEnd } from "./run-ending.ts";

export interface StoredEnd {
  /** How it ended in truth. */
  readonly how: LoopEnd;
  readonly ended: Exclude<Ended, { kind: "stopped" }>;
  /** What our store had against what it was given first, where less than that is stored. */
  readonly fault?: BobbinError;
}

/**
 * @param end stores it.
 * @param stored rounds that are stored.
 * @param most model calls that the run may make.
 * @returns an answer that a stop came before as cancelled; one that our store has a fault with as that error; one that broke off
 * without what was shown of it, where our store has a fault with that; and where it has one
 * with what the model calls took, the same without that.
 * @throws what the store throws that is away, that another attempt has left behind, or that takes none of these.
 */
export async function storeEnd(
  end: (ending: RunEnding) => Promise<Ended>,
  outcome: LoopEnd,
  stored: number,
  most: number,
): Promise<StoredEnd> {
  const storing = async (how: LoopEnd) => ({ how, ended: await end(toRunEnding(how, stored, most)) });
  const storingAny = async (how: LoopEnd) => {
    try {
      return await storing(how);
    } catch (thrown) {
      const fault = toBobbinError(thrown);
      let newest = thrown;
      for (const less of lessThan(how, fault, stored)) {
        // A store that is away, or an attempt that has lost, ends only the attempt.
        if (isStoreTrouble(newest) || isStaleFence(newest)) break;
        try {
          return { ...(await storing(less)), fault };
        } catch (again) {
          newest = again;
        }
      }
      throw newest;
    }
  };
  const first = await storingAny(outcome);
  const { ended } = first;
  if (ended.kind !== "stopped") return { ...first, ended };
  const cancelled = await storingAny({ ...first.how, reason: "cancelled" });
  if (cancelled.ended.kind === "stopped") throw new TypeError("a cancelled run cannot be stopped");
  return { ...cancelled, ended: cancelled.ended };
}

/** What is stored in its place, the first that can be. */
function lessThan(outcome: LoopEnd, error: BobbinError, stored: number): readonly LoopEnd[] {
  const { round, ...rest } = outcome;
  // What goes with any other end closes calls that are stored already. What broke an answer off is not the store's fault.
  const isFault = outcome.reason === "stop";
  const failed: readonly LoopEnd[] =
    (isFault || outcome.reason === "error") && round !== undefined
      ? [
          {
            ...rest,
            ...(isFault && { reason: "error", error }),
            modelCalls: round.modelCalls,
            rounds: stored,
          },
        ]
      : [];
  const calls = [...outcome.modelCalls, ...(round?.modelCalls ?? [])];
  return calls.length === 0 ? failed : [...failed, ...[outcome, ...failed].map(withoutCalls)];
}

function withoutCalls({ round, ...rest }: LoopEnd): LoopEnd {
  return { ...rest, modelCalls: [], ...(round === undefined ? {} : { round: { ...round, modelCalls: [] } }) };
}
