// What the strictest provider would refuse, as sentences. An empty list: it takes the request.
import type { ModelMessage, ModelRequest } from "../../src/core/ports/model.ts";

export interface StrictOptions {
  /** Chat templates that want user and assistant to take turns. */
  readonly alternation?: boolean;
}

export function refusals(messages: readonly ModelMessage[], options: StrictOptions = {}): string[] {
  const problems: string[] = [];
  const refuse = (index: number, why: string): void => void problems.push(`message ${index}: ${why}`);
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    if (!isWhole(message)) refuse(index, "holds half a character or a NUL");
    if (message.role !== "tool" && open.length > 0) {
      refuse(index, `calls without a result: ${open.join(", ")}`);
      open = [];
    }
    switch (message.role) {
      case "user":
        if (message.content.length === 0) refuse(index, "no content");
        for (const part of message.content) {
          if (part.kind === "text" && part.text.trim() === "") refuse(index, "blank text");
        }
        if (options.alternation === true && before?.role === "user")
          refuse(index, "two user messages in a row");
        break;
      case "assistant":
        if (message.text.trim() === "" && message.calls.length === 0) refuse(index, "empty reply");
        if (before === undefined) refuse(index, "begins with a reply");
        if (before?.role === "assistant") refuse(index, "two replies in a row");
        open = message.calls.map((call) => call.id);
        if (new Set(open).size !== open.length) refuse(index, "two calls with one id");
        for (const call of message.calls) {
          if (!isJsonObject(call.arguments)) refuse(index, `arguments of ${call.id} are no JSON object`);
          if (!/^[A-Za-z0-9_-]{1,64}$/.test(call.name)) refuse(index, `not a tool name: ${call.name}`);
          if (call.id === "") refuse(index, "a call without an id");
        }
        break;
      case "tool":
        if (message.call !== open[0])
          refuse(index, `result of ${message.call} where ${open[0] ?? "none"} was due`);
        open = open.slice(1);
        if (message.content.trim() === "") refuse(index, "empty result");
        break;
      default:
        message satisfies never;
    }
  }
  if (open.length > 0) problems.push(`calls without a result at the end: ${open.join(", ")}`);
  if (messages.at(-1)?.role === "assistant") problems.push("ends with a reply: nothing to answer");
  return problems;
}

/** The same for a whole request. */
export function requestRefusals(request: ModelRequest, options: StrictOptions = {}): string[] {
  const calls = request.messages.some((message) => message.role === "assistant" && message.calls.length > 0);
  const alternation = options.alternation ?? request.model.strictAlternation === true;
  return [
    ...refusals(request.messages, { alternation }),
    ...(request.messages.length === 0 ? ["no message"] : []),
    ...(calls && request.tools.length === 0 ? ["calls without a tool list"] : []),
    ...(request.outputTokens > 0 ? [] : ["no room for a reply"]),
  ];
}

function isWhole(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\u0000");
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(isWhole);
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) && isWhole(value);
  } catch {
    return false;
  }
}
