/**
 * Tables, for a platform that has none in running text: a narrow one as aligned columns, any other, or one with links, as one
 * item for each row that names its cells.
 */

import type { PhrasingContent, Table } from "mdast";
import { plainWords } from "../../core/reply/plain-words.ts";
import { tableColumns } from "../../core/reply/table-columns.ts";
import { inlinesOf, type InlineContext } from "./inline-text.ts";
import { joined, words, type RichInline } from "./rich-text.ts";

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
