/** What is left to do in a space where nobody can be answered any more. */

import type { Platform, SessionId } from "../thread.ts";

export interface Departures {
  /** Sessions of the space in which something waits, is under way, is not shown yet, or has a goal. */
  workIn(platform: Platform, space: string): Promise<readonly SessionId[]>;
  /** Where the ledger stands: whatever is stored from now on lies behind it. */
  position(): Promise<number>;
  /**
   * Durable when it resolves: what waits has expired for this reason, and a run that is under way is to end as after a stop. What lies
   * behind `upTo`, by default what comes later, is untouched. May be called twice.
   */
  expire(session: SessionId, reason: string, upTo?: number): Promise<void>;
}
