/** Where a thread begins that is claimed before it is there: on a platform whose thread has the id of the message below which it hangs. */

import type { SessionId } from "../thread.ts";

export interface ThreadPlace {
  /** The channel in which that message stands. */
  readonly parent: string;
  /** What the thread will be called. */
  readonly name: string;
}

export interface ThreadPlaces {
  /** Kept for ever; a second one of a session changes nothing. */
  keep(session: SessionId, place: ThreadPlace): Promise<void>;
  of(session: SessionId): Promise<ThreadPlace | undefined>;
  /** Whether a page of ours ever stood in the thread: then it was there, whatever became of it. */
  hasShown(session: SessionId): Promise<boolean>;
}
