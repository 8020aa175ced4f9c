/**
 * The lines of a markdown text with the block structure that matters for cutting and healing it: fences, tables, lists,
 * quotes. What is said about a line depends only on the text up to its end (a table's header excepted, which is known one
 * line later), so a text that grows at its end keeps what was said about it.
 */

export interface Fence {
  /** What stands before the fence in its lines: quote marks and spaces. */
  readonly prefix: string;
  /** Three or more backticks or tildes. */
  readonly marker: string;
  /** The language and what follows it; may be empty. */
  readonly info: string;
  /** Width of the list item that it stands in; 0 outside of lists. */
  readonly depth: number;
}

/** The structure that is open where a line begins. */
export interface LineState {
  readonly fence?: Fence;
  /** Header and delimiter row of the table that goes on, each with its line break. */
  readonly table?: string;
  /** Where the content of the open list items begins, outermost first. */
  readonly items: readonly number[];
}

export type LineRole =
  | "blank"
  | "text"
  | "item"
  | "heading"
  | "row"
  | "delimiter"
  | "opens"
  | "code"
  | "closes";

export interface Line {
  readonly start: number;
  /** Without the line break. */
  readonly end: number;
  readonly role: LineRole;
  /** Spaces before the content, quote marks not counted. */
  readonly indent: number;
  /** Length of what stands before the content: quote marks, spaces, list markers. */
  readonly lead: number;
  /** Quote marks with the spaces around them; empty outside of quotes. */
  readonly quote: string;
  readonly before: LineState;
  readonly after: LineState;
}

export const START: LineState = { items: [] };

const QUOTE = /^(?:[ \t]{0,3}>[ \t]?)+/;
const ITEM = /^(?:[-+*]|\d{1,9}[.)])(?:[ \t]+|$)/;
const OPENS = /^(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*?)[ \t]*$/;
const HEADING = /^#{1,6}(?:[ \t]|$)/;
const DELIMITER = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** The lines of `text`, which begins in `state`. */
export function scanLines(text: string, state: LineState = START): readonly Line[] {
  const lines: Line[] = [];
  let before = state;
  for (let start = 0; start <= text.length;) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    const line = readLine(text, start, end, before, lines);
    lines.push(line);
    before = line.after;
    start = end + 1;
  }
  return lines;
}

/** What closes the fence, on a line of its own. */
export function closingLine(fence: Fence): string {
  return fence.prefix + fence.marker;
}

/** Where the first line of the text ends. */
export function endOfLine(text: string): number {
  const end = text.indexOf("\n");
  return end === -1 ? text.length : end;
}

/** How many cells a table row has. */
export function cellsOf(row: string): number {
  const inner = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).length;
}

function readLine(text: string, start: number, end: number, before: LineState, lines: Line[]): Line {
  const line = text.slice(start, end);
  const quote = QUOTE.exec(line)?.[0] ?? "";
  const afterQuote = line.slice(quote.length);
  const content = afterQuote.trimStart();
  const indent = widthOf(afterQuote.slice(0, afterQuote.length - content.length));
  const make = (role: LineRole, own: LineState, after: LineState, lead: number): Line => {
    return { start, end, role, indent, lead, quote, before: own, after };
  };
  const lead = line.length - content.length;

  if (before.fence !== undefined && !leavesFence(before.fence, content, quote, indent)) {
    const closes = isClosing(before.fence, content, indent);
    return make(closes ? "closes" : "code", before, closes ? { items: before.items } : before, lead);
  }
  const open: LineState = before.fence === undefined ? before : { items: before.items };
  if (content === "") return make("blank", open, { items: open.items }, lead);

  const marker = markerLength(content);
  const inner = content.slice(marker);
  const isLazy = lines.at(-1)?.role === "text" && marker === 0;
  const opens = OPENS.exec(inner);
  const interrupts = opens !== null || HEADING.test(inner);
  const kept = isLazy && !interrupts ? open.items : open.items.filter((offset) => offset <= indent);
  const items = marker === 0 ? kept : [...kept, indent + marker];
  const depth = items.at(-1) ?? 0;
  if (opens !== null && (marker > 0 || indent - depth <= 3)) {
    const prefix = quote + " ".repeat(marker > 0 ? depth : indent);
    const fence = { prefix, marker: opens[1] ?? "```", info: opens[2] ?? "", depth };
    return make("opens", open, { fence, items }, lead + marker);
  }
  if (marker > 0) return make("item", open, { items }, lead + marker);
  if (HEADING.test(inner)) return make("heading", open, { items }, lead);
  if (open.table !== undefined) return make("row", open, { items, table: open.table }, lead);
  const header = lines.at(-1);
  if (header !== undefined && header.role === "text" && isDelimiter(content)) {
    const above = text.slice(header.start, header.end);
    if (above.includes("|") && cellsOf(above.slice(header.lead)) === cellsOf(content)) {
      lines[lines.length - 1] = { ...header, role: "row" };
      return make("delimiter", open, { items, table: `${above}\n${line}\n` }, lead);
    }
  }
  return make("text", open, { items }, lead);
}

/** Whether it is the line of dashes below the header of a table. */
export function isDelimiter(content: string): boolean {
  return content.includes("|") && content.includes("-") && DELIMITER.test(content);
}

/** Length of the list markers that the content begins with (`- 1. x` has two). */
function markerLength(content: string): number {
  let length = 0;
  for (let found = ITEM.exec(content); found !== null; found = ITEM.exec(content.slice(length))) {
    length += found[0].length;
  }
  return length;
}

/** A fence ends where its quote or its list item ends. */
function leavesFence(fence: Fence, content: string, quote: string, indent: number): boolean {
  if (fence.prefix.includes(">") && quote === "") return true;
  return content !== "" && indent < fence.depth;
}

function isClosing(fence: Fence, content: string, indent: number): boolean {
  const trimmed = content.trimEnd();
  if (trimmed.length < fence.marker.length || indent - fence.depth > 3) return false;
  const mark = fence.marker.charAt(0);
  for (const character of trimmed) if (character !== mark) return false;
  return true;
}

function widthOf(space: string): number {
  let width = 0;
  for (const character of space) width += character === "\t" ? 4 : 1;
  return width;
}
