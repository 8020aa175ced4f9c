/** Markdown of a model, which may be hostile, to Slack's rich text. Pure, and never fails: what cannot be laid out is text. */

import type {
  BlockContent,
  Blockquote,
  DefinitionContent,
  Heading,
  List,
  ListItem,
  RootContent,
  Table,
} from "mdast";
import { markdownTree, plainParagraphs } from "../../core/reply/markdown-tree.ts";
import { plainWords } from "../../core/reply/plain-words.ts";
import { inlinesOf, type InlineContext } from "./inline-text.ts";
import {
  joined,
  words,
  type RichElement,
  type RichInline,
  type RichList,
  type RichPart,
} from "./rich-text.ts";
import { nativeTable, tableText } from "./table-text.ts";

/** Slack shows no deeper level of lists. */
const DEEPEST_INDENT = 6;
/** Of the levels that models use in chat the first two are larger than bold text. */
const DEEPEST_HEADER = 2;
/** Slack's limit of a header's text, and how many of a message's fifty blocks they may be. */
const LONGEST_HEADER = 150;
const MOST_HEADERS = 12;
/** What a header shows as it would be shown elsewhere. */
const PLAIN: ReadonlySet<string> = new Set(["text", "strong", "html"]);
const RULE = "─".repeat(12);

interface Place {
  /** Level that a list has here. */
  readonly indent: number;
  readonly isQuoted: boolean;
}

/** Empty where the markdown says nothing that could be seen. */
export function richMarkdown(markdown: string, mayMention: (user: string) => boolean): readonly RichPart[] {
  const literal: readonly RichPart[] =
    markdown.trim() === "" ? [] : [{ type: "rich_text_section", elements: words(markdown) }];
  const plain = plainParagraphs(markdown);
  if (plain !== undefined) return [{ type: "rich_text_section", elements: words(plain) }];
  const tree = markdownTree(markdown);
  if (tree === undefined) return literal;
  try {
    const layout = new Layout({ definitions: tree.definitions, mayMention });
    layout.add(tree.root.children, { indent: 0, isQuoted: false });
    const parts = layout.parts();
    // A page of definitions alone shows nothing by itself, and an empty message is refused.
    return parts.length === 0 ? literal : parts;
  } catch {
    return literal;
  }
}

class Layout {
  readonly #context: InlineContext;
  readonly #done: RichPart[] = [];
  #headers = 0;
  #hasTable = false;
  /** The text that was added last is a heading, and what follows stands right below it. */
  #isBelowHeading = false;

  constructor(context: InlineContext) {
    this.#context = context;
  }

  parts(): readonly RichPart[] {
    return this.#done.map((part, index) => withBreaks(part, this.#done[index - 1], this.#done[index + 1]));
  }

  add(nodes: readonly RootContent[], place: Place): void {
    for (const node of nodes) this.#block(node, place);
  }

