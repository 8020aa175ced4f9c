/**
 * Tables, for a platform that has none in running text: a narrow one as aligned columns, any other, or one with links, as one
 * item for each row that names its cells.
 */

import type { PhrasingContent, Table } from "mdast";
import { inlinesOf, plainText, type InlineContext } from "./inline-text.ts";
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
    row.children.map((cell) => plainText(cell.children).replaceAll(/\s+/g, " ").trim()),
  );
  const [head = [], ...body] = cells;
  const widths = head.map((_, column) => Math.max(1, ...cells.map((row) => widthOf(row[column] ?? ""))));
  const lineWidth = widths.reduce((sum, width) => sum + width + 3, -3);
  const isPlain = !node.children.some((row) => row.children.some((cell) => cell.children.some(hasLink)));
  const fits = lineWidth <= WIDEST && (lineWidth + 1) * (cells.length + 1) <= LARGEST;
  if (body.length === 0 || (isPlain && fits)) {
    const line = (row: readonly string[]): string =>
      widths
        .map((width, column) => padded(row[column] ?? "", width, node.align?.[column] === "right"))
        .join(" | ")
        .trimEnd();
    const rule = widths.map((width) => "-".repeat(Math.min(width, WIDEST))).join("-+-");
    return { kind: "columns", text: [line(head), rule, ...body.map(line)].join("\n") };
  }
  return { kind: "rows", rows: node.children.slice(1).map((_, index) => rowOf(node, index + 1, context)) };
}

/** `First cell` in bold, then `Column: cell` for each that is not empty. */
function rowOf(node: Table, index: number, context: InlineContext): readonly RichInline[] {
  const [head] = node.children;
  const lines = (node.children[index]?.children ?? []).flatMap((cell, column) => {
    const said = inlinesOf(cell.children, context, column === 0 ? { bold: true } : {});
    if (said.length === 0) return [];
    const name = plainText(head?.children[column]?.children ?? []).trim();
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
  const shown = plainText(label);
  return url === shown || url === `http://${shown}` || url === `mailto:${shown}`;
}

function padded(text: string, width: number, isRight: boolean): string {
  const room = " ".repeat(Math.max(0, width - widthOf(text)));
  return isRight ? room + text : text + room;
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Characters that take two columns in a font of fixed width. */
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60]/u;

function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}
