/**
 * The numbers of lists that a cut goes through. Models write `1.` before every item and leave the counting to whoever shows them; a page
 * that begins amid such a list would begin to count anew.
 */

import { scanLines, type Line, type LineState } from "./lines.ts";

const NUMBER = /^(\d{1,9})([.)])(?=\s|$)/;
/** An item that goes on for longer is rarely followed by another one. */
const FARTHEST = 400;

/** A list that is open, by the indent of its items; without a number where it has none. */
interface Level {
  readonly indent: number;
  readonly mark: string;
  readonly number: number | undefined;
}

/**
 * What stands behind a cut, with the first number of each list that goes on there.
 * @param isWithinLine it begins with the rest of a line.
 */
export function withNumbers(
  before: { readonly text: string; readonly state: LineState },
  behind: { readonly text: string; readonly state: LineState },
  isWithinLine: boolean,
): string {
  let levels = levelsOf(before.text, scanLines(before.text, before.state));
  if (!levels.some(({ number }) => number !== undefined)) return behind.text;
  const { text } = behind;
  const lines = scanLines(text, behind.state);
  let numbered = text;
  let added = 0;
  for (let index = isWithinLine ? 1 : 0; index < Math.min(lines.length, FARTHEST); index++) {
    const line = lines[index];
    if (line === undefined || levels.length === 0) break;
    if (endsLists(line) && !isWithinLine) break;
    if (line.role !== "item") continue;
    const level = levels.find(({ indent }) => indent === line.indent);
    levels = levels.filter(({ indent }) => indent < line.indent);
    const [written = "", digits = "", mark = ""] = NUMBER.exec(contentOf(text, line)) ?? [];
    if (level?.number === undefined || mark !== level.mark) continue;
    const wanted = String(level.number + 1);
    // A wider number moves what belongs to the item: then that has to stay as it is.
    const below = lines[index + 1];
    const hasMore = below !== undefined && below.role !== "blank" && below.indent > line.indent;
    if (wanted === digits || (wanted.length !== digits.length && hasMore)) continue;
    const at = line.start + line.quote.length + spacesOf(text, line) + added;
    numbered = numbered.slice(0, at) + wanted + mark + numbered.slice(at + written.length);
    added += wanted.length - digits.length;
  }
  return numbered;
}

function levelsOf(text: string, lines: readonly Line[]): readonly Level[] {
  let levels: readonly Level[] = [];
  for (const line of lines) {
    if (endsLists(line)) levels = [];
    if (line.role !== "item") continue;
    const [, digits, mark = ""] = NUMBER.exec(contentOf(text, line)) ?? [];
    const same = levels.find(({ indent }) => indent === line.indent);
    const goesOn = digits !== undefined && same?.number !== undefined && same.mark === mark;
    const number = digits === undefined ? undefined : goesOn ? (same.number ?? 0) + 1 : Number(digits);
    levels = [...levels.filter(({ indent }) => indent < line.indent), { indent: line.indent, mark, number }];
  }
  return levels;
}

function endsLists(line: Line): boolean {
  return line.role !== "blank" && line.role !== "item" && line.after.items.length === 0;
}

function contentOf(text: string, line: Line): string {
  return text.slice(line.start + line.quote.length + spacesOf(text, line), line.end);
}

function spacesOf(text: string, line: Line): number {
  const rest = text.slice(line.start + line.quote.length, line.end);
  return rest.length - rest.trimStart().length;
}
