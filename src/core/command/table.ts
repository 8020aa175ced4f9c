/**
 * The one list of the commands: what each is for and what it may be given. Surfaces make their slash options, pickers, palettes
 * and help of it, the configuration its names of rules; none of them has a list of its own.
 */

import { USUAL, type Command, type CommandName } from "./command.ts";
import { EFFORTS } from "../effort.ts";
import { VERBOSITIES } from "../verbosity.ts";
import { FEEDBACK } from "../feedback.ts";
import { GOAL_PARTS, type CommandPart } from "./goal-parts.ts";

/** What may stand behind a command's name. It may always be left out. `name`: one word for it, such as for a slash option. */
export type CommandArgument =
  | { readonly kind: "none" }
  /**
   * One of a few words. Which of them can be chosen in a thread, and which holds, `Commands.choices` tells. `isOpen`: there are
   * others than `values`, which only that tells.
   */
  | {
      readonly kind: "choice";
      readonly name: string;
      readonly values: readonly string[];
      readonly isOpen?: true;
    }
  /**
   * One line of at most so many UTF-16 units, or several. `isSpoken`: it counts without a slash too where the bot is called by its
   * name, as there is no other way where a platform has no slash commands.
   */
  | {
      readonly kind: "text";
      readonly name: string;
      readonly longest: number;
      readonly lines?: "several";
      readonly isSpoken?: true;
    }
  /** The id or address of a message. */
  | { readonly kind: "message"; readonly name: string };

export interface CommandDescription {
  /** At most 100 units: Discord takes no more. */
  readonly summary: string;
  readonly argument: CommandArgument;
  /** The same by its parts, for a platform whose commands have some; there it has no other form. */
  readonly parts?: Readonly<Record<string, CommandPart>>;
  /**
   * A word that people also say to whoever answers them ("details", when they are asked what they want): alone and without a
   * slash it counts only where the bot is called by name.
   */
  readonly isAlsoSaid?: true;
  /** It is about the bot and not about a thread. */
  readonly isAnywhere?: true;
}

const NONE = { kind: "none" } as const;

/** In the order in which people read them. */
export const COMMANDS: Readonly<Record<CommandName, CommandDescription>> = {
  stop: { summary: "stop the answer that is being written and drop what waits", argument: NONE },
  retry: { summary: "try the last answer again after it failed or was stopped", argument: NONE },
  reset: {
    summary: "begin anew: the bot forgets what was said in this thread (the transcript stays)",
    argument: NONE,
  },
  branch: {
    summary: "go on in a new thread as well, which begins with what was said in this one",
    argument: { kind: "message", name: "message" },
    isAlsoSaid: true,
  },
  status: { summary: "what this thread is doing and what it has used", argument: NONE },
  queue: { summary: "what waits in this thread, in the order in which it will be read", argument: NONE },
  usage: {
    summary: "tokens and cost of this thread, by model, and of its last answer",
    argument: NONE,
    isAlsoSaid: true,
  },
  details: {
    summary: "what the last answer did, or that of a message: model calls, tools, how long, how it ended",
    argument: { kind: "message", name: "message" },
    isAlsoSaid: true,
  },
  feedback: {
    summary: "say whether the last answer was good or bad",
    argument: { kind: "choice", name: "word", values: FEEDBACK },
    isAlsoSaid: true,
  },
  model: {
    summary: "which models this thread may use, or use another one from the next answer on",
    argument: { kind: "choice", name: "model", values: [USUAL], isOpen: true },
    isAlsoSaid: true,
  },
  effort: {
    summary: "how much the model thinks before it answers, from the next answer on",
    argument: { kind: "choice", name: "level", values: [USUAL, ...EFFORTS] },
    isAlsoSaid: true,
  },
  goal: {
    summary: "give this thread a goal to work on by itself; or status, pause, resume, clear, edit, budget",
    argument: { kind: "text", name: "goal", longest: 5_000, lines: "several", isSpoken: true },
    parts: GOAL_PARTS,
    isAlsoSaid: true,
  },
  title: {
    summary: "what this thread is called, or give it another name",
    argument: { kind: "text", name: "text", longest: 100 },
    isAlsoSaid: true,
  },
  follow: {
    summary: "whether every message in this thread is for the bot, or only those that mention it",
    argument: { kind: "choice", name: "what", values: ["thread", "mention"] },
  },
  mute: {
    summary: "whether the bot is quiet in this thread, also when it is mentioned",
    argument: { kind: "choice", name: "state", values: ["on", "off"] },
  },
  verbosity: {
    summary: "how much this thread shows of what the bot does: one line, each step, or all of it",
    argument: { kind: "choice", name: "level", values: [USUAL, ...VERBOSITIES] },
  },
  reload: { summary: "use today's instructions and tools from the next answer on", argument: NONE },
  why: {
    summary: "for admins: by which rule the bot answered a message or did not",
    argument: { kind: "message", name: "message" },
    isAlsoSaid: true,
  },
  transcript: {
    summary: "for admins and reviewers: a private link to all that this thread holds",
    argument: NONE,
  },
  admin: {
    summary: "for admins and reviewers: a private link to the threads of this workspace or server",
    argument: NONE,
    isAlsoSaid: true,
    isAnywhere: true,
  },
  help: { summary: "this list", argument: NONE, isAnywhere: true },
};

export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[];

/** An id or an address on a platform, and no word that somebody may have put behind "why". */
const MESSAGE_ID = /^(?:https?:\/\/\S+|(?=\S*\d)[\w.:-]{12,})$/;

/** What a model may be called: one word. */
const MODEL_NAME = /^\S{1,200}$/;

/**
 * The command with what a slash option, a picker or a line gave for it; undefined where it takes nothing like that.
 * @param argument blank counts as left out.
 */
export function commandOf(name: CommandName, argument = ""): Command | undefined {
  const given = argument.trim();
  if (given === "") return { name };
  const takes = COMMANDS[name].argument;
  switch (takes.kind) {
    case "none":
      return undefined;
    case "message":
      return MESSAGE_ID.test(given) ? withGiven(name, given) : undefined;
    case "choice": {
      const value = takes.values.find((each) => each === given.toLowerCase());
      if (value !== undefined) return withGiven(name, value);
      return takes.isOpen && MODEL_NAME.test(given) ? withGiven(name, given) : undefined;
    }
    case "text":
      return given.includes("\n") && takes.lines === undefined ? undefined : withGiven(name, given);
    default:
      return takes satisfies never;
  }
}

/** @param given is one of those that the command takes. */
function withGiven(name: CommandName, given: string): Command {
  switch (name) {
    case "model":
    case "title":
    case "goal":
      return { name, value: given };
    case "effort":
      return { name, value: EFFORTS.find((each) => each === given) ?? USUAL };
    case "follow":
      return { name, value: given === "mention" ? "mention" : "thread" };
    case "verbosity":
      return { name, value: VERBOSITIES.find((each) => each === given) ?? USUAL };
    case "feedback":
      return { name, value: given === "bad" ? "bad" : "good" };
    case "mute":
      return { name, value: given === "on" ? "on" : "off" };
    case "why":
    case "details":
    case "branch":
      return { name, message: given };
    case "reset":
    case "stop":
    case "retry":
    case "status":
    case "queue":
    case "usage":
    case "reload":
    case "transcript":
    case "admin":
    case "help":
      return { name };
    default:
      return name satisfies never;
  }
}
