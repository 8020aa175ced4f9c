/** What a browser sends, checked, and the Inbound that it becomes. */

import { z } from "zod";
import { inboundIdOf, type Author, type MessageInbound } from "../../core/inbound.ts";
import type { InboundId } from "../../core/ids.ts";
import { cleanText, headOf } from "../../core/text.ts";
import { sessionIdOf, threadOf, toSessionId, type SessionId, type Thread } from "../../core/thread.ts";

/** Made by the browser, so that sending again is the same message; also the root of the thread that it opens. */
const id = z.string().regex(/^[a-z0-9]{12,40}$/);
const thread = z.string().max(300);

export const messageBody = z.object({ id, text: z.string().max(100_000), thread: thread.optional() });
export const actionBody = z.object({
  id,
  thread,
  action: z.string().regex(/^[a-z_]{1,40}$/),
  value: z.string().max(500).optional(),
});
export const nameBody = z.object({ name: z.string().max(200) });

const PLACE = { platform: "web", space: "local", channel: "general" } as const;
const APP = "chat";

/** The thread that begins with this message. */
export function sessionOfRoot(root: string): SessionId {
  return sessionIdOf({ ...PLACE, root });
}

/** A session of this web chat, or undefined: ids of other platforms or spaces are as unknown as nonsense. */
export function toWebSession(
  text: string,
): { readonly session: SessionId; readonly root: string } | undefined {
  const session = toSessionId(text);
  if (session === undefined) return undefined;
  const { platform, space, channel, root }: Thread = threadOf(session);
  const isOurs = platform === PLACE.platform && space === PLACE.space && channel === PLACE.channel;
  return isOurs && root !== undefined ? { session, root } : undefined;
}

export function toMessageInbound(from: {
  readonly session: SessionId;
  readonly id: string;
  readonly author: Author;
  readonly text: string;
  readonly at: number;
  /** It begins the thread, or calls the bot by name. */
  readonly isMention: boolean;
}): MessageInbound {
  return {
    v: 1,
    kind: "message",
    id: inboundIdOf(PLACE, APP, "message", from.id),
    session: from.session,
    author: from.author,
    at: from.at,
    addressed: true,
    isMention: from.isMention,
    message: from.id,
    parts: [{ kind: "text", text: from.text }],
  };
}

/** Whether the bot is called by its name, as a word of its own. */
export function mentions(text: string, botName: string): boolean {
  return text
    .toLowerCase()
    .split(/[\s,.:;!?()"']+/u)
    .includes(`@${botName.toLowerCase()}`);
}

export function commandIdOf(id: string): InboundId {
  return inboundIdOf(PLACE, APP, "command", id);
}

/** A name as others see it: one line, no longer than a line of the list; `Guest` where nothing is left. */
export function toName(text: string): string {
  const line = cleanText(text)
    .replaceAll(/[\s\p{C}]+/gu, " ")
    .trim();
  return line === "" ? "Guest" : headOf(line, 40);
}
