/** A reset keeps its promise also where the platform still shows what was said before it. */

import type { Conversation } from "../ports/conversation.ts";
import type { Resets } from "../ports/resets.ts";
import { threadOf } from "../thread.ts";

/**
 * The same conversation without what was said in the session's own thread before its newest reset. In a channel the
 * thread's own message is its root, as far as platforms show threads there.
 */
export function sinceReset(conversation: Conversation, resets: Resets): Conversation {
  return {
    async read(session, options, signal) {
      const [reading, resetAt] = await Promise.all([
        conversation.read(session, options, signal),
        resets.newest(session),
      ]);
      if (resetAt === undefined) return reading;
      const { root } = threadOf(session);
      const isOwn = (id: string): boolean => options.where === "thread" || id === root;
      return { ...reading, messages: reading.messages.filter(({ id, at }) => at > resetAt || !isOwn(id)) };
    },
  };
}
