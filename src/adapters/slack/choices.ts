/**
 * Menus in answers that only one person sees: which of the channel's threads is meant, and what may be chosen for a command. What is
 * chosen comes back as a click, and is asked for anew like any other. Pure.
 */

import type { Choice } from "../../core/command/describe-settings.ts";
import { givenTo, type Command, type CommandName } from "../../core/command/command.ts";
import { commandOf, COMMAND_NAMES } from "../../core/command/table.ts";
import { formatDuration } from "../../core/measure.ts";
import type { RecentSession } from "../../core/ports/transcripts.ts";
import { headOf } from "../../core/text.ts";
import { threadOf } from "../../core/thread.ts";
import { fieldsOf, listOf, textOf, type Payload } from "./payload.ts";

/** Slack's limits: of an option's text and value, of how many there may be, and of the id of an element. */
const OPTION_UNITS = 75;
const VALUE_UNITS = 150;
const ID_UNITS = 255;
export const MOST_OPTIONS = 100;

/** Before the command that the chosen thread is for, and before the name of the command that the choice is for. */
const PICK = "bobbin_pick_";
const CHOOSE = "bobbin_choose_";

/** What may be chosen for a command in a thread. The root is told, as an answer at the top of a channel does not tell it. */
export interface Choosing {
  readonly name: CommandName;
  readonly root: string;
  readonly choices: readonly Choice[];
}

/** What was chosen: a thread for a command, or what the command of a thread is given. */
export interface Chosen {
  readonly command: Command;
  readonly root: string;
}

/** As a person writes the command, behind the bot's name. */
export function lineOf(command: Command): string {
  const given = givenTo(command);
  return given === undefined ? command.name : `${command.name} ${given}`;
}

/** @param now ms since 1970, to tell how long ago a thread was touched. */
export function threadPicker(command: Command, sessions: readonly RecentSession[], now: number): Payload {
  if (sessions.length === 0) {
    return ephemeral("There is no thread with the bot in this channel yet. Mention it to open one.");
  }
  const actionId = `${PICK}${lineOf(command)}`;
  if (actionId.length > ID_UNITS)
    return ephemeral("That is too long. Write it in the thread that it is for.");
  const question = `Which thread is “${headOf(lineOf(command), 120)}” for?`;
  const options = sessions.slice(0, MOST_OPTIONS).map((session) => ({
    text: plain(optionText(session, now)),
    value: threadOf(session.session).root ?? "",
  }));
  return {
    ...ephemeral(question),
    blocks: [
      { type: "section", text: plain(question) },
      { type: "actions", elements: [menu(actionId, "Choose a thread", options)] },
    ],
  };
}

/** Nothing where there is nothing to choose. */
export function choiceMenu({ name, root, choices }: Choosing): readonly Payload[] {
  const all = choices.slice(0, MOST_OPTIONS).flatMap(({ value, label, isCurrent }) => {
    const option = { text: plain(headOf(label, OPTION_UNITS)), value };
    return value.length > VALUE_UNITS ? [] : [{ option, isCurrent }];
  });
  const current = all.find(({ isCurrent }) => isCurrent)?.option;
  if (all.length === 0) return [];
  const options = all.map(({ option }) => option);
  return [
    {
      type: "actions",
      block_id: root,
      elements: [
        {
          ...menu(`${CHOOSE}${name}`, "Choose", options),
          ...(current === undefined ? {} : { initial_option: current }),
        },
      ],
    },
  ];
}

/** @param action of a click. Undefined where it is none of these menus. */
export function chosenIn(action: Payload): Chosen | undefined {
  const actionId = textOf(action["action_id"]) ?? "";
  const value = textOf(fieldsOf(action["selected_option"])["value"]);
  if (value === undefined) return undefined;
  if (actionId.startsWith(PICK)) {
    const command = commandIn(actionId.slice(PICK.length));
    return command && { command, root: value };
  }
  const root = textOf(action["block_id"]);
  if (!actionId.startsWith(CHOOSE) || root === undefined) return undefined;
  const command = commandIn(`${actionId.slice(CHOOSE.length)} ${value}`);
  return command && { command, root };
}

/** What was stored by ourselves, perhaps by another version. */
export function readChoosing(value: unknown): Choosing | undefined {
  const { name, root, choices } = fieldsOf(value);
  const known = COMMAND_NAMES.find((each) => each === name);
  const at = textOf(root);
  if (known === undefined || at === undefined) return undefined;
  return {
    name: known,
    root: at,
    choices: listOf(choices).flatMap((choice) => {
      const { value: given, label, isCurrent } = fieldsOf(choice);
      const [said, shown] = [textOf(given), textOf(label)];
      return said === undefined || shown === undefined
        ? []
        : [{ value: said, label: shown, isCurrent: isCurrent === true }];
    }),
  };
}

export function ephemeral(text: string): Payload {
  return { response_type: "ephemeral", text };
}

function commandIn(line: string): Command | undefined {
  const end = line.indexOf(" ");
  const name = COMMAND_NAMES.find((each) => each === (end === -1 ? line : line.slice(0, end)));
  return name && commandOf(name, end === -1 ? "" : line.slice(end + 1));
}

function menu(actionId: string, placeholder: string, options: readonly Payload[]): Payload {
  return { type: "static_select", action_id: actionId, placeholder: plain(placeholder), options };
}

function plain(text: string): Payload {
  return { type: "plain_text", text, emoji: false };
}

function optionText({ label, running, touchedAt }: RecentSession, now: number): string {
  const when = running ? "working now" : `${formatDuration(wholeUnit(now - touchedAt))} ago`;
  return `${headOf(label, OPTION_UNITS - when.length - 3)} · ${when}`;
}

/** A list is read at a glance: whole minutes, hours or days. */
function wholeUnit(ms: number): number {
  const unit = [86_400_000, 3_600_000, 60_000, 1_000].find((each) => ms >= each) ?? 1_000;
  return Math.max(1, Math.floor(ms / unit)) * unit;
}
