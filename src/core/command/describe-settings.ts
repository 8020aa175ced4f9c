/** What the commands that set something say, and what there is to choose. Pure. */

import { labelOf } from "../label.ts";
import { UNSET, type SessionSettings } from "../session-settings.ts";
import { VERBOSITIES, type Verbosity } from "../verbosity.ts";
import { USUAL, type CommandName, type SettingCommand } from "./command.ts";
import { effortsOf, modelFor, usableModels, type Models } from "./models.ts";

/** Something that can be given to a command. */
export interface Choice {
  /** What the command is given. */
  readonly value: string;
  /** What people read. */
  readonly label: string;
  /** It is so now. */
  readonly isCurrent: boolean;
}

/** What may be given to the command in a thread with these settings; none for a command that takes no choice. */
export function choicesFor(
  name: CommandName,
  models: Models,
  settings: SessionSettings = UNSET,
): readonly Choice[] {
  const choice = (value: string, isCurrent: boolean, label = value): Choice => ({ value, label, isCurrent });
  switch (name) {
    case "model": {
      const names = usableModels(models).map((model) => model.name);
      const isOne = settings.model !== undefined && names.includes(settings.model);
      const usual = models.usual === undefined ? USUAL : `${USUAL} (${models.usual.name})`;
      return [
        choice(USUAL, !isOne, usual),
        ...names.map((each) => choice(each, isOne && each === settings.model)),
      ];
    }
    case "effort": {
      const efforts = effortsOf(modelFor(models, settings));
      if (efforts.length === 0) return [];
      return [
        choice(USUAL, settings.effort === undefined),
        ...efforts.map((each) => choice(each, each === settings.effort)),
      ];
    }
    case "follow":
      return [
        choice("thread", settings.follow === "thread", "every message in the thread"),
        choice("mention", settings.follow === "mention", "only messages that mention the bot"),
      ];
    case "verbosity":
      return [
        choice(USUAL, settings.verbosity === undefined),
        ...VERBOSITIES.map((each) => choice(each, each === settings.verbosity, SHOWS[each])),
      ];
    case "feedback":
      return [choice("good", false), choice("bad", false)];
    case "mute":
      return [choice("on", settings.isMuted), choice("off", !settings.isMuted)];
    default:
      return [];
  }
}

/** How it is now, for the command without a value. @param written how a person writes the command. */
export function describeSetting(
  name: "model" | "effort" | "verbosity" | "title" | "follow" | "mute",
  written: string,
  models: Models,
  settings: SessionSettings,
  firstText: string | undefined,
): string {
  switch (name) {
    case "model": {
      const usual = models.usual?.name ?? "the usual model";
      const { model } = settings;
      const isGone = model !== undefined && modelFor(models, settings)?.name !== model;
      const now = isGone
        ? `This thread was to use \`${model}\`, which is not listed any more; ${usual} answers in its place.`
        : `This thread uses ${model === undefined ? `the default, ${usual}` : `\`${model}\``}.`;
      return `${now}\n\n${listOf(choicesFor(name, models, settings), written)}`;
    }
    case "effort": {
      const choices = choicesFor(name, models, settings);
      if (choices.length === 0) return NO_EFFORT;
      return `How much the model thinks here: \`${settings.effort ?? USUAL}\`.\n\n${listOf(choices, written)}`;
    }
    case "verbosity": {
      const now =
        settings.verbosity === undefined ? "as everywhere in this channel" : SHOWS[settings.verbosity];
      return `What this thread shows of what the bot does: ${now}.\n\n${listOf(choicesFor(name, models, settings), written)}`;
    }
    case "title": {
      const label = labelOf({ title: settings.title?.text, firstText });
      const from = settings.title === undefined ? " (the first words in it)" : "";
      return `This thread is called “${label}”${from}. \`${written} …\` gives it another name.`;
    }
    case "follow":
      return settings.follow === "mention"
        ? `Only messages that mention the bot are for it here. \`${written} thread\` changes that.`
        : `Every message in this thread is for the bot. \`${written} mention\` changes that.`;
    case "mute":
      return settings.isMuted
        ? `The bot is quiet in this thread. \`${written} off\` changes that.`
        : `The bot answers in this thread. \`${written} on\` makes it quiet here.`;
    default:
      return name satisfies never;
  }
}

/** Why this cannot be set; undefined where it can. */
export function refusalOfSetting(
  command: SettingCommand,
  written: string,
  models: Models,
  settings: SessionSettings,
): string | undefined {
  if (command.name !== "model" && command.name !== "effort") return undefined;
  const { name, value } = command;
  const choices = choicesFor(name, models, settings);
  if (choices.some((choice) => choice.value === value)) return undefined;
  if (name === "effort") return value === USUAL ? undefined : NO_EFFORT;
  return `There is no model \`${value}\` here.\n\n${listOf(choices, written)}`;
}

/** What is said once it is set. */
export function describeSet(command: SettingCommand): string {
  switch (command.name) {
    case "model":
      return command.value === USUAL
        ? "From the next answer on this thread uses the default model."
        : `From the next answer on this thread uses \`${command.value}\`.`;
    case "effort":
      return command.value === USUAL
        ? "From the next answer on the model thinks as much as it does by default."
        : `From the next answer on the model thinks with the effort \`${command.value}\`.`;
    case "verbosity":
      return command.value === USUAL
        ? "From the next answer on this thread shows as much of what the bot does as its channel does."
        : `From the next answer on this thread shows of what the bot does: ${SHOWS[command.value]}.`;
    case "title":
      return `This thread is called “${labelOf({ title: command.value })}” now.`;
    case "follow":
      return command.value === "mention"
        ? "From now on only messages that mention the bot are for it in this thread."
        : "From now on every message in this thread is for the bot.";
    case "mute":
      return command.value === "on"
        ? "The bot is quiet in this thread from now on, also when it is mentioned. What it works on it still ends."
        : "The bot answers in this thread again. What was said meanwhile it leaves unanswered.";
    case "reload":
      return "From the next answer on this thread uses today's instructions and tools.";
    default:
      return command satisfies never;
  }
}

const SHOWS: Readonly<Record<Verbosity, string>> = {
  quiet: "one line while tools run",
  steps: "a line for each step",
  full: "each step, with what it was given",
};
const NO_EFFORT = "The model of this thread has no such levels.";

function listOf(choices: readonly Choice[], written: string): string {
  const lines = choices.map(({ value, label, isCurrent }) => {
    const more = label.startsWith(value) ? label.slice(value.length) : `: ${label}`;
    return `- \`${value}\`${more}${isCurrent ? ", now" : ""}`;
  });
  return [`It may be, with \`${written}\` and one of these words behind it:`, "", ...lines].join("\n");
}
