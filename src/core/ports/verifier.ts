/** Looks whether a goal is reached, or cannot be, before that counts: somebody else than the model that says so. */

import type { Entry } from "../entry.ts";
import type { Goal } from "../goal/goal.ts";
import type { Verdict } from "../goal/verdict.ts";
import type { ModelCallRecord } from "../round.ts";

export interface ToVerify {
  readonly goal: Pick<Goal, "objective" | "doneWhen">;
  readonly as: "complete" | "blocked";
  /** Of a goal that is said to be blocked: the key of the obstacle. */
  readonly blocker?: string;
  /** The newest of the thread, ascending. What of them is shown is the verifier's to choose: never a thought of the model. */
  readonly entries: readonly Entry[];
}

export interface Verified {
  /** `neutral` whenever there is no judgement: it failed, took too long, or said what nobody can read. */
  readonly verdict: Verdict;
  /** What it asked of a model, also where that failed. */
  readonly calls: readonly ModelCallRecord[];
}

export interface Verifier {
  /** Never rejects. Bounded in time, tokens and tries; ends soon after `signal` aborts. */
  verify(asked: ToVerify, signal: AbortSignal): Promise<Verified>;
}
