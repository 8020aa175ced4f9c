/** What is left of a text after a cut, made so that it reads right at the top of a page: quotes, lists and code go on. */

import type { Cut } from "./cuts.ts";
import { endOfLine, scanLines, type LineState } from "./lines.ts";
import { movedToMargin } from "./margin.ts";
import { withNumbers } from "./numbering.ts";
import { beginEscaped, leftOfHeader, leftOfRow, type Left, type Limits } from "./table-rest.ts";

export interface Rest {
  readonly text: string;
  readonly state: LineState;
  /** Length of the marks of quotes and emphasis put before `text`: a page has to get beyond them. */
  readonly added: number;
  /** It begins amid a link or code that was too long for a page: no mark in it means what it seems to. Default false. */
  readonly isBroken?: boolean;
  /** It begins with the rest of a list item, which is a paragraph here. */
  readonly isWithinItem: boolean;
}

const ITEM_OR_BLANK = /\n([ \t>]*)(?:\n|(?:[-+*]|\d{1,9}[.)])[ \t])/;

/**
 * Leaves out what no page begins with: blank lines, a fence that closes what the page before closed, the indent of a list.
 * @param goesOn the page before begins with the same rest of a list item; default false.
 * @returns undefined when nothing is left to show
 */
export function restOf(text: string, state: LineState, goesOn = false): Rest | undefined {
  if (state.fence !== undefined) {
    const end = endOfLine(text);
    const [first] = scanLines(text.slice(0, end), state);
    if (first?.role === "closes") return restOf(text.slice(end + 1), first.after);
    if (first?.before.fence === undefined) return restOf(text, { items: state.items });
    return text === "" ? undefined : dedented(text, state, state.fence.depth, false);
  }
  const trimmed = text.replace(/^(?:[ \t]*\n)+/, "");
  if (trimmed.trim() === "") return undefined;
  // A table ends with a blank line.
  const begin: LineState = trimmed === text ? state : { items: state.items };
  const [first] = scanLines(trimmed.slice(0, endOfLine(trimmed)), begin);
  if (first === undefined || first.before.items.length === 0)
    return plain(trimmed, begin, goesOn && trimmed === text && first?.role === "text");
  const isWithinItem = first.role === "text" && first.after.items.length > 0;
  return dedented(trimmed, begin, first.indent, isWithinItem);
}

export function restAfter(
  whole: Pick<Rest, "text" | "state" | "isWithinItem">,
  cut: Cut,
  limits: Limits,
): Rest | undefined {
  const rest = restBehind(whole, cut, limits);
  return rest !== undefined && isBreaking(cut) ? { ...rest, isBroken: true } : rest;
}

const isBreaking = ({ kind }: Cut): boolean => kind === "inside" || kind === "codePoint";

function restBehind(
  whole: Pick<Rest, "text" | "state" | "isWithinItem">,
  cut: Cut,
  limits: Limits,
): Rest | undefined {
  const { text } = whole;
  const { state, quote } = cut;
  const marks = (cut.marks ?? []).join("");
  // At the margin nothing but the page before tells that this is still the item.
  const goesOn = whole.isWithinItem && !ITEM_OR_BLANK.test(text.slice(0, cut.next));
  const { left, isWithinLine, escaped = 0 } = leftOf(text, cut, limits);
  if (left.trim() === "" && state.fence === undefined) return undefined;
  const depth = state.items.at(-1) ?? 0;
  // What is left of a line stands where the line did, so that what it belongs to is seen.
  const lead = isWithinLine ? (state.fence?.prefix ?? " ".repeat(depth)) : "";
  const behind =
    state.items.length === 0
      ? lead + left
      : withNumbers({ text: text.slice(0, cut.end), state: whole.state }, { text: lead + left, state });
  const { table } = cut;
  const below: LineState = isWithinLine || table === undefined ? state : { ...state, table };
  if (!isWithinLine) return before(marks, restOf(behind, below, goesOn));
  if (state.fence !== undefined) {
    const rest = restOf(behind, state, goesOn);
    return rest && { ...rest, added: rest.state.fence?.prefix.length ?? 0 };
  }
  if (quote !== "") {
    const added = limits.measure(quote) * 4 < limits.pageSize ? quote : "";
    const rest = dedented(quote + behind, state, depth, goesOn || depth > 0);
    const said = { ...rest, text: rest.text.slice(quote.length), state: { items: [] }, added: escaped };
    return before(added + marks, said);
  }
  return before(marks, { ...dedented(behind, state, depth, goesOn || depth > 0), added: escaped });
}

/** What a page leaves: where the cut is at the very end of its line, that is the next one. */
function leftOf(text: string, cut: Cut, limits: Limits): Left {
  const left = text.slice(cut.next);
  if (!cut.isWithinLine) return { left, isWithinLine: false };
  if (cut.isInHeader === true) return leftOfHeader(text, cut, limits);
  const { fence } = cut.state;
  const [rest = ""] = (fence === undefined ? /^[ \t]*(?:\n|$)/ : /^(?:\n|$)/).exec(left) ?? [];
  if (rest !== "" || left === "") return { left: left.slice(rest.length), isWithinLine: false };
  if (fence !== undefined) return { left, isWithinLine: true };
  if (cut.table !== undefined) return { left: leftOfRow(left, cut.table, cut, limits), isWithinLine: true };
  const trimmed = left.trimStart();
  const isBetweenWords = trimmed !== left && !isBreaking(cut);
  return isBetweenWords ? beginEscaped(trimmed) : { left: trimmed, isWithinLine: true };
}

function before(added: string, rest: Rest | undefined): Rest | undefined {
  return added === "" || rest === undefined
    ? rest
    : { ...rest, text: added + rest.text, added: added.length + rest.added };
}

/** The beginning of the rest as a page shows it: no list item is read as a line of the paragraph before it. */
export function shownOf(rest: Rest, length: number): string {
  const body = rest.text.slice(0, length);
  if (!rest.isWithinItem) return body;
  const found = ITEM_OR_BLANK.exec(body);
  if (found === null || found[0].endsWith("\n")) return body;
  return `${body.slice(0, found.index)}\n${found[1]?.trimEnd() ?? ""}${body.slice(found.index)}`;
}

/** The rest without the first line of its fence where that line would fill the page: a fence without its language. */
export function withoutOpeningLine(rest: Rest): Rest | undefined {
  const end = rest.text.indexOf("\n");
  if (end === -1 || rest.state.fence !== undefined) return undefined;
  const [first] = scanLines(rest.text.slice(0, end), rest.state);
  const fence = first?.after.fence;
  if (first === undefined || fence === undefined) return undefined;
  return restOf(rest.text.slice(end + 1), { ...first.after, fence: { ...fence, info: "" } });
}

function plain(text: string, state: LineState, isWithinItem = false): Rest {
  return { text, state, added: 0, isWithinItem };
}

function dedented(text: string, state: LineState, by: number, isWithinItem: boolean): Rest {
  if (by === 0) return { text, state, added: 0, isWithinItem };
  const { fence, table } = state;
  const items = state.items.map((offset) => offset - by).filter((offset) => offset > 0);
  const prefix = fence === undefined ? "" : fence.prefix.replace(" ".repeat(by), "");
  return {
    text: movedToMargin(text, state, by),
    state: {
      items,
      ...(fence === undefined ? {} : { fence: { ...fence, prefix, depth: 0 } }),
      ...(table === undefined ? {} : { table: table.replaceAll(new RegExp(`^ {0,${by}}`, "gm"), "") }),
    },
    added: 0,
    isWithinItem,
  };
}
