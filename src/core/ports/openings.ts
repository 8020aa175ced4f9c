/** Opens a new thread beside another one, on whatever platform that is. */

import type { Where } from "../inbound.ts";
import type { SessionId } from "../thread.ts";
import type { MayBegin, PageContent } from "./surface.ts";

export interface Opening {
  /** At most 24 letters, digits and dashes: finds the thread again where it is not known whether it was opened. */
  readonly key: string;
  /** What the thread is called, where the platform has names for threads. */
  readonly name: string;
  /** The first post. */
  readonly page: PageContent;
  /** Where it was asked for. */
  readonly where?: Where;
  /** It was not tried before this, ms since 1970. */
  readonly sinceMs: number;
  /** It was tried before, and nobody knows how that ended. */
  readonly isAgain: boolean;
}

export type Opened =
  | { readonly kind: "opened"; readonly session: SessionId }
  /** Not now, or nobody knows whether it was: try again after `afterMs`, as `isAgain`; `isTurn`: nothing was sent, others come first. */
  | { readonly kind: "later"; readonly afterMs: number; readonly isTurn?: true }
  /** `why`: one sentence for people. */
  | { readonly kind: "never"; readonly why: string };

export interface Openings {
  /** Why no thread can ever be opened beside this one, in one sentence; undefined where one may. */
  refusal(beside: SessionId): string | undefined;
  /** Never throws. */
  open(beside: SessionId, opening: Opening, mayBegin: MayBegin): Promise<Opened>;
  /** Who was told to wait for its turn does not ask again. Absent where nobody waits. Never throws, never waits. */
  leave?(beside: SessionId, key: string): void;
  /** Where people find the thread, as the target of a link; undefined where it has none. Rejects when that cannot be known now. */
  addressOf(session: SessionId): Promise<string | undefined>;
}
