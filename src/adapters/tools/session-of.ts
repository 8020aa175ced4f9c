/** The session of the bot in which a tool runs. */

import type { ToolContext } from "../../core/agent/tool.ts";
import { toSessionId, type SessionId } from "../../core/thread.ts";

/** @throws TypeError where the agent is used without the bot. */
export function sessionOf(context: Pick<ToolContext, "session">): SessionId {
  const session = toSessionId(context.session);
  if (session === undefined) throw new TypeError("This conversation has no goals.");
  return session;
}
