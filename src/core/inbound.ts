/** One thing a person did, normalised. Adapters make it, the inbox stores it, nothing else invents one. */

import type { SessionCommand } from "./command/command.ts";
import type { InboundId } from "./ids.ts";
import type { Part } from "./part.ts";
import type { SessionId, Thread } from "./thread.ts";

export interface Author {
  /** The platform's id of the person. */
  readonly id: string;
  /** As shown to others; never used to decide anything. */
  readonly name: string;
  /** What they are in the space; absent where the platform did not say in time. */
  readonly kind?: "member" | "guest" | "external" | "bot";
  /** Ids of their roles in the space; absent where the platform did not say which. */
  readonly roles?: readonly string[];
  /** Whether they are an admin on the platform; absent where that was not said, or too long ago. */
  readonly isPlatformAdmin?: boolean;
}

/** What the platform says of the place, where the session's address does not tell it. */
export interface Where {
  /** A conversation of one person with the bot alone. */
  readonly isDirect?: true;
  /** The channel in which the thread hangs, for a platform on which a thread is a channel of its own. */
  readonly parent?: string;
}

interface Common {
  /** Version of the stored form. */
  readonly v: 1;
  readonly id: InboundId;
  readonly session: SessionId;
  readonly author: Author;
  /** Platform time, ms since 1970. Waiting inbounds are admitted in this order. */
  readonly at: number;
  /** Whether it is for the bot even where no session exists yet (mention, DM, command). */
  readonly addressed: boolean;
  readonly where?: Where;
}

export interface MessageInbound extends Common {
  readonly kind: "message";
  /** The platform's id of the message. */
  readonly message: string;
  /** Typed parts, so that no marker in the text is ever needed to hide something. May be empty of text. */
  readonly parts: readonly Part[];
  /** Whether it mentions the bot, for where a thread follows mentions only; as `addressed` unless it is said. */
  readonly isMention?: boolean;
}

export interface EditInbound extends Common {
  readonly kind: "edit";
  readonly message: string;
  readonly parts: readonly Part[];
  /** Its words are for others by now: they change what was stored, and are not kept for what was not. */
  readonly isAside?: true;
}

export interface DeleteInbound extends Common {
  readonly kind: "delete";
  readonly message: string;
}

/** A command that changes the session. */
export interface CommandInbound extends Common {
  readonly kind: "command";
  readonly command: SessionCommand;
  /** `at` is of the same clock as that of the thread's messages, which is the platform's, and not of when it came to us. */
  readonly hasPlatformTime?: true;
  /** Where the platform wants the answer (a click's or command's own address), kept for an answer after a restart. */
  readonly answerTo?: string;
}

/**
 * What the bot notes for the model by itself: it is read with the turn that follows, is no reason for a run, and its author is
 * the bot.
 */
export interface NoteInbound extends Common {
  readonly kind: "note";
  readonly text: string;
}

export type Inbound = MessageInbound | EditInbound | DeleteInbound | CommandInbound | NoteInbound;

/** What became of an inbound, for ever. */
export type Fate = "answered" | "steered" | "failed" | "refused" | "cancelled" | "expired";

/**
 * The identity that merges copies: a message by platform, app, space, channel and message id (so that Slack's
 * `app_mention` and `message` copies are one), anything else by its trigger id in place of the message id.
 */
export function inboundIdOf(
  thread: Pick<Thread, "platform" | "space" | "channel">,
  app: string,
  kind: Inbound["kind"],
  id: string,
): InboundId {
  return [thread.platform, app, thread.space, thread.channel, kind, id].join("/") as InboundId;
}