  #block(node: RootContent, place: Place): void {
    switch (node.type) {
      case "paragraph":
        return this.#prose(inlinesOf(node.children, this.#context), place, "\n\n");
      case "heading":
        return this.#heading(node, place);
      case "html":
        return this.#prose(words(node.value), place, "\n\n");
      case "thematicBreak":
        return this.#prose(words(RULE), place, "\n\n");
      case "code":
        return this.#code(node.value, place);
      case "blockquote":
        return this.#quote(node, place);
      case "list":
        return this.#list(node, place);
      case "table":
        return this.#table(node, place);
      case "footnoteDefinition":
        this.#prose(words(`[${node.label ?? node.identifier}]`), place, "\n\n");
        return this.#follow(node.children, place);
      case "definition":
      case "yaml":
        return undefined;
      default:
        // Inline nodes, rows and items stand in a block of their own kind and never here.
        return undefined;
    }
  }

  #heading(node: Heading, place: Place): void {
    const text = plainWords(node.children).replaceAll(/\s+/g, " ").trim();
    const isPlain = node.children.every(({ type }) => PLAIN.has(type));
    const isTop = place.indent === 0 && !place.isQuoted && node.depth <= DEEPEST_HEADER;
    const fits = text !== "" && text.length <= LONGEST_HEADER && this.#headers < MOST_HEADERS;
    if (isTop && isPlain && fits) {
      this.#headers++;
      this.#done.push({ type: "header", text });
      return;
    }
    this.#prose(inlinesOf(node.children, this.#context, { bold: true }), place, "\n\n");
    this.#isBelowHeading = true;
  }

  /** Text; it joins the text before it, `gap` in between. */
  #prose(inlines: readonly RichInline[], place: Place, wantedGap: string): void {
    if (inlines.length === 0) return;
    const gap = this.#isBelowHeading ? "\n" : wantedGap;
    this.#isBelowHeading = false;
    const type = place.isQuoted ? "rich_text_quote" : "rich_text_section";
    const last = this.#done.at(-1);
    if (last?.type === type) {
      const elements = joined([...last.elements, ...words(gap), ...inlines]);
      this.#done[this.#done.length - 1] = { type, elements };
    } else this.#done.push({ type, elements: inlines });
  }

  /** The blocks of a footnote, the first one on the line of its number. */
  #follow(nodes: readonly (BlockContent | DefinitionContent)[], place: Place): void {
    const [first, ...rest] = nodes;
    if (first?.type === "paragraph") this.#prose(inlinesOf(first.children, this.#context), place, " ");
    else if (first !== undefined) this.#block(first, place);
    this.add(rest, place);
  }

  #code(code: string, place: Place): void {
    const elements = words(code === "" ? " " : code);
    this.#done.push({ type: "rich_text_preformatted", ...borderOf(place), elements });
  }

  #quote(node: Blockquote, place: Place): void {
    this.add(node.children, { ...place, isQuoted: true });
  }

  #list(node: List, place: Place): void {
    let number = node.start ?? 1;
    for (const item of node.children) this.#item(item, node.ordered === true ? number++ : undefined, place);
  }

  #item(item: ListItem, number: number | undefined, place: Place): void {
    const box = typeof item.checked === "boolean" ? words(item.checked ? "☑ " : "☐ ") : [];
    let count = 0;
    const texts: RichInline[] = [];
    // Paragraphs at the start of an item are its text; whatever comes after them stands below it.
    for (const child of item.children) {
      if (child.type !== "paragraph" && child.type !== "heading") break;
      texts.push(...words(count++ === 0 ? "" : "\n"), ...inlinesOf(child.children, this.#context));
    }
    this.#addItem(joined([...box, ...texts]), number, place);
    this.add(item.children.slice(count), { ...place, indent: Math.min(place.indent + 1, DEEPEST_INDENT) });
  }

  #addItem(inlines: readonly RichInline[], number: number | undefined, place: Place): void {
    const section = {
      type: "rich_text_section",
      elements: inlines.length === 0 ? words(" ") : inlines,
    } as const;
    const style = number === undefined ? "bullet" : "ordered";
    const last = this.#done.at(-1);
    if (last?.type === "rich_text_list" && last.style === style && isContinued(last, number, place)) {
      this.#done[this.#done.length - 1] = { ...last, elements: [...last.elements, section] };
      return;
    }
    const offset = number === undefined || number <= 1 ? {} : { offset: number - 1 };
    const list = { type: "rich_text_list", style, indent: place.indent, ...offset } as const;
    this.#done.push({ ...list, ...borderOf(place), elements: [section] });
  }

  #table(node: Table, place: Place): void {
    const table = tableText(node, this.#context);
    if (table.kind === "columns") return this.#code(table.text, place);
    const isTop = place.indent === 0 && !place.isQuoted;
    const native = isTop && !this.#hasTable ? nativeTable(node, this.#context) : undefined;
    if (native !== undefined) {
      this.#hasTable = true;
      this.#done.push({ type: "table", ...native });
      return undefined;
    }
    return this.#rows(table.rows, place);
  }

  #rows(rows: readonly (readonly RichInline[])[], place: Place): void {
    for (const row of rows) this.#addItem(row, undefined, place);
  }
}

function isElement(part: RichPart): part is RichElement {
  return part.type !== "header" && part.type !== "table";
}

function isContinued(list: RichList, number: number | undefined, place: Place): boolean {
  if (list.indent !== place.indent || (list.border === 1) !== place.isQuoted) return false;
  return number === undefined || number === (list.offset ?? 0) + list.elements.length + 1;
}

function borderOf(place: Place): { readonly border?: 1 } {
  return place.isQuoted ? { border: 1 } : {};
}

/** Slack sets nothing between a text and what is no text: the line breaks stand in the text. */
function withBreaks(element: RichPart, before: RichPart | undefined, after: RichPart | undefined): RichPart {
  if (element.type !== "rich_text_section") return element;
  const elements = [
    ...words(before !== undefined && isElement(before) ? "\n" : ""),
    ...element.elements,
    ...words(after !== undefined && isElement(after) ? "\n" : ""),
  ];
  return { ...element, elements: joined(elements) };
}
