/**
 * The emoji that people give to messages of a thread, and take back: to what they said in it, and to the replies of the bot. Only for those who
 * review: a reaction is no message, begins nothing, and the model does not know of it.
 */

import type { InboundId } from "../ids.ts";
import type { Author } from "../inbound.ts";
import type { Thread } from "../thread.ts";

/** A message that perhaps is of a thread. */
export interface ReactedMessage {
  /** The place in which it stands; without a root where it is not known in which thread. */
  readonly near: Thread;
  /** The platform's id of it. */
  readonly message: string;
  /** Its identity, if it is something that a person said. */
  readonly inbound: InboundId;
}

/** The same of a person, message and emoji is one, however often it is given and taken back. */
export interface Reaction extends ReactedMessage {
  readonly kind: "given" | "taken";
  /** Who it is on the platform, and the name that they have now, where that is known. */
  readonly person: Pick<Author, "id"> & { readonly name?: string };
  /** Which emoji it is to the platform. */
  readonly emoji: string;
  /** How it is shown: a sign, or a name between colons. */
  readonly shown: string;
  /** When the person did it, ms since 1970. */
  readonly at: number;
}

/** Each rejects when the store cannot be reached. */
export interface ReactionBook {
  /** Whether something that is done to this message would be kept. */
  isKept(message: ReactedMessage): Promise<boolean>;
  /**
   * Nothing where the message is of no thread, or where what it is about was erased since. The newest counts, whatever order they come in,
   * of one moment the taking back; the same once more changes nothing.
   */
  put(reaction: Reaction): Promise<void>;
  /** All that stand below the message at that moment are taken back; only those of one emoji where it is given. */
  clear(message: ReactedMessage, at: number, emoji?: string): Promise<void>;
}
