/**
 * Which part of a long conversation is sent: the newest tail that fits, beginning at a user turn.
 * The start moves in steps of a quarter of the budget, so that it stands still for many requests and the provider's cache
 * keeps working. Where even the newest turn is too large, its long texts are shortened.
 */

import type { ContextEntry } from "../entry.ts";
import type { ContentPart, ModelRecord } from "../ports/model.ts";
import { isSameTurn } from "./standing.ts";

export interface Fit {
  /** Index of the first entry that is sent. */
  readonly from: number;
  /** Estimated tokens of what is sent. */
  readonly tokens: number;
  /** Longest text that is sent whole, UTF-16 units; absent: all are. */
  readonly textCap?: number;
}

export type Estimate = (entry: ContextEntry) => number;

/** Tokens that an image is taken for. */
const IMAGE_TOKENS = 1_200;
const MESSAGE_TOKENS = 8;
const CHARACTERS_PER_TOKEN = 4;
const SMALLEST_CAP = 256;
const LARGEST_CAP = 2 ** 20;

/** Tokens that are left for messages beside the reply, the system prompt and the tools; never below an eighth of the window. */
export function inputBudget(model: ModelRecord, system: string, toolsText: string): number {
  const fixed = tokensOf(system.length + toolsText.length);
  const left = model.contextWindow - outputRoom(model) - fixed;
  return Math.max(left, Math.floor(model.contextWindow / 8));
}

/** Tokens kept free for the reply: its first cap, at most half of the window. */
export function outputRoom(model: ModelRecord): number {
  return Math.min(model.outputTokens, Math.floor(model.contextWindow / 2));
}

/** The output cap of the retry after a cut reply, within the window. */
export function largerCap(model: ModelRecord): number {
  return Math.max(outputRoom(model), Math.min(model.largerOutputTokens, Math.floor(model.contextWindow / 2)));
}

/** Estimated tokens of an entry: a quarter of its characters, a fixed number for each image. */
export function estimateTokens(entry: ContextEntry, textCap: number = Number.POSITIVE_INFINITY): number {
  const { body } = entry;
  const text = (given: string): number => tokensOf(Math.min(given.length, textCap));
  switch (body.kind) {
    case "user":
      return (
        MESSAGE_TOKENS +
        sum(body.parts.map((part) => (part.kind === "file" ? MESSAGE_TOKENS : partTokens(part, text))))
      );
    case "assistant":
      return (
        MESSAGE_TOKENS +
        text(body.text) +
        tokensOf(body.reasoning?.length ?? 0) +
        sum(body.calls.map((call) => MESSAGE_TOKENS + text(call.arguments)))
      );
    case "tool":
      return MESSAGE_TOKENS + text(body.content);
    case "note":
    case "summary":
      return MESSAGE_TOKENS + text(body.text);
    default:
      return body satisfies never;
  }
}

/**
 * @param entries those that stand (`standingOf`), in order.
 * @param budget tokens for all of them together.
 */
export function fitBudget(entries: readonly ContextEntry[], budget: number, estimate?: Estimate): Fit {
  const sizes = entries.map((entry) => estimate?.(entry) ?? estimateTokens(entry));
  const total = sum(sizes);
  if (total <= budget) return { from: 0, tokens: total };
  const step = Math.max(1, Math.ceil(budget / 4));
  const drop = Math.ceil((total - budget) / step) * step;
  const before = startsOf(sizes);
  const starts = turnStarts(entries);
  // The newest turn is always sent: without it there is nothing to answer.
  const from = starts.find((index) => (before[index] ?? 0) >= drop) ?? starts.at(-1) ?? 0;
  const rest = total - (before[from] ?? 0);
  if (rest <= budget) return { from, tokens: rest };
  const tail = entries.slice(from);
  const capped = (cap: number): number => sum(tail.map((entry) => estimateTokens(entry, cap)));
  let textCap = LARGEST_CAP;
  while (textCap > SMALLEST_CAP && capped(textCap) > budget) textCap /= 2;
  return { from, tokens: capped(textCap), textCap };
}

/** Where a request may begin: at each user turn, with the notes that belong to it. */
function turnStarts(entries: readonly ContextEntry[]): number[] {
  const starts: number[] = [];
  let previous: ContextEntry | undefined;
  let firstNote: number | undefined;
  for (const [index, entry] of entries.entries()) {
    if (entry.body.kind === "note") {
      firstNote ??= index;
      continue;
    }
    const goesOn = previous?.body.kind === "user" && isSameTurn(previous, entry);
    if (entry.body.kind === "user" && !goesOn) starts.push(firstNote ?? index);
    previous = entry;
    firstNote = undefined;
  }
  return starts;
}

/** The sum of all sizes before each. */
function startsOf(sizes: readonly number[]): number[] {
  let before = 0;
  return sizes.map((size) => {
    const start = before;
    before += size;
    return start;
  });
}

function partTokens(
  part: ContentPart | { kind: "note"; text: string },
  text: (given: string) => number,
): number {
  return part.kind === "image" ? IMAGE_TOKENS : MESSAGE_TOKENS + text(part.text);
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
