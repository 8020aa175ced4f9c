/** A very long answer: its first pages as messages, and the whole of it as a file below them. */

import type { RunId } from "../ids.ts";
import type { PageContent, PageFile, SurfaceLimits } from "../ports/surface.ts";

export interface FirstPart {
  readonly pages: readonly string[];
  /** There is more than the pages show. */
  readonly isCut: boolean;
}

/** While a text grows its first part stays as it is: pages that were shown are never taken away for the file. */
export function firstPartOf(
  pages: readonly string[],
  { mostPages = Infinity }: Pick<SurfaceLimits, "mostPages">,
): FirstPart {
  if (pages.length <= mostPages) return { pages, isCut: false };
  return { pages: pages.slice(0, mostPages), isCut: true };
}

export const FILE_FOLLOWS = "The rest comes as a file";
export const FILE_BELOW = "The whole answer is in the file below.";

/** The same in each attempt. */
export function fileNameOf(run: RunId): string {
  return `answer-${run}.md`;
}

/** The last page of a reply that was cut. It never changes, so it needs no edit, which files do not know everywhere. */
export function filePage(run: RunId, text: string): PageContent {
  const file: PageFile = { name: fileNameOf(run), title: "The whole answer", text: `${text}\n` };
  return { markdown: "", file, buttons: [] };
}
