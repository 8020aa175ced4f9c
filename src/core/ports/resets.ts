/** When a thread was begun anew. */

import type { SessionId } from "../thread.ts";

export interface Resets {
  /** Platform time of the session's newest reset, ms since 1970; undefined when it never was. */
  newest(session: SessionId): Promise<number | undefined>;
}
