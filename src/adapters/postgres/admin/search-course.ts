/** Which lines the next step of a search reads, by what those before have told. Pure. */

import type { Lines, Told } from "./search-step.ts";

/** How much one step reads, in lines but for `entries`. */
export interface Strides {
  /** Entries of one step where not each that is found is one that was meant; else one of each thread, as many as the page has. */
  readonly entries: number;
  /** The first window of all threads. */
  readonly newest: number;
  /** The first one of a filter or behind what a page has shown, and any behind a step that found more than it may read; none is smaller. */
  readonly near: number;
  /** The largest window of places. */
  readonly places: number;
  /** Where the index of words finds more, its answer is dropped: they were seldom among the newest only. */
  readonly words: number;
  /** The largest window, and what may be read before the index of words is asked for what is not rare: it reads whatever begins like them. */
  readonly cheap: number;
}

export const STRIDES: Strides = {
  entries: 300,
  newest: 20_000,
  near: 5_000,
  places: 500_000,
  words: 100_000,
  cheap: 100_000,
};

/** What fewer than one of so many lines hold is found by the index of words, and first of all by that. */
const SELDOM = 64;
const RARE = 500;

/** For the price of one line with its words so many are passed by their places. */
const PLACES_FOR_A_LINE = 2;

/** A window is at most so many times all that was looked through before. */
const GROWTH = 32;

/** A little more than what fills the page if hits stand as close as before. */
const MARGIN = 1.25;

export interface Progress {
  /** The step was looked through, and gave all that it found. */
  readonly isWhole: boolean;
  /** The index of words found too many. */
  readonly isInMany: boolean;
  /** Lines that were looked through in this search, those of the step among them. */
  readonly through: number;
  readonly hits: number;
  /** Hits for which the page has room yet. */
  readonly missing: number;
}

/** @param lines what the step read that told this. */
export function nextLines(lines: Lines, told: Told, progress: Progress, strides: Strides): Lines {
  switch (lines.kind) {
    case "window": {
      const { isWhole, isInMany } = progress;
      if (!isWhole) return { kind: "window", most: strides.near };
      const { next, price } = onwards(told, progress, strides);
      const isSeldom = told.found * SELDOM < lines.most && price > strides.cheap;
      return !isInMany && (isSeldom || told.found * RARE < lines.most)
        ? { kind: "words", most: strides.words }
        : next;
    }
    case "places":
      return progress.isWhole ? onwards(told, progress, strides).next : lines;
    case "words":
      return progress.isInMany ? onwards(told, progress, strides).next : lines;
    case "threads":
      return lines;
    default:
      return lines satisfies never;
  }
}

/** Whether what the index of words found is not all that there is of it. */
export const isDropped = (lines: Lines, { found }: Told): boolean =>
  lines.kind === "words" && found > lines.most;

/**
 * Further back, or all lines of the threads that fit: where those are few, or the way back has cost as much. The price is in lines, as
 * far as it is known.
 */
function onwards(
  { ofThreads }: Told,
  { through, hits, missing }: Progress,
  { near, places, cheap }: Strides,
): { readonly next: Lines; readonly price: number } {
  const filling = hits === 0 ? Infinity : (through * missing * MARGIN) / hits;
  const windowOf = (most: number): number =>
    Math.ceil(Math.max(near, Math.min(filling, through * GROWTH, most)));
  if (ofThreads === null) return { next: { kind: "window", most: windowOf(cheap) }, price: filling };
  const passing = filling / PLACES_FOR_A_LINE;
  const price = Math.min(passing, ofThreads);
  return ofThreads <= Math.max(through / PLACES_FOR_A_LINE, Math.min(passing, cheap))
    ? { next: { kind: "threads" }, price }
    : { next: { kind: "places", most: windowOf(places) }, price };
}
