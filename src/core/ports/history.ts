/** The agent library's port for a session's entries. (The bot stores through RunStore, which also admits and fences.) */

import type { Entry, EntryBody } from "../entry.ts";

/**
 * Append-only. Contract (see the suite): entries come back in order with rising `seq`; copies, not references; an append
 * is all or nothing; sessions are apart; hostile text comes back as `cleanText` leaves it; safe for concurrent use.
 */
export interface History {
  append(session: string, bodies: readonly EntryBody[]): Promise<readonly Entry[]>;
  /** The newest `limit` entries (default: all) in ascending order; none for an unknown session. */
  read(session: string, options?: { readonly limit?: number }): Promise<readonly Entry[]>;
}
