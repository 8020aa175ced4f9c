// What Discord takes as commands of an application, and what it refuses.
import { ApiError, wrongForm } from "./call.ts";
import type { JsonObject } from "./model.ts";

const CHAT_INPUT = 1;
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
/** Of each type. */
const MOST = [
  [CHAT_INPUT, 100],
  [2, 15],
  [3, 15],
] as const;
const MOST_OPTIONS = 25;
const MOST_CHOICES = 25;
const MOST_IN_ALL = 8_000;
/** Of options: text, a whole number, yes or no, a person, a channel, a role, a number. */
const OPTION_TYPES: ReadonlySet<unknown> = new Set([3, 4, 5, 6, 7, 8, 10]);
const CONTEXTS: ReadonlySet<unknown> = new Set([0, 1, 2]);

/** Names are unique within a type. */
export function keyOf({ name, type = CHAT_INPUT }: JsonObject): string {
  return `${String(type)} ${String(name)}`;
}

/** @param installs where the application may be installed: 0 servers, 1 people. */
export function checkCommands(given: readonly JsonObject[], installs: ReadonlySet<number>): void {
  for (const [type, most] of MOST) {
    if (given.filter((one) => (one["type"] ?? CHAT_INPUT) === type).length > most)
      throw new ApiError(400, 30032, "Maximum number of commands reached");
  }
  if (new Set(given.map(keyOf)).size < given.length)
    throw wrongForm("name", "APPLICATION_COMMANDS_DUPLICATE_NAME", "Names have to differ.");
  for (const command of given) checkCommand(command, installs);
}

function checkCommand(command: JsonObject, installs: ReadonlySet<number>): void {
  const { name, description, type = CHAT_INPUT, options = [] } = command;
  if (type === CHAT_INPUT) {
    checkName("name", name);
    checkText("description", description, 100);
    checkOptions(options as readonly JsonObject[]);
    if (sizeOf(command) > MOST_IN_ALL)
      throw wrongForm("options", "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (8000)");
  } else {
    checkText("name", name, 32);
    if ((description ?? "") !== "") throw wrongForm("description", "BASE_TYPE_BAD_LENGTH", "Must be empty.");
    if ("options" in command) throw wrongForm("options", "BASE_TYPE_CHOICES", "Only of slash commands.");
  }
  for (const context of (command["contexts"] ?? []) as readonly unknown[])
    if (!CONTEXTS.has(context)) throw wrongForm("contexts", "BASE_TYPE_CHOICES", "One of 0, 1, 2.");
  for (const install of (command["integration_types"] ?? []) as readonly number[])
    if (!installs.has(install))
      throw wrongForm("integration_types", "BASE_TYPE_CHOICES", "The application is not installed so.");
}

function checkOptions(options: readonly JsonObject[]): void {
  if (options.length > MOST_OPTIONS)
    throw wrongForm("options", "BASE_TYPE_BAD_LENGTH", "Must be 25 or fewer in length.");
  if (new Set(options.map(({ name }) => name)).size < options.length)
    throw wrongForm("options", "APPLICATION_COMMAND_OPTIONS_NAME_INVALID", "Names have to differ.");
  let mayBeNeeded = true;
  for (const option of options) {
    checkName("options.name", option["name"]);
    checkText("options.description", option["description"], 100);
    if (!OPTION_TYPES.has(option["type"]))
      throw wrongForm("options.type", "BASE_TYPE_CHOICES", "This type is not known here.");
    const isNeeded = option["required"] === true;
    if (isNeeded && !mayBeNeeded)
      throw wrongForm(
        "options",
        "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
        "Required options must be placed before non-required options",
      );
    mayBeNeeded = isNeeded;
    const choices = (option["choices"] ?? []) as readonly JsonObject[];
    if (choices.length > MOST_CHOICES)
      throw wrongForm("choices", "BASE_TYPE_BAD_LENGTH", "Must be 25 or fewer in length.");
    if (choices.length > 0 && option["autocomplete"] === true)
      throw wrongForm("autocomplete", "BASE_TYPE_CHOICES", "Not together with choices.");
    for (const choice of choices) {
      checkText("choices.name", choice["name"], 100);
      if (option["type"] === 3) checkText("choices.value", choice["value"], 100);
    }
    const [least, most] = [option["min_length"], option["max_length"]];
    if (least !== undefined && !(Number(least) >= 0 && Number(least) <= 6_000))
      throw wrongForm("min_length", "NUMBER_TYPE_MAX", "0 to 6000.");
    if (most !== undefined && !(Number(most) >= 1 && Number(most) <= 6_000))
      throw wrongForm("max_length", "NUMBER_TYPE_MAX", "1 to 6000.");
  }
}

function checkName(field: string, name: unknown): void {
  if (typeof name !== "string" || !NAME.test(name) || name !== name.toLowerCase())
    throw wrongForm(field, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
}

function checkText(field: string, text: unknown, most: number): void {
  const length = typeof text === "string" ? text.length : 0;
  if (length < 1 || length > most)
    throw wrongForm(field, "BASE_TYPE_BAD_LENGTH", `Must be between 1 and ${most} in length.`);
}

/** Names, descriptions and values of it all, as Discord counts them. */
function sizeOf({ name, description, options, choices, value }: JsonObject): number {
  const own = [name, description, value].reduce<number>(
    (sum, text) => sum + (typeof text === "string" ? text.length : 0),
    0,
  );
  const inner = [options, choices].flatMap((list) => (Array.isArray(list) ? (list as JsonObject[]) : []));
  return inner.reduce((sum, one) => sum + sizeOf(one), own);
}
