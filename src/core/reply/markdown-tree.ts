/** The one parse of a page's markdown, for every platform that lays pages out in a form of its own. */

import type { Definition, Nodes, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { withoutSteeringIn } from "./steering-signs.ts";
import { gfm } from "micromark-extension-gfm";

export interface MarkdownTree {
  readonly root: Root;
  /** Addresses that stand apart from their links. */
  readonly definitions: ReadonlyMap<string, Definition>;
}

export interface TreeLimits {
  /** Lists and quotes within each other, more than any person writes. Default 20. */
  readonly deepest?: number;
  /** UTF-16 units, far more than a page. Default 40,000. */
  readonly longest?: number;
}

/**
 * CommonMark with GFM. Undefined where the text is to be shown as it is: it is longer or nested deeper than the limits, so that
 * no text can exhaust the stack or the parser, or cannot be read at all.
 */
export function markdownTree(markdown: string, limits: TreeLimits = {}): MarkdownTree | undefined {
  const { deepest = 20, longest = 40_000 } = limits;
  if (markdown.length > longest || tooDeep(deepest).test(markdown)) return undefined;
  try {
    const extensions = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };
    const root = withoutSteeringIn(fromMarkdown(markdown, extensions));
    const definitions = new Map<string, Definition>();
    collectDefinitions(root, definitions);
    return { root, definitions };
  } catch {
    return undefined;
  }
}

/** A paragraph that the parser would take as it is, and that nothing in it makes a link: most of them, and for a tenth of the time. */
const PLAIN = /^\p{L}[\p{L}\p{M}\p{N} ,.;:?!()'"’“”…–—%-]*$/u;
const LONGEST_PLAIN = 40_000;

/** The text as it is shown, where it is nothing but plain paragraphs; no sign in it is a mark on any platform. */
export function plainParagraphs(markdown: string): string | undefined {
  if (markdown.length > LONGEST_PLAIN) return undefined;
  const paragraphs = markdown.split(/\n{2,}/);
  if (!paragraphs.every((paragraph) => PLAIN.test(paragraph)) || /www\./i.test(markdown)) return undefined;
  return paragraphs.map((paragraph) => paragraph.trimEnd()).join("\n\n");
}

const patterns = new Map<number, RegExp>();

/** At the start of a line, before the parser sees it: it takes seconds for thousands of levels. */
function tooDeep(levels: number): RegExp {
  const known = patterns.get(levels);
  if (known !== undefined) return known;
  const pattern = new RegExp(`^(?:[ \\t]*(?:>|(?:[*+-]|\\d{1,9}[.)])[ \\t])){${levels},}`, "m");
  patterns.set(levels, pattern);
  return pattern;
}

function collectDefinitions(node: Nodes, found: Map<string, Definition>): void {
  if (node.type === "definition" && !found.has(node.identifier)) found.set(node.identifier, node);
  if ("children" in node) for (const child of node.children) collectDefinitions(child, found);
}
