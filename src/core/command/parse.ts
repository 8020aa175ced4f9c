/** A line of text to a command, the same for every surface. */

import type { Command, CommandName } from "./command.ts";

export const COMMANDS: Readonly<Record<CommandName, { readonly summary: string }>> = {
  reset: { summary: "begin anew: the bot forgets what was said in this thread (the transcript stays)" },
  stop: { summary: "stop the answer that is being written and drop what waits" },
  retry: { summary: "try the last answer again after it failed or was stopped" },
  status: { summary: "what this thread is doing and what it has used" },
  queue: { summary: "what waits in this thread, in the order in which it will be read" },
  why: { summary: "for admins: by which rule the bot answered a message or did not" },
  help: { summary: "this list" },
};

/** An id or an address on a platform, and no word that somebody may have put behind "why". */
const MESSAGE_ID = /^(?:https?:\/\/\S+|(?=\S*\d)[\w.:-]{12,})$/;

/**
 * `/stop`, ` /Stop ` and, where the surface says that the bot was addressed by name, `stop`. A word counts only when it
 * is the whole line: "stop the deployment please" is a message for the agent, and must never be taken for a command. The only
 * command with something behind it is `why`, and only with a message's id or address. One word behind a slash that is no
 * command asks for help; without a slash it is a message: "thanks" and "hello" are said to the bot, and it answers those.
 */
export function parseCommand(
  line: string,
  options: {
    /**
     * `direct`: a word alone counts, as the person speaks with nobody but the bot; not `why`, which people say to whoever
     * answers them.
     */
    readonly slash?: "needed" | "optional" | "direct";
  } = {},
): Command | undefined {
  const { slash = "needed" } = options;
  const match = /^(\/?)([a-z]{1,20})(?:\s+(\S+))?$/i.exec(line.trim());
  if (match === null) return undefined;
  const [, sign, word = "", behind] = match;
  const name = word.toLowerCase();
  const hasSlash = sign === "/";
  if (!hasSlash && (slash === "needed" || (slash === "direct" && name === "why"))) return undefined;
  if (behind !== undefined) {
    const isWhy = name === "why" && MESSAGE_ID.test(behind);
    return isWhy ? { name: "why", message: behind } : undefined;
  }
  if (Object.hasOwn(COMMANDS, name)) return { name: name as CommandName };
  return hasSlash ? { name: "help", word: `/${word}` } : undefined;
}
