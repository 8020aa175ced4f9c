/**
 * Where a piece of markdown may be cut, from the best kind of place to the worst. Looks at the piece alone and never at
 * what follows it, so that a text that grows at its end is cut at the same places.
 */

import { scanInline, type Span } from "./inline.ts";
import type { Line, LineState } from "./lines.ts";

/**
 * `block` between paragraphs; `item` and `nested` before a list item; `gap` at a blank line in code; `line` at a line's
 * end; `sentence` and `word` in prose; `itemSentence` and `itemWord` the same inside a list item or table row; `cluster`
 * between whole characters; `inside` the same within a link or code span; `codePoint` anywhere that cuts no surrogate pair.
 */
export type CutKind =
  | "block"
  | "item"
  | "nested"
  | "gap"
  | "line"
  | "sentence"
  | "word"
  | "itemSentence"
  | "itemWord"
  | "cluster"
  | "inside"
  | "codePoint";

export interface Cut {
  readonly kind: CutKind;
  /** The page ends here. */
  readonly end: number;
  /** The next page begins here or behind the spaces that follow. */
  readonly next: number;
  /** What is open at the cut. */
  readonly state: LineState;
  readonly isWithinLine: boolean;
  /** Quote marks that the next page needs, since it begins within their line. */
  readonly quote: string;
  /** Emphasis that is open at the cut, outermost first: the page closes it and the next one opens it again. Default none. */
  readonly marks?: readonly string[];
  /** Header and delimiter row of the table one of whose rows is cut. Default none. */
  readonly table?: string;
  /** It is within the header of what may become a table: a line of cells with something in them before the cut. Default false. */
  readonly isInHeader?: boolean;
}

