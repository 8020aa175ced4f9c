/** A reset keeps its promise also where the platform still shows what was said before it. */

import type { Conversation, Said } from "../ports/conversation.ts";
import type { Resets } from "../ports/resets.ts";
import { threadOf } from "../thread.ts";

/**
 * The same conversation without what was said in the session's own thread before its newest reset. In a channel that is the
 * thread's root, or the message that it was started from, and what platforms show there beside the thread.
 */
export function sinceReset(conversation: Conversation, resets: Resets): Conversation {
  return {
    async read(session, options, signal) {
      const [reading, resetAt] = await Promise.all([
        conversation.read(session, options, signal),
        resets.newest(session),
      ]);
      if (resetAt === undefined) return reading;
      const { channel, root = channel } = threadOf(session);
      const isWhole = options.where === "thread" || reading.isOwnThread === true;
      const isOwn = (said: Said): boolean => isWhole || said.id === root || said.root === root;
      return { ...reading, messages: reading.messages.filter((said) => said.at > resetAt || !isOwn(said)) };
    },
  };
}
