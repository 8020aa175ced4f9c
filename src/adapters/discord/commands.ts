/** Commands as Discord knows them: the same list as everywhere, and the menus; registered only when it is another one than is registered. */

import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  type ApplicationIntegrationType,
  InteractionContextType,
  Routes,
  type APIApplicationCommand,
  type APIApplicationCommandOption,
} from "discord-api-types/v10";
import type { CommandField, CommandPart } from "../../core/command/goal-parts.ts";
import { COMMANDS, type CommandArgument } from "../../core/command/table.ts";
import { pause, growingMs } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { DiscordApi } from "./api.ts";
import type { DiscordIdentity } from "./identify.ts";
import { MENUS } from "./interaction.ts";

interface Wanted {
  readonly name: string;
  readonly type: ApplicationCommandType;
  readonly description: string;
  readonly contexts: readonly InteractionContextType[];
  readonly integration_types: readonly ApplicationIntegrationType[];
  readonly options?: readonly Option[];
}

interface Option {
  readonly type: ApplicationCommandOptionType;
  readonly name: string;
  readonly description: string;
  readonly max_length?: number;
  readonly choices?: readonly { readonly name: string; readonly value: string }[];
  readonly autocomplete?: boolean;
  readonly min_value?: number;
  readonly max_value?: number;
  /** Of a part of the command. */
  readonly options?: readonly Option[];
}

/** In servers and in direct messages with the bot, for all who have it there: people by a server, or for themselves. */
export function wantedCommands(installs: readonly ApplicationIntegrationType[]): readonly Wanted[] {
  const place = {
    contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
    integration_types: installs,
  };
  const slash = Object.entries(COMMANDS).map(([name, { summary, argument, parts }]) => ({
    name,
    type: ApplicationCommandType.ChatInput,
    description: summary,
    options: parts === undefined ? optionsOf(argument) : partsOf(parts),
    ...place,
  }));
  // Discord takes no description for what stands in a menu.
  const menus = Object.keys(MENUS).map((name) => ({
    name,
    type: ApplicationCommandType.Message,
    description: "",
    ...place,
  }));
  return [...slash, ...menus];
}

/**
 * What can be told beforehand is there to choose; what depends on the configuration and the thread is suggested while it is typed, so that
 * the list is the same whichever process registers it.
 */
function optionsOf(argument: CommandArgument): readonly Option[] {
  const type = ApplicationCommandOptionType.String;
  switch (argument.kind) {
    case "none":
      return [];
    case "choice": {
      const option = { type, name: argument.name, description: "Leave it out to see how it is now." };
      if (argument.isOpen) return [{ ...option, autocomplete: true }];
      return [{ ...option, choices: argument.values.map((value) => ({ name: value, value })) }];
    }
    case "text": {
      const description = "Leave it out to see what it is now.";
      return [{ type, name: argument.name, description, max_length: argument.longest }];
    }
    case "message": {
      const description = "Its address (Copy Message Link) or its id; the newest one unless you say.";
      return [{ type, name: argument.name, description }];
    }
    default:
      return argument satisfies never;
  }
}

function partsOf(parts: Readonly<Record<string, CommandPart>>): readonly Option[] {
  return Object.entries(parts).map(([name, { summary, fields }]) => ({
    type: ApplicationCommandOptionType.Subcommand,
    name,
    description: summary,
    options: Object.entries(fields).map(([field, of]) => fieldOption(field, of)),
  }));
}

function fieldOption(name: string, field: CommandField): Option {
  const { kind, summary: description } = field;
  switch (kind) {
    case "text":
      return { type: ApplicationCommandOptionType.String, name, description, max_length: field.longest };
    case "number":
      return {
        type: ApplicationCommandOptionType.Integer,
        name,
        description,
        min_value: 1,
        max_value: field.most,
      };
    default:
      return kind satisfies never;
  }
}

/** Never rejects: without commands everything else works. Discord takes 200 new ones a day. */
export async function registerCommands(
  deps: { readonly api: DiscordApi; readonly clock: Clock; readonly log: Log },
  { app, installs }: Pick<DiscordIdentity, "app" | "installs">,
  signal: AbortSignal,
): Promise<void> {
  const { api, clock, log } = deps;
  const wanted = wantedCommands(installs);
  for (let failures = 0; failures < 5; failures++) {
    const known = await api.call("GET", Routes.applicationCommands(app));
    // Whoever starts with the next token registers them.
    if (known.kind === "token_refused") return;
    if (known.kind === "ok") {
      const registered = known.data as readonly APIApplicationCommand[];
      if (registered.length === wanted.length && unregistered(registered, installs).length === 0) return;
      const put = await api.call("PUT", Routes.applicationCommands(app), { body: wanted });
      if (put.kind === "ok") {
        log.info("the commands are registered with Discord", { commands: wanted.length });
        return;
      }
      if (put.kind === "refused") {
        log.warn("Discord did not take the commands", { ...put });
        return;
      }
    }
    if (!(await pause(clock, known.kind === "rate_limited" ? known.afterMs : growingMs(failures), signal)))
      return;
  }
  log.warn("the commands could not be registered with Discord; they are at the next start");
}

/** Names of the commands that are not registered as they are today. @param registered as Discord gives them. */
export function unregistered(
  registered: readonly Partial<APIApplicationCommand>[],
  installs: readonly ApplicationIntegrationType[],
): readonly string[] {
  const forms = new Set(registered.map(formOf));
  return wantedCommands(installs).flatMap((command) => (forms.has(formOf(command)) ? [] : [command.name]));
}

/** The same text for the same command, whatever else Discord keeps with it. */
function formOf({
  name,
  type,
  description,
  contexts,
  integration_types: types,
  options = [],
}: Wanted | Partial<APIApplicationCommand>): string {
  return JSON.stringify([name, type, description, sorted(contexts), sorted(types), options.map(optionForm)]);
}

function optionForm(option: Option | APIApplicationCommandOption): readonly unknown[] {
  const { type, name, description } = option;
  const longest = "max_length" in option ? option.max_length : undefined;
  const [least, most] = "min_value" in option ? [option.min_value, option.max_value] : [];
  const isSuggested = "autocomplete" in option && option.autocomplete === true;
  const choices = "choices" in option ? (option.choices ?? []) : [];
  const inner = "options" in option ? (option.options ?? []) : [];
  return [
    [type, name, description],
    [longest ?? null, least ?? null, most ?? null, isSuggested],
    choices.map((one) => [one.name, one.value]),
    inner.map(optionForm),
  ];
}

function sorted(numbers: readonly number[] | null | undefined): readonly number[] {
  return [...(numbers ?? [])].sort((a, b) => a - b);
}
