/**
 * What a provider demands back of the reasoning behind a reply: the opaque `reasoning_details`, gathered from deltas; and, of a reply
 * with calls, what the model's record says. Kept as JSON text (`{"reasoning_details":[…]}`), replayed as it came.
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

  /** Undefined when there is nothing to keep. */
  toText(beside: BesideCalls): string | undefined {
    const kept = { ...(this.#details.length > 0 && { reasoning_details: this.#details }), ...beside };
    return Object.keys(kept).length === 0 ? undefined : JSON.stringify(kept);
  }
}

/** What is kept of a reply with calls, where the model's record asks for it (`replays`). */
export interface BesideCalls {
  /** The whole thinking. */
  readonly reasoning_content?: string;
  /** Of each call what came beside it; null where nothing did. */
  readonly extra_content?: readonly (JsonObject | null)[];
}

export interface Replay extends BesideCalls {
  readonly reasoning_details?: readonly unknown[];
}

/** What there is to put into the assistant's message; nothing when the text is not one of ours. */
export function replayOf(reasoning: string | undefined): Replay {
  const kept = reasoning === undefined ? undefined : objectOf(parseJson(reasoning));
  if (kept === undefined) return {};
  const details = listOf(kept["reasoning_details"]);
  const content = textOf(kept["reasoning_content"]);
  const extras = listOf(kept["extra_content"]).map((extra) => objectOf(extra) ?? null);
  return {
    ...(details.length > 0 && { reasoning_details: details }),
    ...(content !== undefined && { reasoning_content: content }),
    ...(extras.length > 0 && { extra_content: extras }),
  };
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
