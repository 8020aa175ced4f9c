/** A fast stop signal across processes. Only a hint: the position in the ledger decides. */

import type { SessionId } from "../thread.ts";

export interface Stops {
  /** Tells whoever serves the session to look at the ledger now. Losing it costs speed, nothing else. */
  signal(session: SessionId): Promise<void>;
  /** Calls `heard` for each signal until `unwatch`. Resolves once signals are certainly heard. */
  watch(session: SessionId, heard: () => void): Promise<Unwatch>;
}

export type Unwatch = () => void;
