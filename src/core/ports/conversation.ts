/** What was said on the platform, by anyone: what a tool may read back. */

import type { InboundId } from "../ids.ts";
import type { MessageInbound } from "../inbound.ts";
import type { SessionId } from "../thread.ts";

export interface Said {
  readonly id: string;
  readonly speaker: string;
  readonly isBot: boolean;
  /** The bot that reads has said it. Absent for everybody else. */
  readonly isOwn?: boolean;
  /** The platform's id of who said it; absent where it tells none. */
  readonly author?: string;
  /** The message whose thread it stands in, where a channel shows it beside that thread. */
  readonly root?: string;
  readonly text: string;
  /** ms since 1970. */
  readonly at: number;
}

export interface Reading {
  /** Ascending. */
  readonly messages: readonly Said[];
  /** More was said than stands here: before it, or where the platform gave no more. */
  readonly isPartial: boolean;
  /** It is the session's own thread, whatever was asked for: a direct conversation is a channel of its own. */
  readonly isOwnThread?: boolean;
}

export interface Conversation {
  /**
   * The newest `limit` messages of the session's thread or of its whole channel; before `beforeId` where given. Of a thread
   * on a platform with root messages its root may stand in place of the oldest of them. Of the session's own thread nothing
   * from before its newest reset, nowhere what was erased, and no reply that is still being written. Rejects when nothing can be
   * read now.
   */
  read(
    session: SessionId,
    options: { readonly where: "thread" | "channel"; readonly limit: number; readonly beforeId?: string },
    signal: AbortSignal,
  ): Promise<Reading>;
}

/** A conversation in whose threads people write before the bot is there. */
export interface OpenConversation extends Conversation {
  /**
   * What was written for the bot in the session's thread behind this message of a person, as it would have come in, the oldest
   * first; the newest `limit` where there is more. Not surely what calls the bot by name: that comes by itself. Rejects when it
   * cannot be read now.
   */
  after(
    session: SessionId,
    message: { readonly id: InboundId; readonly message: string },
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly MessageInbound[]>;
}
