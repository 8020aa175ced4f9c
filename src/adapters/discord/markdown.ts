/** Markdown of a model, which may be hostile, to the markdown that Discord knows. Pure, and never fails: what cannot be laid out is text. */

import type { Heading, List, ListItem, PhrasingContent, RootContent, Table } from "mdast";
import { markdownTree, plainParagraphs, saysNothing } from "../../core/reply/markdown-tree.ts";
import { plainWords } from "../../core/reply/plain-words.ts";
import { tableColumns } from "../../core/reply/table-columns.ts";
import { escapeText, inlineMarkdown, type Definitions } from "./inline-markdown.ts";

const RULE = "─".repeat(12);
/** What fits beside a side bar, and on a telephone nearly. */
const COLUMNS = { widest: 56, largest: 1_000 };
/** Discord indents no deeper. */
const DEEPEST_INDENT = 10;
/** It knows three levels of headings. */
const DEEPEST_HEADING = 3;
const LANGUAGE = /^[\w+#.-]{1,20}$/;

interface Place {
  readonly definitions: Definitions;
  /** Lists around it. */
  readonly depth: number;
  readonly isQuoted: boolean;
}

/** Empty where the markdown says nothing that could be seen. */
export function discordMarkdown(markdown: string): string {
  if (saysNothing(markdown)) return "";
  const plain = plainParagraphs(markdown);
  if (plain !== undefined) return plain;
  const tree = markdownTree(markdown);
  if (tree === undefined) return escapeText(markdown).trim();
  try {
    const shown = blocks(tree.root.children, {
      definitions: tree.definitions,
      depth: 0,
      isQuoted: false,
    }).trim();
    // A page of definitions alone shows nothing by itself.
    return shown === "" ? escapeText(markdown).trim() : shown;
  } catch {
    return escapeText(markdown).trim();
  }
}

function blocks(nodes: readonly RootContent[], place: Place): string {
  let text = "";
  let before: RootContent | undefined;
  for (const node of nodes) {
    const shown = block(node, place);
    if (shown.trim() === "") continue;
    if (text !== "") text += gap(before, node);
    text += shown;
    before = node;
  }
  return text;
}

/** Discord shows each blank line: none where it has room of its own, around headings and code, and none above a list. */
function gap(before: RootContent | undefined, node: RootContent): string {
  if (before?.type === "heading" || before?.type === "code" || node.type === "code") return "\n";
  if (node.type === "heading" && node.depth <= DEEPEST_HEADING) return "\n";
  return before?.type === "paragraph" && node.type === "list" ? "\n" : "\n\n";
}

function block(node: RootContent, place: Place): string {
  switch (node.type) {
    case "paragraph":
      return inlineMarkdown(node.children, place.definitions);
    case "heading":
      return heading(node, place);
    case "html":
      return escapeText(node.value);
    case "thematicBreak":
      return RULE;
    case "code":
      return fenced(node.value, node.lang ?? "");
    case "blockquote":
      // Discord knows no quote in a quote: what is one stands in the outer one.
      if (place.isQuoted) return blocks(node.children, place);
      return quoted(blocks(node.children, { ...place, isQuoted: true }));
    case "list":
      return list(node, place);
    case "table":
      return table(node, place.definitions);
    case "footnoteDefinition":
      return `${escapeText(`[${node.label ?? node.identifier}]`)} ${blocks(node.children, place)}`;
    default:
      // Definitions show nothing; inline nodes, rows and items stand in a block of their own kind and never here.
      return "";
  }
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

function heading({ depth, children }: Heading, { definitions }: Place): string {
  const isKnown = depth <= DEEPEST_HEADING;
  const line = inlineMarkdown(isKnown ? children : withoutBold(children), definitions).replaceAll(
    /\s*\n\s*/g,
    " ",
  );
  if (line.trim() === "") return "";
  return isKnown ? `${"#".repeat(depth)} ${line}` : `**${line}**`;
}

/** For what is bold as a whole. */
function withoutBold(nodes: readonly PhrasingContent[]): readonly PhrasingContent[] {
  return nodes.flatMap((node): readonly PhrasingContent[] => {
    if (node.type === "strong") return withoutBold(node.children);
    if (node.type === "emphasis" || node.type === "delete")
      return [{ ...node, children: [...withoutBold(node.children)] }];
    return [node];
  });
}

function fenced(code: string, language: string): string {
  // A fence in the code would end the block.
  const safe = code.replaceAll("```", "``\u200B`");
  return `\`\`\`${LANGUAGE.test(language) ? language : ""}\n${safe}\n\`\`\``;
}

function list(node: List, place: Place): string {
  let number = node.start ?? 1;
  return node.children
    .map((child) => item(child, node.ordered === true ? `${number++}.` : "-", place))
    .join("\n");
}

function item(node: ListItem, mark: string, place: Place): string {
  const pad = "  ".repeat(Math.min(place.depth, DEEPEST_INDENT));
  const box = typeof node.checked === "boolean" ? (node.checked ? "☑ " : "☐ ") : "";
  const lines: string[] = [];
  for (const child of node.children) {
    if (child.type === "list") lines.push(list(child, { ...place, depth: place.depth + 1 }));
    // Discord knows no code in a list: it stands at the margin, between two items.
    else if (child.type === "code") lines.push(fenced(child.value, child.lang ?? ""));
    else {
      const inner = block(child, place).split("\n");
      lines.push(inner.map((line) => (lines.length === 0 ? line : `${pad}  ${line}`)).join(`\n${pad}  `));
    }
  }
  const [first = "", ...rest] = lines;
  const begins = first.startsWith("```") || /^\s*(?:-|\d+\.) /.test(first);
  const head = begins ? [`${pad}${mark} ${box}`.trimEnd(), first] : [`${pad}${mark} ${box}${first}`];
  return [...head, ...rest].join("\n");
}

function table(node: Table, definitions: Definitions): string {
  const cells = node.children.map((row) =>
    row.children.map((cell) => plainWords(cell.children).replaceAll(/\s+/g, " ").trim()),
  );
  const hasLinks = node.children.some((row) => row.children.some((cell) => cell.children.some(hasLink)));
  if (!hasLinks || cells.length === 1) {
    const text = tableColumns(cells, (column) => node.align?.[column] === "right", COLUMNS);
    if (text !== undefined) return fenced(text, "");
  }
  return node.children
    .slice(1)
    .map((_, index) => row(node, index + 1, definitions))
    .filter((text) => text !== "")
    .join("\n");
}

/** An item for each row: its first cell in bold, then `Column: cell` for each that is not empty. */
function row(node: Table, index: number, definitions: Definitions): string {
  const [head] = node.children;
  const lines = (node.children[index]?.children ?? []).flatMap((cell, column) => {
    const children = column === 0 ? withoutBold(cell.children) : cell.children;
    const said = inlineMarkdown(children, definitions).replaceAll(/\s*\n\s*/g, " ");
    if (said.trim() === "") return [];
    if (column === 0) return [`**${said}**`];
    const name = plainWords(head?.children[column]?.children ?? []).trim();
    return [name === "" ? said : `${escapeText(name)}: ${said}`];
  });
  return lines.map((line, at) => (at === 0 ? `- ${line}` : `  ${line}`)).join("\n");
}

function hasLink(node: PhrasingContent): boolean {
  if (node.type === "link") return plainWords(node.children) !== node.url;
  if (node.type === "image" || node.type === "linkReference" || node.type === "imageReference") return true;
  return "children" in node && node.children.some(hasLink);
}
