/**
 * Which part of a long conversation is sent: the newest tail that fits, beginning at a user turn.
 * The start moves in steps of a quarter of the budget, so that it stands still for many requests and the provider's cache
 * keeps working. Where even the newest turn is too large, its long texts are shortened.
 */

import type { ContextEntry, EntryBody } from "../entry.ts";
import type { ModelRecord } from "../ports/model.ts";
import { cutMiddle } from "./middle-cut.ts";
import { isSameTurn } from "./standing.ts";
import { tokensIn } from "./tokens.ts";

export interface Fit {
  /** Index of the first entry that is sent. */
  readonly from: number;
  /** Estimated tokens of what is sent; counted when it is asked for where all is sent. */
  readonly tokens: number;
  /** Longest text that is sent whole, UTF-16 units; absent: all are. */
  readonly textCap?: number;
}

export type Estimate = (entry: ContextEntry) => number;

/** How the tokens that we count are to be taken (`context/gauge`). */
export interface Fitting {
  /** Tokens of the provider's to one of ours. */
  readonly scale: number;
  /** How much of the budget is used. */
  readonly share: number;
}

/** A token is one of ours, and all of the budget is used. */
export const AS_COUNTED: Fitting = { scale: 1, share: 1 };

export function isAsCounted({ scale, share }: Fitting): boolean {
  return scale === AS_COUNTED.scale && share === AS_COUNTED.share;
}

/** Tokens that an image is taken for. */
const IMAGE_TOKENS = 1_200;
const MESSAGE_TOKENS = 8;
const SMALLEST_CAP = 256;
const LARGEST_CAP = 2 ** 20;

/**
 * Tokens of ours that are left for messages beside the reply and what always stands in a request; never below an eighth of the window.
 * @param fixed tokens of the system prompt and the tools.
 */
export function inputBudget(
  model: ModelRecord,
  fixed: number,
  { scale, share }: Fitting = AS_COUNTED,
): number {
  const left = (model.contextWindow - outputRoom(model)) / scale - fixed;
  return Math.floor(Math.max(left, model.contextWindow / scale / 8) * share);
}

/** Tokens kept free for the reply: its first cap, at most half of the window. */
export function outputRoom(model: ModelRecord): number {
  return Math.min(model.outputTokens, Math.floor(model.contextWindow / 2));
}

/** The output cap of the retry after a cut reply, within the window. */
export function largerCap(model: ModelRecord): number {
  return Math.max(outputRoom(model), Math.min(model.largerOutputTokens, Math.floor(model.contextWindow / 2)));
}

/** Bodies never change, and all that stands in a conversation is counted again for each request of a run. */
const counts = new WeakMap<EntryBody, number>();

/** Estimated tokens of an entry: those of its texts (`tokensIn`), a fixed number for each image. Counted once for each body. */
export function estimateTokens({ body }: ContextEntry): number {
  const known = counts.get(body);
  if (known !== undefined) return known;
  const tokens = tokensOf(body, tokensIn);
  counts.set(body, tokens);
  return tokens;
}

/** No sign is taken for more than a token: what fits by this need not be counted, which is nearly always so. */
function mostTokens({ body }: ContextEntry): number {
  const length = (text: string): number => text.length;
  return MESSAGE_TOKENS + besideTexts(body, length) + inTexts(body, length);
}

/** The same of an entry with its texts shortened as they are sent. */
function cappedTokens(entry: ContextEntry, cap: number): number {
  const { body } = entry;
  const isWhole = textsOf(body).every((text) => text.length <= cap);
  return isWhole ? estimateTokens(entry) : tokensOf(body, (text) => tokensIn(cutMiddle(text, cap)));
}

function tokensOf(body: EntryBody, text: (given: string) => number): number {
  return MESSAGE_TOKENS + besideTexts(body, tokensIn) + inTexts(body, text);
}

function inTexts(body: EntryBody, text: (given: string) => number): number {
  return sum(textsOf(body).map((each) => MESSAGE_TOKENS + text(each)));
}

/** Those that are shortened where there is no room for them. */
function textsOf(body: EntryBody): readonly string[] {
  switch (body.kind) {
    case "user":
      return body.parts.flatMap((part) => (part.kind === "text" || part.kind === "note" ? [part.text] : []));
    case "assistant":
      return [body.text, ...body.calls.map((call) => call.arguments)];
    case "tool":
      return [body.content];
    case "note":
    case "summary":
      return [body.text];
    default:
      return body satisfies never;
  }
}

function besideTexts(body: EntryBody, text: (given: string) => number): number {
  if (body.kind === "assistant") return text(body.reasoning ?? "");
  if (body.kind !== "user") return 0;
  return sum(
    body.parts.map(({ kind }) => (kind === "image" ? IMAGE_TOKENS : kind === "file" ? MESSAGE_TOKENS : 0)),
  );
}

/**
 * @param entries those that stand (`standingOf`), in order.
 * @param budget tokens for all of them together.
 */
export function fitBudget(entries: readonly ContextEntry[], budget: number, estimate?: Estimate): Fit {
  if (estimate === undefined && sum(entries.map(mostTokens)) <= budget) {
    return {
      from: 0,
      get tokens() {
        return sum(entries.map(estimateTokens));
      },
    };
  }
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
  const capped = (cap: number): number => sum(tail.map((entry) => cappedTokens(entry, cap)));
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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
