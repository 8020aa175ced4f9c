/** What the demo model answers. Pure: the same request gets the same answer. */

import type { ImagePart } from "../../core/part.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import { drawingOf } from "./drawing.ts";
import { freshResults, utterancesOf, type Utterance } from "./heard.ts";
import { LONG_ANSWER } from "./long-answer.ts";
import { answerFrom } from "./results.ts";

export interface Plan {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly pace: "normal" | "slow";
  readonly images?: readonly ImagePart[];
}

const HOW_TO =
  "For real answers start Bobbin again with `OPENAI_API_KEY` set. `MODEL` chooses the model, and `OPENAI_BASE_URL` another provider.";
const TRY = `This is what I can show you:

- *What time is it in Tokyo and in Lisbon?* calls a tool.
- *What was said earlier?* reads the thread back.
- *Draw a picture* answers with an image.
- *Show me a long answer* has all that an answer can contain.
- *Count slowly* leaves you time to press **Stop**.`;

const TIME =
  /\b(?:what|which|tell|know|current|now)\b.*\b(?:time|date|day)\b|\b(?:time|date|day) (?:is it|in)\b|\bo'?clock\b/i;
const ASIDE = /\b(?:please|right now|now|today|currently)\b/gi;
const PLACES = /\b(?:in|at|for)\s+(?<places>[\p{L}][\p{L}_/.' ,+-]*)/iu;
const EARLIER =
  /\b(?:earlier|previous|before)\b.*\b(?:messages?|said|say|wrote|talk\w*)\b|\b(?:messages?|said|say|wrote|talk\w*)\b.*\b(?:earlier|previous\w*|before)\b|\bread (?:the )?(?:thread|channel)\b/i;

export function planFor(request: ModelRequest): Plan {
  const results = freshResults(request.messages);
  if (results.length > 0) return says(results.map(answerFrom).join("\n\n"));
  const heard = utterancesOf(request.messages);
  const text = heard.at(-1)?.text ?? "";
  const offers = (name: string): boolean => request.tools.some((tool) => tool.name === name);
  if (TIME.test(text) && offers("time_in_zone")) {
    const calls = placesIn(text).map((zone) => call("time_in_zone", { zone }));
    return { text: "Let me look at the clock.", calls, pace: "normal" };
  }
  if (EARLIER.test(text) && offers("read_earlier_messages")) {
    const where = /\bchannel\b/i.test(text) ? "channel" : "thread";
    return {
      text: "Let me read that.",
      calls: [call("read_earlier_messages", { where, limit: 20 })],
      pace: "normal",
    };
  }
  if (/\bdraw\b|\b(?:picture|image)\b/i.test(text)) return { ...says(DRAWN), images: [drawingOf(text)] };
  if (/\blong\b/i.test(text)) return says(LONG_ANSWER);
  if (/\bslow(?:ly)?\b/i.test(text)) return { text: slowText(), calls: [], pace: "slow" };
  return says(heard.length <= 1 ? greeting(heard[0]) : goingOn(heard));
}

const DRAWN = "I have drawn your words: each bar is a letter.";

function says(text: string): Plan {
  return { text, calls: [], pace: "normal" };
}

function call(name: string, given: Readonly<Record<string, unknown>>): Plan["calls"][number] {
  return { name, arguments: JSON.stringify(given) };
}

/** `Tokyo and New York`: one call for each, four at most. */
function placesIn(text: string): string[] {
  const places = PLACES.exec(text)?.groups?.["places"] ?? "UTC";
  const names = places
    .split(/,| and(?= )/i)
    .map((name) => name.replaceAll(ASIDE, "").replaceAll(/[\s.]+$|^\s+(?:(?:in|at|for)\s+)?/gi, ""));
  return names.filter((name) => name !== "").slice(0, 4);
}

function greeting(first: Utterance | undefined): string {
  const name = first?.speaker === undefined ? "" : `, ${first.speaker}`;
  const said = first === undefined ? "" : ` You said:\n\n${quote(first.text)}`;
  return `Hello${name}. I am the **demo model**: no model key is set, so my answers are scripted.${said}\n\n${TRY}\n\n${HOW_TO}`;
}

function goingOn(heard: readonly Utterance[]): string {
  const last = heard.at(-1);
  const before = heard.slice(0, -1).toReversed().slice(0, 3);
  const lines = before.map(({ speaker, text }) => `- ${speaker ?? "you"}: ${onOneLine(text)}`);
  return [
    `This is message ${heard.length} in this thread. You said:`,
    quote(last?.text ?? ""),
    `And I remember what was said before:`,
    lines.join("\n"),
    `I am the *demo model*, and say little else. ${HOW_TO}`,
  ].join("\n\n");
}

function slowText(): string {
  const counted = Array.from({ length: 150 }, (_, at) => `${at + 1}`).join(", ");
  return `I am counting slowly, so that you can press Stop: ${counted}. Nobody stopped me.`;
}

function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

function onOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  const letters = Array.from(line);
  return letters.length <= 120 ? line : `${letters.slice(0, 120).join("")}…`;
}
