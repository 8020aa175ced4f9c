/**
 * How a reply was laid out when its last page was written: by that it is known later whether it would be laid out the same, also with other
 * settings or in another version. Pure.
 */

import type { PageContent } from "../ports/surface.ts";
import type { Verbosity } from "../verbosity.ts";

export interface LaidOutAs {
  readonly verbosity: Verbosity;
  /** How long the words of each page are, in UTF-16 units, in reading order; 0 of a file. The words themselves stand in History. */
  readonly pages: readonly number[];
}

export function laidOutAs(pages: readonly PageContent[], verbosity: Verbosity): LaidOutAs {
  return { verbosity, pages: lengthsOf(pages) };
}

/** Whether the words of the same reply are cut at the same places. */
export function isCutAs(pages: readonly PageContent[], as: LaidOutAs): boolean {
  const lengths = lengthsOf(pages);
  return lengths.length === as.pages.length && lengths.every((length, index) => length === as.pages[index]);
}

const lengthsOf = (pages: readonly PageContent[]): readonly number[] =>
  pages.map(({ markdown }) => markdown.length);
