/** An erasure keeps its promise also where the platform still shows what was said: it comes back by no tool and no note. */

import type { OpenConversation, Reading, Said } from "../ports/conversation.ts";
import type { ErasedWords } from "../ports/erased-words.ts";
import { sessionIdOf, threadOf, type SessionId } from "../thread.ts";

/**
 * The same conversation without what stood there when its thread was erased, or whoever wrote it, and without what the bot itself said
 * before that in the threads that it may have quoted in. What anybody writes later is read like anything.
 */
export function withoutErased(conversation: OpenConversation, words: ErasedWords): OpenConversation {
  return {
    async read(session, options, signal) {
      const reading = await conversation.read(session, options, signal);
      const isOwn = options.where === "thread" || reading.isOwnThread === true;
      const said = reading.messages.map((message) => ({
        message,
        thread: isOwn ? session : threadWith(session, message),
      }));
      if (said.length === 0) return reading;
      const { threads, replies, people } = await words.of(
        threadOf(session),
        [...new Set(said.map(({ thread }) => thread))],
        [...new Set(reading.messages.flatMap(({ author }) => author ?? []))],
      );
      const stands = ({ message: { at, author, isOwn: isReply }, thread }: (typeof said)[number]): boolean =>
        at > (threads.get(thread) ?? 0) &&
        (isReply !== true || at > (replies.get(thread) ?? 0)) &&
        (author === undefined || at > (people.get(author) ?? 0));
      return { ...reading, messages: said.filter(stands).map(({ message }) => message) } satisfies Reading;
    },
    async after(session, message, limit, signal) {
      const inbounds = await conversation.after(session, message, limit, signal);
      if (inbounds.length === 0) return inbounds;
      const authors = [...new Set(inbounds.map(({ author }) => author.id))];
      const { threads, people } = await words.of(threadOf(session), [session], authors);
      const erasedAt = threads.get(session) ?? 0;
      return inbounds.filter(({ at, author }) => at > Math.max(erasedAt, people.get(author.id) ?? 0));
    },
  };
}

/** The thread that a message of the session's channel begins, or is shown of. */
function threadWith(session: SessionId, { id, root = id }: Said): SessionId {
  const { channel, root: ofSession, ...space } = threadOf(session);
  // Where a thread is a channel of its own it has the id of the message that it was started from.
  return sessionIdOf(ofSession === undefined ? { ...space, channel: root } : { ...space, channel, root });
}
