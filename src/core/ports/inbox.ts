/** The ledger of inbounds. */

import type { Inbound } from "../inbound.ts";

export type Stored =
  /**
   * Stored now; `running` says whether a run of the session was unfinished at that moment, or, for `stop` and `reset`,
   * whether anything was: also a message that nobody had taken up.
   */
  | { readonly kind: "stored"; readonly seq: number; readonly running: boolean }
  /** This identity was stored before; nothing changed. */
  | { readonly kind: "duplicate"; readonly seq: number }
  /** Not addressed to the bot and no session lies here: nothing was stored. */
  | { readonly kind: "ignored" };

export interface Inbox {
  /**
   * Durable when it resolves. One statement decides whether to store, makes the session when it is addressed, and
   * for `stop` and `reset` raises the session's `stop_seq` (and `epoch`): waiting inbounds before it become `cancelled`
   * (corrections of what the model has read only by a `reset`), later ones are untouched. An edit or delete of a *waiting*
   * message changes that message. A note waits for the next new run.
   */
  put(inbound: Inbound): Promise<Stored>;
}