const SENTENCE_END = /(?:[.!?…][)"'\]”’]*|[。！？][」』）]*)$/u;
/** A word that would begin something else at the beginning of a line. What may still become one counts too. */
const BLOCK_MARK = /^(?:[-+*>#|~=`]|\d{1,9}(?:[.)]|$)|$)/;

/** Cuts at lines, ascending. Those inside a span over several lines are left out. */
export function lineCuts(view: string, lines: readonly Line[], spans: readonly Span[]): readonly Cut[] {
  const cuts: Cut[] = [];
  let prose: Line | undefined;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index];
    const above = lines[index - 1];
    if (line === undefined) break;
    const kind =
      above === undefined ? undefined : kindOf(view, line, above, prose, index === lines.length - 1);
    if (kind !== undefined && !isInside(spans, line.start)) {
      cuts.push({
        kind,
        end: line.start - 1,
        next: line.start,
        state: line.before,
        isWithinLine: false,
        quote: "",
      });
    }
    if (line.role !== "blank") prose = line;
  }
  return cuts;
}

/** Cuts within lines of prose, ascending. */
export function wordCuts(view: string, lines: readonly Line[], spans: readonly Span[]): readonly Cut[] {
  const cuts: Cut[] = [];
  for (const [index, line] of lines.entries()) {
    if (!isProse(line) || (isHeader(line) && hasRow(view, lines, index))) continue;
    const isInTable = line.role === "row" || isMaybeHeader(view, line);
    const within = line.before.items.length > 0 || line.role === "item" || isInTable;
    const text = view.slice(line.start, line.end);
    for (const found of text.matchAll(/[ \t]+|(?<=[。！？][」』）]*)(?![」』）。！？])/gu)) {
      const end = line.start + found.index;
      const next = end + found[0].length;
      if (found.index <= line.lead || next >= view.length || isInside(spans, end)) continue;
      if (BLOCK_MARK.test(view.slice(next, next + 12))) continue;
      const ends = SENTENCE_END.test(text.slice(Math.max(0, found.index - 8), found.index));
      const kind = ends ? (within ? "itemSentence" : "sentence") : within ? "itemWord" : "word";
      cuts.push({ kind, end, next, ...openWithin(line), ...headerAt(view, line, end) });
    }
  }
  return cuts;
}

/** Cuts between whole characters, ascending; the last one of the view is never certain to be whole. */
export function characterCuts(view: string, lines: readonly Line[], spans: readonly Span[]): readonly Cut[] {
  const cuts: Cut[] = [];
  const segments = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(view);
  let index = 0;
  for (const { index: at } of segments) {
    while (index < lines.length - 1 && at > (lines[index]?.end ?? 0)) index++;
    const line = lines[index];
    if (line === undefined || at === 0 || at <= line.start + line.lead || at > line.end) continue;
    const isKept = isFenceLine(line) || (isHeader(line) && hasRow(view, lines, index));
    const kind = isKept || isInside(spans, at) ? "inside" : "cluster";
    cuts.push({ kind, end: at, next: at, ...openWithin(line), ...headerAt(view, line, at) });
  }
  return cuts;
}

/** The cut at exactly `at`, wherever that is. */
export function cutAt(at: number, lines: readonly Line[]): Cut {
  const line = lines.findLast((candidate) => candidate.start <= at);
  const open = line === undefined ? { state: { items: [] }, isWithinLine: true } : openWithin(line);
  return { kind: "codePoint", end: at, next: at, ...open, quote: "" };
}

/** Spans of all prose in the view. What is begun and not ended there reaches to the end of its block. */
export function spansOf(view: string, lines: readonly Line[]): readonly Span[] {
  const spans: Span[] = [];
  let from = -1;
  for (let index = 0; index <= lines.length; index++) {
    const line = lines[index];
    const above = lines[index - 1];
    const goesOn = line !== undefined && isProse(line);
    if (from >= 0 && above !== undefined && (!goesOn || line.role !== "text")) {
      const block = view.slice(from, above.end);
      const inline = scanInline(block);
      for (const span of inline.spans) spans.push({ start: from + span.start, end: from + span.end });
      const begun = inline.open.find((construct) => construct.kind !== "emphasis");
      // Only at the end of the view can the rest still come.
      if (begun !== undefined && above.end === view.length)
        spans.push({ start: from + begun.start, end: above.end + 1 });
      from = -1;
    }
    if (goesOn && from < 0) from = line.start + line.lead;
  }
  return spans;
}

/** More than anybody means; what goes beyond it are signs that are only text. */
const MOST_MARKS = 4;

/** The cut with the emphasis that it would cut in two. */
export function withMarks(view: string, lines: readonly Line[], cut: Cut): Cut {
  if (!cut.isWithinLine && cut.kind !== "line" && cut.kind !== "itemSentence") return cut;
  if (cut.kind === "inside" || cut.kind === "codePoint" || cut.state.fence !== undefined) return cut;
  let index = lines.findLastIndex((line) => line.start <= cut.end);
  const above = lines[index];
  const below = cut.isWithinLine ? above : lines[index + 1];
  if (above === undefined || !isProse(above) || below === undefined) return cut;
  if (!cut.isWithinLine && (below.role !== "text" || below.quote !== "" || above.role === "heading"))
    return cut;
  while (index > 0 && lines[index]?.role === "text" && isParagraph(lines[index - 1])) index--;
  const first = lines[index];
  if (first === undefined) return cut;
  const block = view.slice(first.start + first.lead, cut.end);
  const { open } = scanInline(block);
  const isHidden = open.some(({ kind }) => kind === "code" || kind === "link" || kind === "image");
  // A single underscore is mostly part of a name or of an address that was cut.
  const marks = open.flatMap((one) => (one.kind === "emphasis" && one.marker !== "_" ? [one] : []));
  if (isHidden || marks.length === 0 || marks.length > MOST_MARKS) return cut;
  const isEmpty = marks.some(({ start, marker }) => !/[^\s*_~]/.test(block.slice(start + marker.length)));
  return isEmpty ? cut : { ...cut, marks: marks.map(({ marker }) => marker) };
}

function isParagraph(line: Line | undefined): boolean {
  return line?.role === "text" || line?.role === "item";
}

function kindOf(
  view: string,
  line: Line,
  above: Line,
  prose: Line | undefined,
  isLast: boolean,
): CutKind | undefined {
  const text = view.slice(line.start, line.end);
  switch (line.role) {
    case "blank":
    case "closes":
    case "delimiter":
      return undefined;
    case "code":
      if (above.role === "opens") return undefined;
      return text.trim() === "" ? "gap" : "line";
    case "row":
      if (line.before.table !== undefined) return above.role === "delimiter" ? undefined : "line";
      break;
    case "text":
    case "item":
    case "heading":
    case "opens":
      break;
    default:
      return line.role satisfies never;
  }
  const isSeparate =
    above.role === "blank" || above.role === "closes" || line.role === "heading" || line.role === "opens";
  if (line.role === "item") {
    if (line.indent > 0 && line.before.items.length > 0) return "nested";
    return line.before.items.length > 0 ? "item" : "block";
  }
  if (prose?.role === "heading") return "line";
  if (isSeparate) return line.indent === 0 && line.quote === "" ? "block" : "nested";
  // The line may be (the beginning of) the dashes below a table's header or a heading.
  const aboveText = view.slice(above.start, above.end);
  if (/^[ \t>]*[-=|:]*[ \t]*$/.test(text) || (isLast && aboveText.includes("|"))) return undefined;
  return line.before.items.length > 0 ? "itemSentence" : "line";
}

function isProse(line: Line): boolean {
  return line.role === "text" || line.role === "item" || line.role === "heading" || line.role === "row";
}

/** Of a table: without it whole the rows are none. */
function isHeader(line: Line): boolean {
  return line.role === "row" && line.before.table === undefined;
}

/** Whether anything of a row is in the view below this header: where nothing is, the header and its line of dashes fill a page. */
function hasRow(view: string, lines: readonly Line[], header: number): boolean {
  const row = lines[header + 2];
  return row !== undefined && /[^|\s]/.test(view.slice(row.start + row.lead, row.end));
}

function isFenceLine(line: Line): boolean {
  return line.role === "opens" || line.role === "closes" || line.role === "delimiter";
}

function openWithin(line: Line): Pick<Cut, "state" | "isWithinLine" | "quote" | "table"> {
  const { table } = line.before;
  const rows = line.role === "row" && table !== undefined ? { table } : {};
  return { state: stateWithin(line), isWithinLine: true, quote: line.quote, ...rows };
}

function headerAt(view: string, line: Line, end: number): Pick<Cut, "isInHeader"> {
  const isSaid = /[\p{L}\p{N}]/u.test(view.slice(line.start + line.lead, end));
  return isSaid && (isHeader(line) || isMaybeHeader(view, line)) ? { isInHeader: true } : {};
}

/** Only the line below a header says that it is one, which may not be there yet. Nothing else that begins as a row is as long as a page. */
function isMaybeHeader(view: string, line: Line): boolean {
  return line.role === "text" && view.charAt(line.start + line.lead) === "|";
}

/** What is open within the line: a table cannot go on behind half a row. */
function stateWithin(line: Line): LineState {
  if (line.role === "code" && line.before.fence !== undefined) return line.before;
  return { items: line.after.items };
}

function isInside(spans: readonly Span[], at: number): boolean {
  return spans.some((span) => span.start < at && at < span.end);
}
