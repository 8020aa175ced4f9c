/** A table whose header or row a page ends in: the cells are said one after the other, and what is below stands in a table again. */

import type { SurfaceLimits } from "../ports/surface.ts";
import type { Cut } from "./cuts.ts";
import { cellsOf, endOfLine, isDelimiter, scanLines } from "./lines.ts";

/** What the rest of a text is made for. */
export type Limits = Pick<SurfaceLimits, "pageSize" | "measure">;

/** What a page leaves. */
export interface Left {
  readonly left: string;
  /** It begins with the rest of a line. */
  readonly isWithinLine: boolean;
  /** Length of what is put before a sign that would begin something. Default 0. */
  readonly escaped?: number;
}

/**
 * What stands before the sign that would begin an item, a heading or a quote. Amid a line it begins none: no cut between words is put before
 * it, but one at the end of a link that fills a page may be.
 */
const BLOCK_BEGIN = /^(?:\d{1,9}(?=[.)](?:\s|$))|(?=[-+*](?:\s|$)|#{1,6}(?:\s|$)|>))/;

/** The rest of a line, with a sign in it that would begin something as nothing but a sign. */
export function beginEscaped(left: string): Left {
  const [mark] = BLOCK_BEGIN.exec(left) ?? [];
  if (mark === undefined) return { left, isWithinLine: true };
  return { left: `${mark}\\${left.slice(mark.length)}`, isWithinLine: true, escaped: mark.length + 1 };
}

/** What stands before the content of a line. */
const LEAD = /^[ \t>]*/;

/** The cells that are left of a row are prose, and the rows below it are a table of their own. */
export function leftOfRow(left: string, table: string, { state, quote }: Cut, limits: Limits): string {
  const end = endOfLine(left);
  const said = cellsSaid(left.slice(0, end));
  const below = left.slice(end + 1);
  const [next] = scanLines(below.slice(0, endOfLine(below)), { ...state, table });
  if (next?.role !== "row") return said + left.slice(end);
  return `${said}\n${quote.trimEnd()}\n${headerOf(table, limits)}${below}`;
}

/**
 * The same of a header. Its names have been said then, so the rows stand below none. Whether there are rows is told by the first sign of the
 * next line, so that what follows changes nothing of a page that is full before.
 */
export function leftOfHeader(text: string, { end, next, quote }: Cut, limits: Limits): Left {
  const left = text.slice(next);
  const over = endOfLine(left);
  const said = cellsSaid(left.slice(0, over));
  const below = left.slice(over + 1);
  const dashes = below.slice(0, endOfLine(below));
  const [lead = ""] = LEAD.exec(dashes) ?? [];
  if (!/^[|:-]/.test(dashes.slice(lead.length))) return joined(said, left.slice(over));
  const header = text.slice(text.lastIndexOf("\n", end - 1) + 1, next + over);
  const cells = cellsOf(dashes.slice(lead.length));
  const isTable = isDelimiter(dashes.slice(lead.length)) && cellsOf(header.replace(LEAD, "")) === cells;
  const rows = isTable
    ? headerOf(`${header}\n${dashes}\n`, limits, "bare") + below.slice(dashes.length + 1)
    : below;
  return joined(said, `\n${quote.trimEnd()}\n${rows}`);
}

/** Behind nothing that is left of the line the next one begins. */
function joined(said: string, below: string): Left {
  if (said === "") return { left: below, isWithinLine: false };
  const begun = beginEscaped(said);
  return { ...begun, left: begun.left + below };
}

/** What rows need above them to be a table: its header, or where that has no room one without names, or nothing. */
export function headerOf(table: string, limits: Limits, how: "whole" | "bare" = "whole"): string {
  const fits = (header: string): boolean => limits.measure(header) * 2 < limits.pageSize;
  if (how === "whole" && fits(table)) return table;
  const [, delimiter = ""] = table.split("\n");
  const [lead = ""] = LEAD.exec(delimiter) ?? [];
  const bare = `${lead}|${" |".repeat(cellsOf(delimiter.slice(lead.length)))}\n${delimiter.replaceAll(/-+/g, "-")}\n`;
  return fits(bare) ? bare : "";
}

/** The text with the cells in its last line as prose. */
export function withCellsSaid(text: string): string {
  const start = text.lastIndexOf("\n") + 1;
  const [lead = ""] = LEAD.exec(text.slice(start)) ?? [];
  return text.slice(0, start) + lead + beginEscaped(cellsSaid(text.slice(start + lead.length))).left;
}

function cellsSaid(row: string): string {
  return row
    .split(/(?<!\\)\|/)
    .flatMap((cell) => (cell.trim() === "" ? [] : [cell.trim().replaceAll("\\|", "|")]))
    .join(" · ");
}
