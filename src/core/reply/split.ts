/**
 * Cuts a reply into pages. Prefers to cut between paragraphs, then list items, lines, sentences, words, and at last
 * between whole characters. A code block that is cut is closed and opened again with its language, a table gets its header
 * again, a quote its marks, a link the address that stands on an earlier page. A page is decided by its own text and what stands before
 * it: while the text grows at its end, all pages but the last keep their bytes.
 */

import type { SurfaceLimits } from "../ports/surface.ts";
import { createAddresses, withAddresses } from "./addresses.ts";
import {
  characterCuts,
  cutAt,
  lineCuts,
  spansOf,
  withMarks,
  wordCuts,
  type Cut,
  type CutKind,
} from "./cuts.ts";
import { closingLine, scanLines, START, type Fence, type LineState } from "./lines.ts";
import { restAfter, restOf, shownOf, withoutOpeningLine, type Rest } from "./rest.ts";
import { headerOf, withCellsSaid } from "./table-rest.ts";

export interface PageSize extends Pick<SurfaceLimits, "pageSize" | "measure" | "mostPages" | "footerSize"> {
  /** Names of files that the platform has refused; absent for none. */
  readonly refused?: ReadonlySet<string>;
}

/** Which cut is taken: the last one of these kinds behind this share of the page, the first rule that finds one. */
const RULES: readonly { readonly kinds: readonly CutKind[]; readonly from: number }[] = [
  { kinds: ["block"], from: 0.5 },
  { kinds: ["item"], from: 0.5 },
  { kinds: ["nested"], from: 0.5 },
  { kinds: ["gap"], from: 0.5 },
  { kinds: ["line"], from: 0.5 },
  { kinds: ["sentence"], from: 0.5 },
  { kinds: ["word"], from: 0.5 },
  { kinds: ["item"], from: 0.1 },
  { kinds: ["nested", "line", "block"], from: 0.1 },
  { kinds: ["itemSentence"], from: 0.25 },
  { kinds: ["itemWord"], from: 0.25 },
  {
    kinds: ["block", "item", "nested", "gap", "line", "sentence", "word", "itemSentence", "itemWord"],
    from: 0,
  },
];

/** A page smaller than this has no room for marks that are closed and opened again. */
const LEAST_FOR_MARKS = 80;
/** So many of the rules need only the cuts at lines. */
const LINE_RULES = 5;

/** How the open structure is written again at the top of a page: all of it, a fence without its language or a header without names, or nothing for want of room. */
type Opening = "whole" | "bare" | "none";

/**
 * Pages of at most `pageSize`, in order; none when the text is blank. Always ends: where not even one character fits, a
 * page has one.
 */
export function split(markdown: string, limits: PageSize): string[] {
  const pages: string[] = [];
  let rest: Rest | undefined = restOf(markdown, START);
  const addresses = createAddresses();
  while (rest !== undefined) {
    const page: { readonly text: string; readonly rest: Rest | undefined } = nextPage(rest, limits);
    pages.push(page.text);
    const known = addresses.in(page.text);
    rest = page.rest && { ...page.rest, text: withAddresses(page.rest, known) };
  }
  return pages;
}

function nextPage(rest: Rest, limits: PageSize): { readonly text: string; readonly rest: Rest | undefined } {
  for (const opening of ["whole", "bare", "none"] as const) {
    const open = openingOf(rest.state, opening, limits);
    const length = longestFit(open, rest, limits);
    if (length === rest.text.length)
      return { text: (open + shownOf(rest, length)).trimEnd(), rest: undefined };
    const cut = chooseCut(rest, length, open, opening, limits);
    if (cut === undefined) continue;
    if (cut.kind === "inside" || cut.kind === "codePoint") {
      const bare = withoutOpeningLine(rest);
      if (bare !== undefined) return nextPage(bare, limits);
    }
    return { text: pageText(rest, cut, open, opening), rest: restAfter(rest, cut, limits) };
  }
  const first = rest.text.codePointAt(rest.added) ?? 0;
  const cut = { ...cutAt(rest.added + (first > 0xffff ? 2 : 1), []), state: rest.state };
  return { text: rest.text.slice(0, cut.end), rest: restAfter(rest, cut, limits) };
}

