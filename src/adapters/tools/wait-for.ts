/** With which the model lets its thread's goal wait: for a time, for words, for a reaction, or for a call from elsewhere. */

import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Tool, ToolContext } from "../../core/agent/tool.ts";
import type { Hash } from "../../core/ids.ts";
import type { GoalEvent } from "../../core/goal/event.ts";
import { toolOf } from "./define.ts";

export interface WaitToolOptions {
  /** Where calls from elsewhere reach the bot; absent where they do not. */
  readonly calls?: {
    /** Without a slash at the end. */
    readonly publicUrl: string;
    readonly hash: Hash;
  };
}

/**
 * The token of an address that wakes a goal is drawn and not signed: so no key has to be set, it can be used up and taken back, and who
 * reads the database, which has its hash alone, can make none of it.
 * @param apply rejects with why not, as the model reads it.
 */
export function createWaitTool(
  { calls }: WaitToolOptions,
  apply: (context: ToolContext, event: GoalEvent) => Promise<unknown>,
): Tool {
  return toolOf({
    name: "wait_for",
    description:
      'Lets this thread\'s goal wait: no turn begins meanwhile. "reply": until somebody writes in the thread (ask first, in your answer), or ' +
      'with `from` only until that person does; "reaction": until somebody reacts to a message of yours in the thread; "webhook": until an ' +
      'address is called, which you are told; "time": until the minutes are over. But for a reply of one person, whoever writes in the ' +
      "thread ends each wait.",
    effect: "write",
    doing: () => "Planning a wait",
    arguments: z.object({
      kind: z.enum(["reply", "time", "reaction", "webhook"]),
      minutes: z.number().positive().max(10_080).optional().describe("How long at most; needed for time."),
      from: z
        .string()
        .regex(/^[A-Za-z0-9._-]{1,64}$/)
        .optional()
        .describe(
          "For a reply or a reaction: the id of the one person who counts, as it stands behind their name.",
        ),
      reason: z.string().min(1).max(200).describe("What is waited for, as people read it."),
    }),
    async run({ kind, minutes, from, reason }, context) {
      const untilMs = minutes === undefined ? {} : { untilMs: Math.round(minutes * 60_000) };
      const wait = { kind: "wait", wait: kind, reason, of: context.run, ...untilMs } as const;
      if (kind !== "webhook") {
        const only = from === undefined || kind === "time" ? {} : { from };
        await apply(context, { ...wait, ...only });
        return "The goal waits from the end of this turn on. End it now.";
      }
      if (calls === undefined)
        throw new Error(
          "There is no address that could be called: whoever runs this bot has to set PUBLIC_URL to the one at which it is reached.",
        );
      const token = randomBytes(32).toString("base64url");
      await apply(context, { ...wait, token: calls.hash(token) });
      return (
        `The goal waits from the end of this turn on. It goes on when somebody sends a POST to ${calls.publicUrl}/hooks/wake/${token}, which works ` +
        "once, and is the only one: any that you were told before works no more. What is sent (text, at most 16 KB) you are told. Give the address to whoever needs it, tell people what it is for, and end this turn."
      );
    },
  });
}
