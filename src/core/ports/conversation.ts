/** What was said on the platform, by anyone: what a tool may read back. */

import type { SessionId } from "../thread.ts";

export interface Said {
  readonly id: string;
  readonly speaker: string;
  readonly isBot: boolean;
  readonly text: string;
  /** ms since 1970. */
  readonly at: number;
}

export interface Conversation {
  /**
   * The newest `limit` messages of the session's thread or of its whole channel, ascending; before `beforeId` where given.
   * Of the session's own thread nothing from before its newest reset, and no reply that is still being written.
   */
  read(
    session: SessionId,
    options: { readonly where: "thread" | "channel"; readonly limit: number; readonly beforeId?: string },
    signal: AbortSignal,
  ): Promise<readonly Said[]>;
}
