/** What the demo model makes of a request: who said what, and which tools have just answered. */

import { SYSTEM_HEADER } from "../../core/context/speaker.ts";
import type { ModelMessage } from "../../core/ports/model.ts";

export interface Utterance {
  /** Absent where nobody was named. */
  readonly speaker?: string;
  readonly text: string;
}

type ToolMessage = Extract<ModelMessage, { role: "tool" }>;

/** A header of a user turn: `[from Ana (U1)]`, `[from the user]`. */
const FROM = /^\[from (?<name>.*?)(?: \([^()]*\))?\]$/;

/** All that people said, oldest first, without what the bot noted beside it. */
export function utterancesOf(messages: readonly ModelMessage[]): Utterance[] {
  return messages.flatMap((message) => (message.role === "user" ? utterancesIn(message) : []));
}

/** The results behind the last assistant message; empty when a person spoke last. */
export function freshResults(messages: readonly ModelMessage[]): ToolMessage[] {
  const from = messages.findLastIndex((message) => message.role !== "tool") + 1;
  return messages.slice(from).filter((message): message is ToolMessage => message.role === "tool");
}

function utterancesIn(message: Extract<ModelMessage, { role: "user" }>): Utterance[] {
  const text = message.content.map((part) => (part.kind === "text" ? part.text : "(an image)")).join("\n\n");
  const found: { speaker: string | undefined; lines: string[] }[] = [];
  let current: string[] | undefined;
  for (const line of text.split("\n")) {
    const name = FROM.exec(line)?.groups?.["name"];
    if (line === SYSTEM_HEADER) current = [];
    else if (name !== undefined || current === undefined) {
      current = name === undefined ? [line] : [];
      found.push({ speaker: name === "the user" ? undefined : name, lines: current });
    } else current.push(line);
  }
  return found.map(({ speaker, lines }) => ({
    ...(speaker !== undefined && { speaker }),
    text: lines.join("\n").trim(),
  }));
}
