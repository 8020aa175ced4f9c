/** Slack's rich text, as far as replies use it. Its text is inert: nothing in it is ever markup, a mention or an emoji. */

export interface RichStyle {
  readonly bold?: true;
  readonly italic?: true;
  readonly strike?: true;
  readonly code?: true;
}

export interface RichWords {
  readonly type: "text";
  /** Never empty. */
  readonly text: string;
  readonly style?: RichStyle;
}

export type RichInline =
  | RichWords
  | { readonly type: "link"; readonly url: string; readonly text?: string; readonly style?: RichStyle }
  | { readonly type: "user"; readonly user_id: string };

export interface RichSection {
  readonly type: "rich_text_section";
  readonly elements: readonly RichInline[];
}

export interface RichList {
  readonly type: "rich_text_list";
  readonly style: "bullet" | "ordered";
  /** Level from 0. */
  readonly indent: number;
  /** What the first number is more than 1. */
  readonly offset?: number;
  /** A bar at the side, as of a quotation. */
  readonly border?: 1;
  readonly elements: readonly RichSection[];
}

export interface RichCode {
  readonly type: "rich_text_preformatted";
  readonly border?: 1;
  readonly elements: readonly RichWords[];
}

export interface RichQuote {
  readonly type: "rich_text_quote";
  readonly elements: readonly RichInline[];
}

export type RichElement = RichSection | RichList | RichCode | RichQuote;

/** A block of its own, in larger letters. Plain text. */
export interface RichHeader {
  readonly type: "header";
  readonly text: string;
}

/** A block of its own, of which a message may have one. */
export interface RichTable {
  readonly type: "table";
  readonly aligns: readonly ("left" | "center" | "right")[];
  /** The header first; all as wide as it is; no cell is empty. */
  readonly rows: readonly (readonly (readonly RichInline[])[])[];
}

/** What a page is made of, in order. */
export type RichPart = RichElement | RichHeader | RichTable;

/** Nothing where there is no text, since Slack refuses an empty one. */
export function words(text: string, style: RichStyle = {}): readonly RichWords[] {
  if (text === "") return [];
  return [Object.keys(style).length === 0 ? { type: "text", text } : { type: "text", text, style }];
}

/** Neighbours of the same style as one, so that a page is no larger than it has to be. */
export function joined(inlines: readonly RichInline[]): readonly RichInline[] {
  const all: RichInline[] = [];
  for (const inline of inlines) {
    const last = all.at(-1);
    if (last?.type === "text" && inline.type === "text" && isSameStyle(last.style, inline.style)) {
      all[all.length - 1] = { ...last, text: last.text + inline.text };
    } else all.push(inline);
  }
  return all;
}

function isSameStyle(a: RichStyle = {}, b: RichStyle = {}): boolean {
  return a.bold === b.bold && a.italic === b.italic && a.strike === b.strike && a.code === b.code;
}
