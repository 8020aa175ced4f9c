/** A conversation that can be read once it is known who the bot is. */

import { orAborted } from "../core/agent/abort.ts";
import type { OpenConversation } from "../core/ports/conversation.ts";

/** A reader that comes before the platform has told who the bot is waits for that as long as it waits for anything. */
export function conversationWhen(ready: Promise<OpenConversation>): OpenConversation {
  // Whoever reads is told; nobody may ever read.
  ready.catch(() => undefined);
  const known = async (signal: AbortSignal): Promise<OpenConversation> => {
    const raced = await orAborted(ready, signal);
    if (raced.kind === "value") return raced.value;
    throw raced.kind === "threw" ? raced.error : signal.reason;
  };
  return {
    read: async (session, options, signal) => (await known(signal)).read(session, options, signal),
    after: async (session, message, limit, signal) =>
      (await known(signal)).after(session, message, limit, signal),
  };
}
