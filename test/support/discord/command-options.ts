// What the client of a person lets them put into a slash command: only what was registered, and within its bounds.
import type { JsonObject } from "./model.ts";

const PART = 1;
const WHOLE_NUMBER = 4;
const NUMBER = 10;

const optionsOf = ({ options }: JsonObject): readonly JsonObject[] =>
  (options ?? []) as readonly JsonObject[];

/**
 * As Discord sends them with the interaction.
 * @param name for errors.
 * @param part of the command, where it has parts.
 */
export function optionsGiven(
  command: JsonObject,
  name: string,
  part: string | undefined,
  given: Readonly<Record<string, string | number>>,
): readonly JsonObject[] {
  const parts = optionsOf(command).filter(({ type }) => type === PART);
  if (parts.length === 0) {
    if (part !== undefined) throw new Error(`/${name}: the command has no parts`);
    return valuesOf(optionsOf(command), name, given);
  }
  const found = parts.find((one) => one["name"] === part);
  if (found === undefined)
    throw new Error(`/${name}: the command has no such form, and none without its parts`);
  return [{ name: part, type: PART, options: valuesOf(optionsOf(found), name, given) }];
}

function valuesOf(
  all: readonly JsonObject[],
  name: string,
  given: Readonly<Record<string, string | number>>,
): readonly JsonObject[] {
  for (const option of all) {
    if (option["required"] === true && !(String(option["name"]) in given))
      throw new Error(`/${name} cannot be sent without ${String(option["name"])}`);
  }
  return Object.entries(given).map(([option, value]) => {
    const its = all.find((one) => one["name"] === option);
    if (its === undefined) throw new Error(`/${name} has no option ${option}`);
    const why = problemOf(its, value);
    if (why !== undefined) throw new Error(`/${name}: ${value} ${why} ${option}`);
    return { name: option, type: its["type"], value };
  });
}

function problemOf(option: JsonObject, value: string | number): string | undefined {
  const choices = option["choices"] as readonly JsonObject[] | undefined;
  if (choices !== undefined && !choices.some((choice) => choice["value"] === value))
    return "is none of the choices of";
  const isNumber = option["type"] === WHOLE_NUMBER || option["type"] === NUMBER;
  if (isNumber !== (typeof value === "number")) return "is of the wrong type for";
  if (option["type"] === WHOLE_NUMBER && !Number.isInteger(value)) return "is no whole number for";
  if (typeof value === "number") {
    const isWithin =
      value >= Number(option["min_value"] ?? -Infinity) && value <= Number(option["max_value"] ?? Infinity);
    return isWithin ? undefined : "is too small or too large for";
  }
  if (value.includes("\n")) return "has several lines, and a field of a command has one:";
  const isTooLong = value.length > Number(option["max_length"] ?? 6_000);
  const isTooShort = value.length < Number(option["min_length"] ?? 0);
  return isTooLong || isTooShort ? "is too short or too long for" : undefined;
}
