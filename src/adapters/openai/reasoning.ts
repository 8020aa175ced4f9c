/**
 * The opaque `reasoning_details` that a provider demands back: gathered from deltas, kept as JSON text
 * (`{"reasoning_details":[…]}`), replayed as it came.
 */

import { listOf, objectOf, parseJson, textOf, type JsonObject } from "./json.ts";

/** Their text is streamed in pieces that have to be joined; every other detail comes whole. */
const PIECED: Readonly<Record<string, "text" | "summary">> = {
  "reasoning.text": "text",
  "reasoning.summary": "summary",
};

export class ReasoningDetails {
  readonly #details: Record<string, unknown>[] = [];

  /** @returns the readable text in these details, for a server that puts it nowhere else. */
  push(details: unknown): string {
    let readable = "";
    for (const each of listOf(details)) {
      const detail = objectOf(each);
      if (detail === undefined) continue;
      const field = PIECED[textOf(detail["type"]) ?? ""];
      if (field !== undefined) readable += textOf(detail[field]) ?? "";
      const last = this.#details.at(-1);
      if (field !== undefined && last !== undefined && continues(last, detail)) join(last, detail, field);
      else this.#details.push({ ...detail });
    }
    return readable;
  }

  /** Undefined when there were none. */
  toText(): string | undefined {
    return this.#details.length === 0 ? undefined : JSON.stringify({ reasoning_details: this.#details });
  }
}

/** What to put into the assistant's message; undefined when the text is not one of ours. */
export function replayOf(reasoning: string | undefined): readonly unknown[] | undefined {
  if (reasoning === undefined) return undefined;
  const details = objectOf(parseJson(reasoning))?.["reasoning_details"];
  return Array.isArray(details) && details.length > 0 ? details : undefined;
}

function continues(last: JsonObject, next: JsonObject): boolean {
  return last["type"] === next["type"] && last["index"] === next["index"];
}

function join(last: Record<string, unknown>, next: JsonObject, field: "text" | "summary"): void {
  for (const [key, value] of Object.entries(next)) {
    if (key === field) last[key] = (textOf(last[key]) ?? "") + (textOf(value) ?? "");
    else if (value !== null && value !== undefined) last[key] = value;
  }
}
