/** A conversation that can be read once it is known who the bot is. */

import { orAborted } from "../core/agent/abort.ts";
import type { Conversation } from "../core/ports/conversation.ts";

/** A reader that comes before the platform has told who the bot is waits for that as long as it waits for anything. */
export function conversationWhen(ready: Promise<Conversation>): Conversation {
  // Whoever reads is told; nobody may ever read.
  ready.catch(() => undefined);
  return {
    async read(session, options, signal) {
      const raced = await orAborted(ready, signal);
      if (raced.kind === "value") return raced.value.read(session, options, signal);
      throw raced.kind === "threw" ? raced.error : signal.reason;
    },
  };
}
