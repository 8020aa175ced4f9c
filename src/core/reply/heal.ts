/**
 * Makes half-written markdown readable while it grows: what was begun is closed, what cannot be read yet is held back. It
 * only closes or holds back at the end of the text, and text that is whole passes unchanged. Pure.
 */

import { scanInline, type Inline } from "./inline.ts";
import { cellsOf, closingLine, scanLines, type Line } from "./lines.ts";

/** A line that may become anything: a list item, a heading, a rule, a fence, the underline of a heading. */
const UNDECIDED = /^[ \t>]*(?:[-=*+_]{1,2}|#{1,6}|`{1,2}|~{1,2}|\d{1,2}[.)])[ \t]*$/;
const PARTIAL_CLOSE = /^[ \t>]*(?:`+|~+)$/;

/** The text as it can be shown now. Healing twice is healing once. */
export function heal(markdown: string): string {
  let text = markdown.trimEnd();
  const lines = scanLines(text);
  const last = lines.at(-1);
  if (last === undefined || text === "") return "";
  const line = text.slice(last.start);
  if (last.role === "code" || last.role === "opens") {
    if (last.role === "opens") return heal(text.slice(0, Math.max(0, last.start - 1)));
    if (PARTIAL_CLOSE.test(line)) text = text.slice(0, last.start - 1);
    return closeFence(text);
  }
  if (last.role === "closes") return text;
  const whole = beginOfWhole(text, lines);
  if (whole !== undefined) return heal(text.slice(0, whole));
  const start = blockStart(lines);
  const healed = (text.slice(0, start) + healInline(text.slice(start))).trimEnd();
  // An item of which only a mark was there has nothing left to show.
  return healed !== text && UNDECIDED.test(healed.slice(healed.lastIndexOf("\n") + 1))
    ? heal(healed)
    : healed;
}

/**
 * The beginning of half-written markdown that reads the same whatever follows: nothing is open at its end but a block of code. For
 * places that can add to what they show and not change it.
 */
export function certainPart(markdown: string): string {
  // Half of a pair, or of what a line will be.
  let text = markdown.replace(/[\uD800-\uDBFF]$/, "").trimEnd();
  while (text !== "") {
    const sure = sureLength(text);
    if (sure === text.length) return text;
    text = text.slice(0, Math.min(sure, text.length - 1)).trimEnd();
  }
  return "";
}

function sureLength(text: string): number {
  const healed = heal(text);
  if (healed !== text && healed !== closeFence(text)) {
    const same = sameLength(text, healed);
    if (same < text.length) return same;
  }
  const lines = scanLines(text);
  const last = lines.at(-1);
  if (last?.after.fence !== undefined)
    return PARTIAL_CLOSE.test(text.slice(last.start)) ? last.start : text.length;
  const start = blockStart(lines);
  const [open] = scanInline(text.slice(start)).open;
  return open === undefined ? text.length : start + open.start;
}

function sameLength(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}

/** The text with a fence that is open at its end closed, and nothing else changed. */
export function closeFence(markdown: string): string {
  const fence = scanLines(markdown).at(-1)?.after.fence;
  return fence === undefined ? markdown : `${markdown}\n${closingLine(fence)}`;
}

/** Where to cut so that the last line, or the table that only begins, is held back; undefined when nothing is. */
function beginOfWhole(text: string, lines: readonly Line[]): number | undefined {
  const last = lines.at(-1);
  if (last === undefined) return undefined;
  const line = text.slice(last.start);
  const above = lines.at(-2);
  if (UNDECIDED.test(line)) return last.start;
  if (last.role === "delimiter") return above?.start;
  if (last.role === "row") {
    const header = last.before.table?.split("\n")[0] ?? "";
    const isWhole =
      /(?<!\\)\|$/.test(line) === /(?<!\\)\|\s*$/.test(header) && cellsOf(line) >= cellsOf(header);
    return isWhole ? undefined : last.start;
  }
  if (last.role !== "text") return undefined;
  if (/^[ \t>]*\|/.test(line)) {
    // A header, or what may become the row of dashes under one.
    const isUnder = above?.role === "text" && /^[ \t>]*\|/.test(text.slice(above.start, above.end));
    return isUnder && /^[ \t>|:-]*$/.test(line) ? above.start : last.start;
  }
  return undefined;
}

/** Where the paragraph, item or heading begins that the text ends in. */
function blockStart(lines: readonly Line[]): number {
  let index = lines.length - 1;
  for (; index > 0; index--) {
    if (lines[index]?.role !== "text" || !isProse(lines[index - 1])) break;
  }
  const first = lines[index];
  return first === undefined ? 0 : first.start + first.lead;
}

function isProse(line: Line | undefined): boolean {
  return line !== undefined && (line.role === "text" || line.role === "item");
}

function healInline(block: string): string {
  let text = block
    .replace(/(?<!\\)\\$/, "")
    .replace(/(?:^|(?<=[\s(]))[*_~]+$/, "")
    .trimEnd();
  // Each step ends the outermost construct that hides others, so a text settles within a few.
  for (let step = 0; step < 12; step++) {
    const next = healOnce(text, scanInline(text));
    if (next === text) break;
    text = next;
  }
  return text;
}

function healOnce(text: string, { open }: Inline): string {
  const hiding = open.find(
    (construct) =>
      construct.kind !== "emphasis" && construct.kind !== "bracket" && construct.kind !== "label",
  );
  switch (hiding?.kind) {
    case "angle":
    case "image":
      return text.slice(0, hiding.start).trimEnd();
    case "link":
      return text.slice(0, hiding.start) + text.slice(hiding.labelStart, hiding.labelEnd);
    case "code": {
      const content = text
        .slice(hiding.start + hiding.marker.length)
        .replace(/`+$/, "")
        .trimEnd();
      if (content === "") return text.slice(0, hiding.start).trimEnd();
      return text.slice(0, hiding.start) + hiding.marker + content + hiding.marker;
    }
    case undefined:
      break;
    default:
      return hiding satisfies never;
  }
  const bracket = open.findLast((construct) => construct.kind === "bracket");
  if (bracket !== undefined) return text.slice(0, bracket.start) + text.slice(bracket.start + 1);
  const emphasis = open.findLast((construct) => construct.kind === "emphasis");
  if (emphasis?.kind !== "emphasis") return text;
  const content = text.slice(emphasis.start + emphasis.marker.length);
  return content.trim() === "" ? text.slice(0, emphasis.start).trimEnd() : text + emphasis.marker;
}
