/** Decides about a call of the model: ready to run, or answered already because something is wrong with it. */

import { replayableArguments, replayCalls } from "../context/replayed-calls.ts";
import type { AssistantEntry, ToolCall } from "../entry.ts";
import { cleanJson, cleanText, isBlank } from "../text.ts";
import { textOfFailure } from "./tool-result.ts";
import type { Tool } from "./tool.ts";

export type PreparedCall =
  | { readonly kind: "ready"; readonly call: ToolCall; readonly tool: Tool; readonly value: unknown }
  | { readonly kind: "answered"; readonly call: ToolCall; readonly text: string };

export const CUT_CALL = "error: this call was cut off by the length limit of the reply and was not run";
export const FILTERED_CALL = "error: this call was cut off by the provider's filter and was not run";

/** The calls of a reply as they are stored: ids unique within it, clean text, arguments that are JSON of an object. */
export function storableCalls(calls: readonly ToolCall[]): ToolCall[] {
  const entry: AssistantEntry = { v: 1, kind: "assistant", text: "", calls };
  return replayCalls(entry, [], cleanText).calls.map((call, index) => ({
    ...call,
    name: cleanText(calls[index]?.name ?? call.name),
  }));
}

/**
 * @param given the call as the model gave it: what it wrote is judged, not what is stored in its place.
 * @param call the call as it is stored.
 */
export function prepareCall(given: ToolCall, call: ToolCall, tools: readonly Tool[]): PreparedCall {
  const answered = (text: string): PreparedCall => ({ kind: "answered", call, text });
  const tool = tools.find(({ name }) => name === given.name);
  if (tool === undefined) return answered(unknownTool(call.name, tools));
  const parsed = parseArguments(given.arguments);
  if (parsed.kind === "bad") return answered(`error: ${parsed.why}`);
  try {
    return { kind: "ready", call, tool, value: tool.parse(parsed.value) };
  } catch (error) {
    return answered(
      `error: wrong arguments for ${call.name}: ${textOfFailure(error).replace(/^error: /, "")}`,
    );
  }
}

function unknownTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name).join(", ");
  return `error: there is no tool ${JSON.stringify(name)}. ${names === "" ? "There are no tools." : `Tools: ${names}`}`;
}

type Arguments =
  | { readonly kind: "good"; readonly value: unknown }
  | { readonly kind: "bad"; readonly why: string };

function parseArguments(text: string): Arguments {
  if (isBlank(text)) return { kind: "good", value: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { kind: "bad", why: `the arguments are not valid JSON (${textOfFailure(error)})` };
  }
  if (value === null) return { kind: "good", value: {} };
  if (typeof value !== "object" || Array.isArray(value)) {
    return { kind: "bad", why: "the arguments have to be a JSON object" };
  }
  if (hasNul(value)) return { kind: "bad", why: "the arguments hold a NUL character, which nothing accepts" };
  return { kind: "good", value: cleanJson(value) };
}

function hasNul(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\u0000");
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) => key.includes("\u0000") || hasNul(inner));
}

/** For a call that stands in an entry: what is stored of arguments that were wrong stays wrong. */
export function prepareStoredCall(call: ToolCall, tools: readonly Tool[]): PreparedCall {
  return prepareCall(call, { ...call, arguments: replayableArguments(call.arguments) }, tools);
}
