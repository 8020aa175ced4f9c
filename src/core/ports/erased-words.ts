/** What was erased of what a platform goes on showing. */

import type { SessionId, Thread } from "../thread.ts";

/** Until when each of them, ms since 1970 by the store's clock; who was never erased is in none. */
export interface ErasedUntil {
  /** All that was said in the thread. */
  readonly threads: ReadonlyMap<SessionId, number>;
  /** What the bot itself said there: it may quote what was erased. */
  readonly replies: ReadonlyMap<SessionId, number>;
  /** What the person said, anywhere in the space; also while the erasure is under way. */
  readonly people: ReadonlyMap<string, number>;
}

export interface ErasedWords {
  /** @param people the platform's ids of them. */
  of(
    space: Pick<Thread, "platform" | "space">,
    threads: readonly SessionId[],
    people: readonly string[],
  ): Promise<ErasedUntil>;
}
