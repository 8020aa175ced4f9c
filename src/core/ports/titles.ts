/** What threads are called by a model. */

import type { ModelCallRecord } from "../round.ts";
import type { Fence } from "./run-store.ts";

export interface Titles {
  /**
   * Keeps the call as one of the run's, and the title where the thread has none yet: what a person has called it stays. Nothing of both
   * where the thread was reset, or anything of it erased, meanwhile, or another run has begun.
   * @returns whether this title is the thread's now.
   */
  give(of: Fence, epoch: number, call: ModelCallRecord, title?: string): Promise<boolean>;
}
