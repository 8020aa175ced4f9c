/** A line of text to a command, the same for every surface. */

import type { Command, CommandName } from "./command.ts";
import { commandOf, COMMANDS } from "./table.ts";

/**
 * `/stop`, ` /Stop ` and, where the surface says that the bot was addressed by name, `stop`. A word counts only when it
 * is the whole line: "stop the deployment please" is a message for the agent, and must never be taken for a command. Behind some
 * commands one word may stand that they take (`follow mention`, `model gpt-5-mini`), and free text only where there is a slash
 * (`/title Release notes`), but for a goal, which is also set by whoever calls the bot by its name. Any other word behind a slash asks for help; without a slash it is a message: "thanks" and
 * "hello" are said to the bot, and it answers those.
 */
export function parseCommand(
  line: string,
  options: {
    /**
     * `direct`: a word alone counts, as the person speaks with nobody but the bot; not those that people also say to whoever
     * answers them.
     */
    readonly slash?: "needed" | "optional" | "direct";
  } = {},
): Command | undefined {
  const { slash = "needed" } = options;
  const match = /^(\/?)([a-z]{1,20})(?:\s+(\S[\s\S]*))?$/i.exec(line.trim());
  if (match === null) return undefined;
  const [, sign, word = "", behind] = match;
  const hasSlash = sign === "/";
  if (!hasSlash && slash === "needed") return undefined;
  const name = toName(word);
  if (name === undefined) {
    return hasSlash && behind === undefined ? { name: "help", word: `/${word}` } : undefined;
  }
  if (!hasSlash && !countsWithoutSlash(name, behind, slash === "direct")) return undefined;
  const command = commandOf(name, behind);
  if (command !== undefined || !hasSlash || COMMANDS[name].argument.kind === "none") return command;
  return /\s/.test(behind ?? "") ? undefined : { name: "help", word: `/${word} ${behind}` };
}

function toName(word: string): CommandName | undefined {
  const name = word.toLowerCase();
  return Object.hasOwn(COMMANDS, name) ? (name as CommandName) : undefined;
}

/** @param isDirect nobody called the bot by name. */
function countsWithoutSlash(name: CommandName, behind: string | undefined, isDirect: boolean): boolean {
  const { argument, isAlsoSaid } = COMMANDS[name];
  if (behind === undefined) return !(isDirect && isAlsoSaid);
  switch (argument.kind) {
    // "model trains" is a sentence, and "model gpt-5-mini" is none.
    case "choice":
      return argument.values.includes(behind.toLowerCase()) || /^(?=\S*\d)(?=\S*[-.:/_])\S+$/.test(behind);
    case "message":
      return !isDirect;
    case "text":
      return argument.isSpoken === true && !isDirect;
    case "none":
      return false;
    default:
      return argument satisfies never;
  }
}
