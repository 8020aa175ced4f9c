/** What there is to do in the ledger, for those who ring and those who look again. Reads only. */

import type { SessionId } from "../thread.ts";

export interface Work {
  /**
   * Sessions with an inbound that has waited, a run that is unfinished or a reply that is settling for `idleMs`, and in which
   * no attempt did anything for as long. The spaces take turns, so that none that nobody may serve stands before the others; in each
   * the one that was touched longest ago comes first. Where an install is broken nobody can be answered now: what lies there is named
   * again when it is whole.
   */
  due(idleMs: number, limit: number): Promise<readonly SessionId[]>;
  /** Whether anything waits, is unfinished or is settling in the session: the look after the lease was released. */
  hasWork(session: SessionId): Promise<boolean>;
}
