/**
 * The numbers of lists that a cut goes through. Models write `1.` before every item and leave the counting to whoever shows them; a page
 * that begins amid such a list would begin to count anew.
 */

import { scanLines, type Line, type LineState } from "./lines.ts";

const NUMBER = /^(\d{1,9})([.)])(?=\s|$)/;
/** An item that goes on for longer is rarely followed by another one. */
const FARTHEST = 400;

/** A list that is open, by how many lists it is within, itself counted; without a number where it has none. */
interface Level {
  readonly depth: number;
  /** How many quotes it stands in. */
  readonly quotes: number;
  readonly mark: string;
  readonly number: number | undefined;
}

/** An item that got a longer number, by which all that belongs to it moves. */
interface Wider {
  readonly depth: number;
  readonly by: number;
}

/** What stands behind a cut, with the first number of each list that goes on there. Both begin where a line does. */
export function withNumbers(
  before: { readonly text: string; readonly state: LineState },
  behind: { readonly text: string; readonly state: LineState },
): string {
  let levels = levelsOf(before.text, scanLines(before.text, before.state));
  if (!levels.some(({ number }) => number !== undefined)) return behind.text;
  const { text } = behind;
  const shown: string[] = [];
  let wider: readonly Wider[] = [];
  for (const [index, line] of scanLines(text, behind.state).entries()) {
    if ((levels.length === 0 || index >= FARTHEST) && wider.length === 0) {
      shown.push(text.slice(line.start));
      break;
    }
    wider = wider.filter((item) => isWithin(line, item.depth));
    const level = levelOf(levels, line);
    levels = stillOpen(levels, line);
    const { number, by } = numberOf(text, line, level);
    shown.push(
      moved(text, line, wider) + number + text.slice(line.start + lengthBefore(text, line) + by, line.end),
    );
    const added = number.length - by;
    if (added > 0) wider = [...wider, { depth: depthOf(line), by: added }];
  }
  return shown.join("\n");
}

/** The number that an item goes on with, and the length of the one that was written: none where it stays. */
function numberOf(
  text: string,
  line: Line,
  level: Level | undefined,
): { readonly number: string; readonly by: number } {
  const [written, , mark] = NUMBER.exec(markedPart(text, line)) ?? [];
  if (level?.number === undefined || written === undefined || mark !== level.mark)
    return { number: "", by: 0 };
  // As wide as what was written, so that what belongs to the item still does.
  return { number: `${level.number + 1}${mark}`.padEnd(written.length), by: written.length };
}

/** A line's beginning up to its mark. */
function moved(text: string, line: Line, wider: readonly Wider[]): string {
  const written = text.slice(line.start, line.start + lengthBefore(text, line));
  return line.role === "blank" ? written : written + " ".repeat(wider.reduce((sum, { by }) => sum + by, 0));
}

function levelsOf(text: string, lines: readonly Line[]): readonly Level[] {
  let levels: readonly Level[] = [];
  for (const line of lines) {
    const same = levelOf(levels, line);
    levels = stillOpen(levels, line);
    if (line.role !== "item") continue;
    const [, digits, mark = ""] = NUMBER.exec(markedPart(text, line)) ?? [];
    const goesOn = digits !== undefined && same?.number !== undefined && same.mark === mark;
    const number = digits === undefined ? undefined : goesOn ? (same.number ?? 0) + 1 : Number(digits);
    levels = [...levels, { depth: depthOf(line), quotes: quotesOf(line), mark, number }];
  }
  return levels;
}

/** The list that an item goes on with. */
function levelOf(levels: readonly Level[], line: Line): Level | undefined {
  if (line.role !== "item") return undefined;
  return levels.find(({ depth, quotes }) => depth === depthOf(line) && quotes === quotesOf(line));
}

/** The lists around the line; of an item without its own. A quote ends those before it, unless it stands in one of their items. */
function stillOpen(levels: readonly Level[], line: Line): readonly Level[] {
  if (line.role === "blank") return levels;
  if (line.role !== "item") return levels.filter(({ depth }) => depth <= depthOf(line));
  const isInItem = line.quote.startsWith("  ");
  return levels.filter(({ depth, quotes }) =>
    quotes === quotesOf(line) ? depth < depthOf(line) : quotes < quotesOf(line) && isInItem,
  );
}

/** Whether the line belongs to the item that was met last at this depth. */
function isWithin(line: Line, depth: number): boolean {
  if (line.role === "blank") return true;
  return line.role === "item" ? depthOf(line) > depth : depthOf(line) >= depth;
}

function depthOf(line: Line): number {
  return line.after.items.length;
}

function quotesOf(line: Line): number {
  return line.quote.split(">").length - 1;
}

function markedPart(text: string, line: Line): string {
  return text.slice(line.start + lengthBefore(text, line), line.end);
}

/** Of quote marks and spaces. */
function lengthBefore(text: string, line: Line): number {
  const rest = text.slice(line.start + line.quote.length, line.end);
  return line.quote.length + rest.length - rest.trimStart().length;
}