function chooseCut(
  rest: Rest,
  length: number,
  open: string,
  opening: Opening,
  limits: PageSize,
): Cut | undefined {
  const view = rest.text.slice(0, length);
  if (view.length <= rest.added) return undefined;
  const lines = scanLines(view, rest.state);
  const spans = spansOf(view, lines);
  const fits = (cut: Cut): boolean =>
    cut.end > rest.added &&
    cut.next > rest.added &&
    view.slice(0, cut.end).trim() !== "" &&
    limits.measure(pageText(rest, cut, open, opening)) <= limits.pageSize;
  const lastOf = (cuts: readonly Cut[], isWanted: (cut: Cut) => boolean): Cut | undefined => {
    for (const cut of cuts.toReversed()) {
      if (!isWanted(cut)) continue;
      const whole = limits.pageSize < LEAST_FOR_MARKS || rest.isBroken ? cut : withMarks(view, lines, cut);
      if (fits(whole)) return whole;
    }
    return undefined;
  };
  const choose = (cuts: readonly Cut[], rules: typeof RULES): Cut | undefined => {
    for (const { kinds, from } of rules) {
      const least = view.length * from;
      const found = lastOf(cuts, (cut) => kinds.includes(cut.kind) && cut.end >= least);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const atLines = lineCuts(view, lines, spans);
  const atLine = choose(atLines, RULES.slice(0, LINE_RULES));
  if (atLine !== undefined) return atLine;
  const inLines = [...atLines, ...wordCuts(view, lines, spans)].sort((a, b) => a.end - b.end);
  const inLine = choose(inLines, RULES.slice(LINE_RULES));
  if (inLine !== undefined) return inLine;
  const characters = characterCuts(view, lines, spans);
  return (
    lastOf(characters, (cut) => cut.kind === "cluster") ??
    characters.findLast(fits) ??
    anywhere(view, lines, fits)
  );
}

/** The last cut that fits and cuts no surrogate pair: for a single character that is larger than a page. */
function anywhere(
  view: string,
  lines: ReturnType<typeof scanLines>,
  fits: (cut: Cut) => boolean,
): Cut | undefined {
  for (let at = view.length; at > 0; at--) {
    const unit = view.charCodeAt(at - 1);
    if (unit >= 0xd800 && unit <= 0xdbff) continue;
    const cut = cutAt(at, lines);
    if (fits(cut)) return cut;
  }
  return undefined;
}

function pageText(rest: Rest, cut: Cut, open: string, opening: Opening): string {
  const shown = shownOf(rest, cut.end);
  const body = cut.isInHeader === true ? withCellsSaid(shown) : shown;
  const { fence } = cut.state;
  // The marks of emphasis are the same at both of its ends.
  if (fence === undefined) return (open + body).trimEnd() + (cut.marks ?? []).toReversed().join("");
  // A page that could not open its fence has none to close.
  return opening === "none" ? body : `${open}${body}\n${closingLine(fence)}`;
}

function openingOf(state: LineState, opening: Opening, limits: PageSize): string {
  if (opening === "none") return "";
  if (state.fence !== undefined) return openingLine(state.fence, opening === "whole");
  return state.table === undefined
    ? ""
    : headerOf(state.table, limits, opening === "bare" ? "bare" : "whole");
}

function openingLine(fence: Fence, withInfo: boolean): string {
  return `${closingLine(fence)}${withInfo ? fence.info : ""}\n`;
}

/** The length of the longest beginning of `text` that fits on a page behind `open`; cuts no surrogate pair. */
function longestFit(open: string, rest: Rest, limits: PageSize): number {
  const { text } = rest;
  const fits = (length: number): boolean => limits.measure(open + shownOf(rest, length)) <= limits.pageSize;
  // The probes do not depend on how long the text is, so that growing it changes nothing here.
  let high = Math.max(1, limits.pageSize);
  while (high < text.length && fits(high)) high *= 2;
  if (high >= text.length && fits(text.length)) return text.length;
  let low = 0;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (middle < text.length && fits(middle)) low = middle;
    else high = middle;
  }
  const unit = text.charCodeAt(low - 1);
  return low > 0 && unit >= 0xd800 && unit <= 0xdbff ? low - 1 : low;
}
