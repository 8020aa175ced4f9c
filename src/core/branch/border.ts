/** Where a history may be cut so that what stands before it is whole. Pure. */

import type { EntryBody } from "../entry.ts";
import type { RunId } from "../ids.ts";

/** An entry, as far as it matters here. */
export interface BorderLine {
  readonly seq: number;
  readonly run?: RunId;
  readonly kind: EntryBody["kind"];
}

export interface Border {
  /** The last entry before it. */
  readonly upTo: number;
  /** How many stand before it. */
  readonly entries: number;
}

/** What may stand before it at most: everything up to the end of a run, or up to an entry. */
export type BorderAt = { readonly run: RunId } | { readonly seq: number };

/**
 * The newest border behind which nothing belongs to what stands before it: no entry of a run that is unfinished, and no result of a
 * call. Undefined where nothing stands before any.
 * @param lines the history, ascending.
 */
export function settledBorder(
  lines: readonly BorderLine[],
  { unfinished, at }: { readonly unfinished?: RunId; readonly at?: BorderAt } = {},
): Border | undefined {
  const began = unfinished === undefined ? -1 : lines.findIndex(({ run }) => run === unfinished);
  let count = began < 0 ? lines.length : began;
  if (at !== undefined) {
    const isBefore = ({ run, seq }: BorderLine): boolean => ("run" in at ? run === at.run : seq <= at.seq);
    count = Math.min(count, lines.findLastIndex(isBefore) + 1);
  }
  // Results stand right behind the reply that asked for them, and it must not be told apart from them.
  while (count > 0 && lines[count]?.kind === "tool") count--;
  const last = lines[count - 1];
  return last === undefined ? undefined : { upTo: last.seq, entries: count };
}
