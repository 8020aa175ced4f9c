/** The calls of a reply and their results in the form in which every provider takes them back. */

import type { AssistantEntry, ToolCall, ToolEntry } from "../entry.ts";
import { cleanJson, cleanText, headOf, isBlank } from "../text.ts";

/** What the model reads for a call whose result was never stored. */
export const OUTCOME_UNKNOWN = "outcome unknown: the process ended while this ran";

/** What stands for a result without text. */
export const NO_OUTPUT = "(no output)";

export interface ReplayedResult {
  readonly call: string;
  readonly name: string;
  readonly content: string;
}

export interface ReplayedCalls {
  readonly calls: readonly ToolCall[];
  /** One per call, in their order. */
  readonly results: readonly ReplayedResult[];
}

/**
 * Pairs each call with exactly one of the results that follow it: one that is missing is made up, one too many is left
 * out. Ids are made unique within the reply, names and arguments are put into the form that strict servers ask for.
 * @param textOf is applied to each text (cleaning, shortening).
 */
export function replayCalls(
  entry: AssistantEntry,
  results: readonly ToolEntry[],
  textOf: (text: string) => string,
): ReplayedCalls {
  const left = [...results];
  const taken = new Set<string>();
  const calls: ToolCall[] = [];
  const replayed: ReplayedResult[] = [];
  for (const [index, call] of entry.calls.entries()) {
    const place = left.findIndex((result) => result.call === call.id);
    const [result] = place === -1 ? [] : left.splice(place, 1);
    const id = uniqueId(cleanText(call.id), index, taken);
    const name = replayableName(call.name);
    calls.push({ id, name, arguments: replayableArguments(call.arguments, textOf) });
    replayed.push({
      call: id,
      name,
      content: result === undefined ? OUTCOME_UNKNOWN : outputOf(result, textOf),
    });
  }
  return { calls, results: replayed };
}

/** A name that every provider accepts (letters, digits, `_`, `-`; at most 64), also where the model made it up. */
export function replayableName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/gu, "_").slice(0, 64) || "unknown";
}

/**
 * JSON text of an object, whatever the model wrote: blank and null are `{}`, anything else that is no JSON object is kept
 * as text inside one, so that the model can see what it did.
 */
export function replayableArguments(text: string, textOf: (text: string) => string = cleanText): string {
  const clean = cleanText(text);
  if (isBlank(clean) || clean.trim() === "null") return "{}";
  if (textOf(clean) !== clean) return JSON.stringify({ left_out: textOf(clean) });
  const value = objectIn(clean);
  if (value === undefined) return JSON.stringify({ invalid_arguments: clean });
  // An escape may stand for what no server takes back; without one the text is kept byte for byte.
  return clean.includes("\\u") ? JSON.stringify(cleanJson(value)) : clean;
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function outputOf(result: ToolEntry, textOf: (text: string) => string): string {
  const content = textOf(result.content);
  return isBlank(content) ? NO_OUTPUT : content;
}

function uniqueId(id: string, index: number, taken: Set<string>): string {
  const base = isBlank(id) ? `call_${index + 1}` : headOf(id, 200);
  let unique = base;
  for (let copy = 2; taken.has(unique); copy++) unique = `${base}_${copy}`;
  taken.add(unique);
  return unique;
}
