/** Markdown of a model, which may be hostile, to Slack's rich text. Pure, and never fails: what cannot be laid out is text. */

import type { BlockContent, Blockquote, DefinitionContent, List, ListItem, RootContent } from "mdast";
import { markdownTree, plainParagraphs } from "../../core/reply/markdown-tree.ts";
import { inlinesOf, type InlineContext } from "./inline-text.ts";
import { joined, words, type RichElement, type RichInline, type RichList } from "./rich-text.ts";
import { tableText } from "./table-text.ts";

/** Slack shows no deeper level of lists. */
const DEEPEST_INDENT = 6;
const RULE = "─".repeat(12);

interface Place {
  /** Level that a list has here. */
  readonly indent: number;
  readonly isQuoted: boolean;
}

/** Empty where the markdown says nothing that could be seen. */
export function richMarkdown(
  markdown: string,
  mayMention: (user: string) => boolean,
): readonly RichElement[] {
  const literal: readonly RichElement[] =
    markdown.trim() === "" ? [] : [{ type: "rich_text_section", elements: words(markdown) }];
  const plain = plainParagraphs(markdown);
  if (plain !== undefined) return [{ type: "rich_text_section", elements: words(plain) }];
  const tree = markdownTree(markdown);
  if (tree === undefined) return literal;
  try {
    const layout = new Layout({ definitions: tree.definitions, mayMention });
    layout.add(tree.root.children, { indent: 0, isQuoted: false });
    const elements = layout.elements();
    // A page of definitions alone shows nothing by itself, and an empty message is refused.
    return elements.length === 0 ? literal : elements;
  } catch {
    return literal;
  }
}

class Layout {
  readonly #context: InlineContext;
  readonly #done: RichElement[] = [];

  constructor(context: InlineContext) {
    this.#context = context;
  }

  elements(): readonly RichElement[] {
    return this.#done.map((element, index) =>
      withBreaks(element, this.#done[index - 1], this.#done[index + 1]),
    );
  }

  add(nodes: readonly RootContent[], place: Place): void {
    for (const node of nodes) this.#block(node, place);
  }

  #block(node: RootContent, place: Place): void {
    switch (node.type) {
      case "paragraph":
        return this.#prose(inlinesOf(node.children, this.#context), place, "\n\n");
      case "heading":
        return this.#prose(inlinesOf(node.children, this.#context, { bold: true }), place, "\n\n");
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
        return this.#table(tableText(node, this.#context), place);
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

  /** Text; it joins the text before it, `gap` in between. */
  #prose(inlines: readonly RichInline[], place: Place, gap: string): void {
    if (inlines.length === 0) return;
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

  #table(table: ReturnType<typeof tableText>, place: Place): void {
    if (table.kind === "columns") return this.#code(table.text, place);
    for (const row of table.rows) this.#addItem(row, undefined, place);
    return undefined;
  }
}

function isContinued(list: RichList, number: number | undefined, place: Place): boolean {
  if (list.indent !== place.indent || (list.border === 1) !== place.isQuoted) return false;
  return number === undefined || number === (list.offset ?? 0) + list.elements.length + 1;
}

function borderOf(place: Place): { readonly border?: 1 } {
  return place.isQuoted ? { border: 1 } : {};
}

/** Slack sets nothing between a text and what is no text: the line breaks stand in the text. */
function withBreaks(
  element: RichElement,
  before: RichElement | undefined,
  after: RichElement | undefined,
): RichElement {
  if (element.type !== "rich_text_section") return element;
  const elements = [
    ...words(before === undefined ? "" : "\n"),
    ...element.elements,
    ...words(after === undefined ? "" : "\n"),
  ];
  return { ...element, elements: joined(elements) };
}
