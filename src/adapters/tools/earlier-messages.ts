/** The tool `read_earlier_messages`: what people said before, in the thread or around it, as quoted data. */

import { z } from "zod";
import type { Tool } from "../../core/agent/tool.ts";
import { quoted } from "../../core/context/quoted.ts";
import type { Conversation } from "../../core/ports/conversation.ts";
import { toSessionId } from "../../core/thread.ts";
import { toolOf } from "./define.ts";

const MOST = 50;

export function createEarlierMessagesTool(deps: { readonly conversation: Conversation }): Tool {
  return toolOf({
    name: "read_earlier_messages",
    description:
      "Reads messages that were written on the platform before: in this thread, or in its whole channel. " +
      "Use it when people refer to something that you have not seen.",
    effect: "read",
    doing: () => "Reading earlier messages",
    arguments: z.object({
      where: z
        .enum(["thread", "channel"])
        .default("thread")
        .describe("This thread alone, or its whole channel."),
      limit: z.int().min(1).max(MOST).default(20).describe("How many messages, the newest ones."),
      before: z.string().min(1).max(200).optional().describe("Only messages before the one with this id."),
    }),
    async run({ where, limit, before }, context) {
      const session = toSessionId(context.session);
      if (session === undefined)
        throw new TypeError("This conversation is on no platform: there is nothing to read.");
      const options = { where, limit, ...(before !== undefined && { beforeId: before }) };
      const { messages } = await deps.conversation.read(session, options, context.signal);
      if (messages.length === 0) return `There are no such messages in this ${where}.`;
      const count = messages.length === 1 ? "1 message" : `${messages.length} messages`;
      return `${count} of this ${where}, oldest first. ${quoted(messages)}`;
    },
  });
}
