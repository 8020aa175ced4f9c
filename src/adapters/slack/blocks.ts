/** The parts of a page as blocks: text that belongs together is one, headers and tables are their own. Pure. */

import type { RichElement, RichInline, RichPart, RichTable } from "./rich-text.ts";

interface RichText {
  readonly type: "rich_text";
  readonly elements: readonly RichElement[];
}

type TableCell = { readonly type: "raw_text"; readonly text: string } | RichText;

export type PageBlock =
  | (RichText & { readonly block_id?: string })
  | {
      readonly type: "header";
      readonly block_id?: string;
      readonly text: { readonly type: "plain_text"; readonly text: string; readonly emoji: false };
    }
  | {
      readonly type: "table";
      readonly block_id?: string;
      readonly column_settings: readonly { readonly align: string; readonly is_wrapped: true }[];
      readonly rows: readonly (readonly TableCell[])[];
    };

export function blocksOf(parts: readonly RichPart[]): readonly PageBlock[] {
  const blocks: PageBlock[] = [];
  for (const part of parts) {
    const last = blocks.at(-1);
    if (part.type === "header") {
      blocks.push({ type: "header", text: { type: "plain_text", text: part.text, emoji: false } });
    } else if (part.type === "table") blocks.push(tableOf(part));
    else if (last?.type === "rich_text") {
      blocks[blocks.length - 1] = { type: "rich_text", elements: [...last.elements, part] };
    } else blocks.push({ type: "rich_text", elements: [part] });
  }
  return blocks;
}

function tableOf({ aligns, rows }: RichTable): PageBlock {
  return {
    type: "table",
    column_settings: aligns.map((align) => ({ align, is_wrapped: true })),
    rows: rows.map((row) => row.map(cellOf)),
  };
}

function cellOf(inlines: readonly RichInline[]): TableCell {
  const [first] = inlines;
  if (inlines.length === 1 && first?.type === "text" && first.style === undefined)
    return { type: "raw_text", text: first.text };
  return { type: "rich_text", elements: [{ type: "rich_text_section", elements: inlines }] };
}
