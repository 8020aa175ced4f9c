/** What is older than it is kept, taken away in small steps. Never of what runs, waits, has an open goal or is held. */

import type { AuditLine } from "./audit.ts";
import type { Space } from "./overviews.ts";

export const RETAINED = ["conversations", "toolResults", "modelRequests", "audit"] as const;

/**
 * `conversations`: threads that nobody has touched since, with all that was said in them, and first messages that were refused; numbers of
 * their runs stay. `toolResults`: what tools
 * gave back in full; what the model received of it belongs to the conversation. `modelRequests`: what requests are built again from.
 * `audit`: lines of the audit log.
 */
export type Retained = (typeof RETAINED)[number];

export interface Forgotten {
  /** Threads, refused messages, results, requests or lines. */
  readonly count: number;
  /** Where the next step goes on; undefined when nothing is left. */
  readonly next?: string;
  /** Of threads that could not be forgotten; they stand in no other's way. */
  readonly errors: readonly unknown[];
}

export interface ForgetOptions {
  /** Counted back from the database's clock. */
  readonly olderThanMs: number;
  /** That are looked at in one step. */
  readonly limit: number;
  /** Asked between two threads: where it says no, the step ends there, and the next one goes on behind it. Default it may. */
  readonly mayGoOn?: () => boolean;
  /** `next` of the step before. */
  readonly after?: string;
  /** Written together with the first that goes, and not without it. */
  readonly line?: AuditLine;
}

export interface Retention {
  /** All in which something is stored, also those in which no thread ever began. */
  spaces(): Promise<readonly Space[]>;
  /** One step. */
  forget(space: Space, kind: Retained, options: ForgetOptions): Promise<Forgotten>;
}
