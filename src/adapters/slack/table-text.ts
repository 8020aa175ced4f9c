/**
 * Tables, of which a message may have one: a narrow one as aligned columns, any other, or one with links, as Slack's own once, and else
 * as one item for each row that names its cells.
 */

import type { PhrasingContent, Table } from "mdast";
import { plainWords } from "../../core/reply/plain-words.ts";
import { tableColumns } from "../../core/reply/table-columns.ts";
import { inlinesOf, type InlineContext } from "./inline-text.ts";
import { joined, words, type RichInline, type RichTable } from "./rich-text.ts";

export type TableText =
  | { readonly kind: "columns"; readonly text: string }
  /** One item a row. */
  | { readonly kind: "rows"; readonly rows: readonly (readonly RichInline[])[] };

/** Columns of text that fit beside a side bar and in a thread's narrow pane. */
const WIDEST = 64;
/** Padding may not make a page larger than its markdown was by more than this. */
const LARGEST = 2_500;

export function tableText(node: Table, context: InlineContext): TableText {
  const cells = node.children.map((row) =>
    row.children.map((cell) => plainWords(cell.children).replaceAll(/\s+/g, " ").trim()),
  );
  const hasLinks = node.children.some((row) => row.children.some((cell) => cell.children.some(hasLink)));
  if (!hasLinks || cells.length === 1) {
    const isRight = (column: number): boolean => node.align?.[column] === "right";
    const text = tableColumns(cells, isRight, { widest: WIDEST, largest: LARGEST });
    if (text !== undefined) return { kind: "columns", text };
  }
  return { kind: "rows", rows: node.children.slice(1).map((_, index) => rowOf(node, index + 1, context)) };
}

/** `First cell` in bold, then `Column: cell` for each that is not empty. */
function rowOf(node: Table, index: number, context: InlineContext): readonly RichInline[] {
  const [head] = node.children;
  const lines = (node.children[index]?.children ?? []).flatMap((cell, column) => {
    const said = inlinesOf(cell.children, context, column === 0 ? { bold: true } : {});
    if (said.length === 0) return [];
    const name = plainWords(head?.children[column]?.children ?? []).trim();
    const label = column === 0 || name === "" ? [] : words(`${name}: `);
    return [[...label, ...said]];
  });
  return joined(lines.flatMap((line, at) => (at === 0 ? line : [...words("\n"), ...line])));
}

/** Slack's limits of a table. */
const MOST_ROWS = 100;
const MOST_COLUMNS = 20;
const LARGEST_TABLE = 10_000;
/** Slack takes no empty cell. */
const NOTHING = "–";

/** Undefined where it is more than Slack takes. */
export function nativeTable(
  node: Table,
  context: InlineContext,
): Pick<RichTable, "rows" | "aligns"> | undefined {
  const columns = node.children[0]?.children.length ?? 0;
  if (columns === 0 || columns > MOST_COLUMNS || node.children.length > MOST_ROWS) return undefined;
  const rows = node.children.map((row, at) =>
    Array.from({ length: columns }, (_, column) => {
      const cell = row.children[column]?.children ?? [];
      const said = inlinesOf(cell, context, at === 0 ? { bold: true } : {});
      return plainWords(cell).trim() === "" ? words(NOTHING) : said;
    }),
  );
  const size = rows.flat(2).reduce((sum, inline) => sum + lengthOf(inline), 0);
  if (size > LARGEST_TABLE) return undefined;
  return { rows, aligns: Array.from({ length: columns }, (_, column) => node.align?.[column] ?? "left") };
}

function lengthOf(inline: RichInline): number {
  return inline.type === "text"
    ? inline.text.length
    : inline.type === "link"
      ? (inline.text ?? inline.url).length
      : inline.user_id.length;
}

function hasLink(node: PhrasingContent): boolean {
  if (node.type === "link" || node.type === "image")
    return node.type === "image" || !isBare(node.children, node.url);
  if (node.type === "linkReference" || node.type === "imageReference") return true;
  return "children" in node && node.children.some(hasLink);
}

function isBare(label: readonly PhrasingContent[], url: string): boolean {
  const shown = plainWords(label);
  return url === shown || url === `http://${shown}` || url === `mailto:${shown}`;
}
