/** What is older than it is kept, taken away in small steps. Never of what runs, waits, has an open goal or is held. */

import type { Space } from "./overviews.ts";

export const RETAINED = ["conversations", "toolResults", "modelRequests", "audit"] as const;

/**
 * `conversations`: threads that nobody has touched since, with all that was said in them; numbers of their runs stay. `toolResults`: what tools
 * gave back in full; what the model received of it belongs to the conversation. `modelRequests`: what requests are built again from.
 * `audit`: lines of the audit log.
 */
export type Retained = (typeof RETAINED)[number];

export interface Retention {
  /** All in which something is stored. */
  spaces(): Promise<readonly Space[]>;
  /**
   * One step. @param olderThanMs counted back from the database's clock.
   * @returns how many threads, results, requests or lines; fewer than `limit` when nothing is left.
   */
  forget(space: Space, kind: Retained, olderThanMs: number, limit: number): Promise<number>;
}
