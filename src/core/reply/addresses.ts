/**
 * Links whose address stands apart from them (`[guide][1]` and `[1]: …`) where that is on an earlier page: there nobody would find it, so
 * the link is written with its address. What stands before a page never changes, so neither does the page. Pure.
 */

import { scanLines, type Line, type LineState } from "./lines.ts";
import { markdownTree } from "./markdown-tree.ts";

/** By what they are called. */
export type Addresses = ReadonlyMap<string, string>;

/** A line that may say one: most texts have none. */
const MAYBE = /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*\[[^\]\n]+\]:/m;
/** More than any answer has; beyond them links stay as they were written. */
const MOST = 200;

/** Hears of one page after the other. */
export function createAddresses(): {
  /** Those that the page is the first to say. */
  in(page: string): Addresses;
} {
  const known = new Set<string>();
  return {
    in(page) {
      const found = new Map<string, string>();
      if (known.size >= MOST || !MAYBE.test(page)) return found;
      for (const [name, { url }] of markdownTree(page)?.definitions ?? []) {
        if (known.has(name)) continue;
        known.add(name);
        found.set(name, safe(url));
      }
      return found;
    },
  };
}

/** The text with the address in each link that leads to one of these. */
export function withAddresses(
  { text, state }: { readonly text: string; readonly state: LineState },
  addresses: Addresses,
): string {
  if (addresses.size === 0 || !text.includes("[")) return text;
  const lines = scanLines(text, state);
  let shown = "";
  let from: number | undefined;
  for (const [index, line] of lines.entries()) {
    const end = Math.min(text.length, line.end + 1);
    if (isWords(line)) {
      from ??= line.start;
      if (isWords(lines[index + 1])) continue;
      shown += linked(text.slice(from, end), addresses);
      from = undefined;
    } else shown += text.slice(line.start, end);
  }
  return shown;
}

function isWords(line: Line | undefined): boolean {
  if (line === undefined) return false;
  const { role, indent, after } = line;
  // As far in as code is that has no fence.
  if (role === "text") return indent < 4 || after.items.length > 0;
  return role === "item" || role === "heading" || role === "row";
}

/** A sign that is only a sign, the beginning or the end of code, or a link; the last one has its label and what its address is called. */
const PIECE = /\\[^]|`+|\[((?:\\[^]|[^[\]\\])+)\](?:\[((?:\\[^]|[^[\]\\])*)\])?(?![(:])/g;

function linked(words: string, addresses: Addresses): string {
  /** Behind the code that the pieces are in. */
  let over = 0;
  return words.replaceAll(
    PIECE,
    (piece: string, label: string | undefined, name: string | undefined, at: number) => {
      if (at < over) return piece;
      if (piece.startsWith("`")) over = endOfCode(words, at, piece);
      const url = label === undefined ? undefined : addresses.get(nameOf(name || label));
      return url === undefined ? piece : `[${label}](${url})`;
    },
  );
}

/** Where the code ends that begins there; there where it ends nowhere. */
function endOfCode(words: string, at: number, mark: string): number {
  const end = new RegExp(`(?<!\`)${mark}(?!\`)`, "g");
  end.lastIndex = at + mark.length;
  return end.exec(words) === null ? at : end.lastIndex;
}

/** As CommonMark compares them. */
function nameOf(label: string): string {
  return label
    .replaceAll(/[\t\n\r ]+/g, " ")
    .trim()
    .toLowerCase();
}

/** Nothing in it ends the link, or the cell that the link stands in. */
function safe(url: string): string {
  return url.replaceAll(
    /[\s()<>\\|]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`,
  );
}
