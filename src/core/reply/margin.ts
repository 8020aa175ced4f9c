/**
 * What is left of a list, moved to the margin, where it is still a list: deeper than three spaces it would be code. Depends on each
 * line and on what stands before it alone.
 */

import { scanLines, type Line, type LineState } from "./lines.ts";

const NUMBER = /^\d{1,9}([.)])(?=\s|$)/;
const OTHER: Readonly<Record<string, string>> = { ".": ")", ")": "." };

/** The list whose items stand at the margin. */
interface List {
  /** What follows its numbers, as written and as shown; no number has another one. */
  readonly written: string | undefined;
  readonly shown: string | undefined;
  /** Where the content of its last item begins, from the margin. */
  readonly content: number;
}

/**
 * @param by the indent that the text begins with. An outer list that goes on has less: from there on all is moved by that. Where two
 * lists come to stand together that were one in the other, the later one gets the other mark behind its numbers, so that it is
 * counted apart; people see no difference.
 */
export function movedToMargin(text: string, state: LineState, by: number): string {
  const lines = scanLines(text, state);
  const isQuoted = (lines[0]?.quote ?? "") !== "";
  const shown: string[] = [];
  let margin = by;
  let list: List | undefined;
  for (const [index, line] of lines.entries()) {
    const hasSameMarks = list === undefined || list.shown === list.written;
    if (margin === 0 && hasSameMarks) {
      shown.push(text.slice(line.start));
      break;
    }
    const said = text.slice(line.start, line.end);
    const quote = isQuoted ? line.quote : "";
    const indent = isQuoted || line.quote === "" ? line.indent : said.length - said.trimStart().length;
    const content = said.slice(quote.length);
    const above = lines[index - 1];
    const isOuter = indent < margin;
    // A paragraph at the margin would take it for one of its lines. Told by its first sign, so that what follows changes nothing.
    if (isOuter && list === undefined && above?.role === "text" && /^\s*\d/.test(content))
      shown.push(quote.trimEnd());
    if (line.role === "blank" || isGoingOn(line, above)) {
      shown.push(quote + withoutSpaces(content, margin));
      continue;
    }
    margin = isQuoted && quote === "" ? 0 : Math.min(margin, indent);
    const left = withoutSpaces(content, margin);
    if (indent - margin >= (list?.content ?? 4)) {
      shown.push(quote + left);
    } else if (line.role === "item") {
      const item = itemOf(left, isOuter, list);
      list = item.list;
      shown.push(quote + item.text);
    } else {
      list = undefined;
      shown.push(quote + left);
    }
  }
  return shown.join("\n");
}

/** Nothing begins there: it is a line of the paragraph or of the code above it, wherever it stands. */
function isGoingOn(line: Line, above: Line | undefined): boolean {
  if (line.role === "code" || line.role === "closes") return true;
  return line.role === "text" && (above?.role === "text" || above?.role === "item");
}

function itemOf(
  text: string,
  isOuter: boolean,
  above: List | undefined,
): { readonly text: string; readonly list: List } {
  const begin = text.length - text.trimStart().length;
  const content = begin + (/^\S+\s*/.exec(text.slice(begin))?.[0].length ?? 0);
  const [number = "", written] = NUMBER.exec(text.slice(begin)) ?? [];
  if (written === undefined) return { text, list: { written, shown: written, content } };
  const isSame = above !== undefined && !isOuter && above.written === written;
  const shown = isSame ? above.shown : above?.shown === written ? OTHER[written] : written;
  const end = begin + number.length;
  return {
    text: text.slice(0, end - 1) + (shown ?? written) + text.slice(end),
    list: { written, shown, content },
  };
}

function withoutSpaces(text: string, most: number): string {
  let length = 0;
  while (length < most && text.charAt(length) === " ") length++;
  return text.slice(length);
}
