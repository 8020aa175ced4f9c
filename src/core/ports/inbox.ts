/** The ledger of inbounds. */

import type { Limit } from "../access/decide.ts";
import type { Inbound } from "../inbound.ts";

/** What the rules of access said of an inbound. */
export interface Admission {
  /** One line for an admin: the rule that decided; kept with the inbound. Empty where none had to. */
  readonly rule: string;
  /** It is kept as refused, with the rule as the reason: it makes no session, and nothing of it is done. */
  readonly isRefused?: true;
  /** How many there may be: who is over a limit is refused by the limit's rule. Copies count once, and what was refused not at all. */
  readonly counted?: {
    readonly limits: readonly Limit[];
    /** Address of the person. */
    readonly who: string;
    /** Address of the channel. */
    readonly place: string;
  };
}

export type Stored =
  /**
   * Stored now; `running` says whether a run of the session was unfinished at that moment, or, for `stop` and `reset`,
   * whether anything was: also a message that nobody had taken up.
   */
  | { readonly kind: "stored"; readonly seq: number; readonly running: boolean }
  /** This identity was stored before; nothing changed. `refused`: by which rule it was, told only to who would be refused now. */
  | { readonly kind: "duplicate"; readonly seq: number; readonly refused?: string }
  /**
   * Stored now as refused by this rule: of access, or of the session's own settings, which keep a message from the bot where the
   * thread is muted or follows mentions only (then without what it said). Only what would have been stored else is.
   */
  | { readonly kind: "refused"; readonly seq: number; readonly rule: string }
  /** Not addressed to the bot and no session lies here, or a change of what nobody reads: nothing was stored. */
  | { readonly kind: "ignored" };

export interface Inbox {
  /**
   * Durable when it resolves. One statement decides whether to store, makes the session when it is addressed, and
   * for `stop` and `reset` raises the session's `stop_seq` (and `epoch`): waiting inbounds before it become `cancelled`
   * (corrections of what the model has read only by a `reset`), later ones are untouched. Where the platform says when it was
   * given, a message that was said before and comes behind it is stored as `cancelled` too. A command that sets something sets it
   * with its row, for what is stored and claimed after it. An edit or delete of a *waiting*
   * message changes that message; one of a message that was refused is ignored, as one where no session lies. Changes count by
   * their `at`: an edit changes nothing behind a newer one, or behind the delete. One that comes before its message is kept for
   * it, and the message is stored as the change says; of an aside's words (`isAside`), or what the session keeps from the bot,
   * nothing is kept. A note waits for the next new run.
   * @param admission none for what the bot itself stores. A limit that is reached at this moment may be passed by what other
   * processes store at the same time.
   */
  put(inbound: Inbound, admission?: Admission): Promise<Stored>;
}
