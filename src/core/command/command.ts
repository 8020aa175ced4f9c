/** The commands: a line is parsed to one, and answered with a result; surfaces only present it. */

import type { Effort } from "../effort.ts";
import { lineOfGoal, type GoalValue } from "../goal/asked.ts";
import type { FeedbackValue } from "../feedback.ts";
import type { Verbosity } from "../verbosity.ts";

/** `thread`: every message in the thread is for the bot; `mention`: only those that mention it. */
export type Follow = "thread" | "mention";

/** What takes a choice away again. */
export const USUAL = "default";

/** What each command may be given; without it those that set something tell how it is. */
export type Command =
  | { readonly name: "reset" }
  | { readonly name: "stop" }
  | { readonly name: "retry" }
  | { readonly name: "status" }
  | { readonly name: "queue" }
  | { readonly name: "usage" }
  /** `message`: one of those that the answer read or was shown in; the newest answer unless said. */
  | { readonly name: "details"; readonly message?: string }
  /** `value`: the name of a model, or `default`. Whether there is such a one is found out where it is done. */
  | { readonly name: "model"; readonly value?: string }
  | { readonly name: "effort"; readonly value?: Effort | typeof USUAL }
  | { readonly name: "verbosity"; readonly value?: Verbosity | typeof USUAL }
  | { readonly name: "title"; readonly value?: string }
  | { readonly name: "follow"; readonly value?: Follow }
  | { readonly name: "mute"; readonly value?: "on" | "off" }
  | { readonly name: "reload" }
  /** `message`: the one up to whose answer the new thread knows what was said, by its id on the platform; the newest unless said. */
  | { readonly name: "branch"; readonly message?: string }
  /** `value`: what the person says of an answer. */
  | { readonly name: "feedback"; readonly value?: FeedbackValue }
  /** `value`: what is to be done with the goal; `core/goal/asked` reads it. */
  | { readonly name: "goal"; readonly value?: GoalValue }
  /** `message`: the one that is asked about, by its id or its address on the platform; the newest one unless said. */
  | { readonly name: "why"; readonly message?: string }
  /** A link to what this thread holds, for those who review it. */
  | { readonly name: "transcript" }
  /** The same to all threads of the space. */
  | { readonly name: "admin" }
  /** `word`: what was written like a command and is none; the list is the answer to it. */
  | { readonly name: "help"; readonly word?: string };

export type CommandName = Command["name"];

type Given<N extends CommandName> = Required<Extract<Command, { readonly name: N }>>;

/** Those that set something of the session. */
export type SettingCommand = Given<"model" | "effort" | "verbosity" | "title" | "follow" | "mute" | "reload">;

/** Those that change the session: they are stored. The others only read, and are answered at once. */
export type SessionCommand =
  | Given<"reset" | "stop" | "retry">
  /** Only to count it: a goal keeps its own book of what was asked of it. */
  | Given<"goal">
  | Extract<Command, { readonly name: "branch" }>
  | SettingCommand;

/** Whether it changes the session. */
export function isStored(command: Command): command is SessionCommand {
  switch (command.name) {
    case "reset":
    case "stop":
    case "retry":
    case "branch":
    case "reload":
      return true;
    case "model":
    case "effort":
    case "verbosity":
    case "title":
    case "follow":
    case "mute":
      return command.value !== undefined;
    case "status":
    case "queue":
    case "usage":
    case "details":
    case "why":
    case "transcript":
    case "admin":
    case "help":
    // What is said of an answer has a book of its own.
    case "feedback":
    // A goal keeps its own book of what was asked of it.
    case "goal":
      return false;
    default:
      return command satisfies never;
  }
}

/** Whether it sets something of the session. */
export function isSetting({ name }: SessionCommand): boolean {
  switch (name) {
    case "model":
    case "effort":
    case "verbosity":
    case "title":
    case "follow":
    case "mute":
    case "reload":
      return true;
    case "stop":
    case "reset":
    case "retry":
    case "branch":
    case "goal":
      return false;
    default:
      return name satisfies never;
  }
}

/** What the command was given, as a person writes it behind its name. */
export function givenTo(command: Command): string | undefined {
  if ("message" in command) return command.message;
  if (command.name === "goal") return command.value === undefined ? undefined : lineOfGoal(command.value);
  return "value" in command ? command.value : undefined;
}
