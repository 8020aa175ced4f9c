/**
 * The same page with nothing in it that a platform could refuse: no marks, no buttons. For a page that was refused, so
 * that the answer is not lost to one bad construct.
 */

import type { Nodes, PhrasingContent, Root } from "mdast";
import { toMarkdown } from "mdast-util-to-markdown";
import type { PageContent } from "../ports/surface.ts";
import { markdownTree } from "./markdown-tree.ts";
import { split, type PageSize } from "./split.ts";

/** Within `limits`; where the escapes of plain text need more room than the marks did, the end is left out. */
export function plainOf(page: PageContent, limits: PageSize): PageContent {
  const tree = markdownTree(page.markdown);
  const lines = tree === undefined ? page.markdown.split("\n") : linesOf(tree.root);
  const paragraphs = lines.map((line): Root["children"][number] => {
    const children: PhrasingContent[] = [{ type: "text", value: line }];
    return { type: "paragraph", children };
  });
  const markdown = toMarkdown({ type: "root", children: paragraphs }).trimEnd();
  return {
    markdown: split(markdown, limits)[0] ?? "",
    ...(page.status === undefined ? {} : { status: page.status }),
    ...(page.steps === undefined ? {} : { steps: page.steps }),
    ...(page.footer === undefined ? {} : { footer: page.footer }),
    buttons: [],
  };
}

function linesOf(node: Nodes): string[] {
  switch (node.type) {
    case "root":
    case "blockquote":
    case "list":
    case "listItem":
    case "table":
      return node.children.flatMap((child) => linesOf(child));
    case "tableRow":
      return [node.children.map((cell) => wordsOf(cell)).join(", ")];
    case "code":
    case "html":
      return node.value.split("\n").filter((line) => line.trim() !== "");
    case "thematicBreak":
    case "definition":
      return [];
    default:
      return [wordsOf(node)].filter((words) => words.trim() !== "");
  }
}

function wordsOf(node: Nodes): string {
  if (node.type === "break") return " ";
  if (node.type === "image") return node.alt ?? node.url;
  if ("value" in node) return node.value;
  if (!("children" in node)) return "";
  const words = node.children.map((child) => wordsOf(child)).join("");
  return node.type === "link" && node.url !== words ? `${words} (${node.url})` : words;
}
