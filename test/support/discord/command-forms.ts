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
/** Of options: text, a whole number, yes or no, a person, a channel, a role, what can be mentioned, a number, a file. */
const OPTION_TYPES: ReadonlySet<unknown> = new Set([3, 4, 5, 6, 7, 8, 9, 10, 11]);
/** A part of a command, and a group of them. */
const PART = 1;
const GROUP = 2;
const TEXT = 3;
const NUMBERS: ReadonlySet<unknown> = new Set([4, 10]);
/** Numbers are exact up to there. */
const LARGEST = 2 ** 53;
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
    checkAllOptions(options as readonly JsonObject[], PARTS_AND_GROUPS);
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

const PARTS_AND_GROUPS: ReadonlySet<unknown> = new Set([PART, GROUP]);
const ONLY_PARTS: ReadonlySet<unknown> = new Set([PART]);

/** A command, or a group in it, has parts or takes something, never both; a part takes something and has no parts. */
function checkAllOptions(options: readonly JsonObject[], mayNest: ReadonlySet<unknown>): void {
  const parts = options.filter(({ type }) => type === PART || type === GROUP);
  if (parts.length === 0) return checkOptions(options);
  if (parts.length < options.length)
    throw wrongForm(
      "options",
      "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
      "Sub-command and sub-command group option types are mutually exclusive to all other types",
    );
  checkList(options);
  for (const part of parts) {
    if (!mayNest.has(part["type"]))
      throw wrongForm("options.type", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Invalid option type");
    checkLabels(part);
    for (const field of ["required", "choices", "autocomplete", "min_value", "max_value", "max_length"])
      if (field in part) throw wrongForm(field, "BASE_TYPE_CHOICES", "Not of a sub-command.");
    const inner = (part["options"] ?? []) as readonly JsonObject[];
    if (part["type"] === PART) checkOptions(inner);
    else if (inner.length === 0)
      throw wrongForm("options", "BASE_TYPE_BAD_LENGTH", "A group has sub-commands.");
    else checkAllOptions(inner, ONLY_PARTS);
  }
}

function checkLabels(option: JsonObject): void {
  checkName("options.name", option["name"]);
  checkText("options.description", option["description"], 100);
}

function checkList(options: readonly JsonObject[]): void {
  if (options.length > MOST_OPTIONS)
    throw wrongForm("options", "BASE_TYPE_BAD_LENGTH", "Must be 25 or fewer in length.");
  if (new Set(options.map(({ name }) => name)).size < options.length)
    throw wrongForm("options", "APPLICATION_COMMAND_OPTIONS_NAME_INVALID", "Names have to differ.");
}

function checkOptions(options: readonly JsonObject[]): void {
  checkList(options);
  let mayBeNeeded = true;
  for (const option of options) {
    checkLabels(option);
    if ("options" in option)
      throw wrongForm("options", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Only of sub-commands.");
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
    checkBounds(option);
    const [least, most] = [option["min_length"], option["max_length"]];
    if (least !== undefined && !(Number(least) >= 0 && Number(least) <= 6_000))
      throw wrongForm("min_length", "NUMBER_TYPE_MAX", "0 to 6000.");
    if (most !== undefined && !(Number(most) >= 1 && Number(most) <= 6_000))
      throw wrongForm("max_length", "NUMBER_TYPE_MAX", "1 to 6000.");
  }
}

/** Lengths are of text, and least and most of numbers. */
function checkBounds(option: JsonObject): void {
  const { type } = option;
  for (const field of ["min_length", "max_length"])
    if (field in option && type !== TEXT) throw wrongForm(field, "BASE_TYPE_CHOICES", "Only of text.");
  for (const field of ["min_value", "max_value"]) {
    const value = option[field];
    if (value === undefined) continue;
    const isNumber = typeof value === "number" && Math.abs(value) <= LARGEST;
    if (!NUMBERS.has(type) || !isNumber || (type === 4 && !Number.isInteger(value)))
      throw wrongForm(field, "NUMBER_TYPE_COERCE", "Only of numbers, and a number.");
  }
  if (Number(option["min_value"] ?? -LARGEST) > Number(option["max_value"] ?? LARGEST))
    throw wrongForm("min_value", "NUMBER_TYPE_MAX", "More than the most.");
  if (option["autocomplete"] === true && type !== TEXT && !NUMBERS.has(type))
    throw wrongForm("autocomplete", "BASE_TYPE_CHOICES", "Only of text and numbers.");
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
