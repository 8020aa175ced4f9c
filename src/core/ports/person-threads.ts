/** In which threads somebody took part: the read model behind a person's own list of them. */

import type { EndReason } from "../events.ts";
import type { Platform, SessionId } from "../thread.ts";

export type ThreadState =
  /** An answer is being written. */
  | { readonly kind: "working" }
  /** Something was said that nobody has taken up yet. */
  | { readonly kind: "queued" }
  /** The newest answer since the last reset is over. */
  | { readonly kind: "ended"; readonly reason: EndReason }
  /** Nothing was answered yet since it began, or since the last reset. */
  | { readonly kind: "new" };

export interface ThreadOfPerson {
  readonly session: SessionId;
  /** As `labelOf` gives it. */
  readonly label: string;
  readonly state: ThreadState;
  /** When something last happened in it, whoever did it, ms since 1970. */
  readonly touchedAt: number;
}

export interface PersonThreads {
  /**
   * Those of the space in which this person has written a message that was not refused, or which they have branched from another
   * one; the one that was touched last first. Only their newest thousand messages and hundred branches are looked at: who has written more than that since is not shown what lies before. Whether
   * the person may see them today is not asked here.
   */
  of(platform: Platform, space: string, person: string, limit: number): Promise<readonly ThreadOfPerson[]>;
}
