// Pages of a text, and what an independent parser reads in them.
import type { Nodes } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";

export const units = (pageSize: number) => ({ pageSize, measure: (text: string) => text.length });

interface Code {
  readonly language: string;
  readonly code: string;
}

/** The code blocks of a page as an independent parser reads them. */
export function codeOf(page: string): Code[] {
  const found: Code[] = [];
  const visit = (node: Nodes): void => {
    if (node.type === "code") found.push({ language: node.lang ?? "", code: node.value });
    if ("children" in node) for (const child of node.children) visit(child);
  };
  visit(fromMarkdown(page));
  return found;
}
