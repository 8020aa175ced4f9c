/** A fast stop signal across processes. Only a hint: the position in the ledger decides. */

import type { SessionId } from "../thread.ts";

export interface Stops {
  /** Tells whoever serves the session to look at the ledger now. Losing it costs speed, nothing else. */
  signal(session: SessionId): Promise<void>;
  /**
   * Calls `heard` for each signal from now on until `unwatch`, and once more than there were signals where some may have been
   * missed: as soon as signals are heard that were not (again). So who watches, then looks at the ledger, misses no stop.
   */
  watch(session: SessionId, heard: () => void): Unwatch;
}

export type Unwatch = () => void;
