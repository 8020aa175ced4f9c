/** A line of text to a command, the same for every surface. */

import type { Command, CommandName } from "./command.ts";

export const COMMANDS: Readonly<Record<CommandName, { readonly summary: string }>> = {
  reset: { summary: "begin anew: the bot forgets what was said in this thread (the transcript stays)" },
  stop: { summary: "stop the answer that is being written and drop what waits" },
  retry: { summary: "try the last answer again after it failed or was stopped" },
  status: { summary: "what this thread is doing and what it has used" },
  queue: { summary: "what waits in this thread, in the order in which it will be read" },
  help: { summary: "this list" },
};

/**
 * `/stop`, ` /Stop ` and, where the surface says that the bot was addressed by name, `stop`. A word counts only when it
 * is the whole line: "stop the deployment please" is a message for the agent, and must never be taken for a command.
 */
export function parseCommand(
  line: string,
  options: { readonly slash?: "needed" | "optional" } = {},
): Command | undefined {
  const match = /^(\/?)([a-z]+)$/i.exec(line.trim());
  if (match === null) return undefined;
  if (match[1] === "" && options.slash !== "optional") return undefined;
  const name = (match[2] ?? "").toLowerCase();
  return Object.hasOwn(COMMANDS, name) ? { name: name as CommandName } : undefined;
}
