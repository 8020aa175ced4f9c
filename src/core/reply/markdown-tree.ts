/** The one parse of a page's markdown, for every platform that lays pages out in a form of its own. */

import type { Definition, Nodes, Paragraph, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { withoutSteeringIn } from "./steering-signs.ts";
import { gfm } from "micromark-extension-gfm";
import { isBlank } from "../text.ts";

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

/** What makes an address one that somebody could follow. */
const FOLLOWED = /^(?:https?|mailto):/i;

/**
 * CommonMark with GFM. Undefined where the text is to be shown as it is: it is longer or nested deeper than the limits, so that
 * no text can exhaust the stack or the parser, or cannot be read at all. Addresses that stand apart from their links are text where
 * no link leads to them.
 */
export function markdownTree(markdown: string, limits: TreeLimits = {}): MarkdownTree | undefined {
  const { deepest = 20, longest = 40_000 } = limits;
  if (markdown.length > longest || tooDeep(deepest).test(markdown)) return undefined;
  try {
    const extensions = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };
    const root = withoutSteeringIn(fromMarkdown(markdown, extensions));
    const definitions = new Map<string, Definition>();
    const used = new Set<string>();
    collect(root, definitions, used);
    saySpare(root, (definition) => {
      const one = definitions.get(definition.identifier);
      const isUsed = used.has(definition.identifier) && one?.url === definition.url;
      return !isUsed && FOLLOWED.test(definition.url);
    });
    return { root, definitions };
  } catch {
    return undefined;
  }
}

/** Whether nothing of it could be seen on any platform, though there may be signs in it: `&nbsp;` is a space. */
export function saysNothing(markdown: string): boolean {
  if (isBlank(markdown)) return true;
  // Nearly all has a letter, and is not parsed for this.
  if (!markdown.includes("&") || /[\p{L}\p{N}]/u.test(markdown.replaceAll(/&#?\w{1,31};/g, ""))) return false;
  const tree = markdownTree(markdown);
  return tree !== undefined && !isSeen(tree.root);
}

function isSeen(node: Nodes): boolean {
  if (node.type === "text") return !isBlank(node.value);
  return node.type === "root" || node.type === "paragraph" ? node.children.some(isSeen) : true;
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

function collect(node: Nodes, definitions: Map<string, Definition>, used: Set<string>): void {
  if (node.type === "definition" && !definitions.has(node.identifier)) definitions.set(node.identifier, node);
  if (node.type === "linkReference" || node.type === "imageReference") used.add(node.identifier);
  if ("children" in node) for (const child of node.children) collect(child, definitions, used);
}

/** An address that nothing in the text leads to is said where it stands: what leads to it may be on a page before. */
function saySpare(node: Nodes, isSpare: (definition: Definition) => boolean): void {
  if (!("children" in node)) return;
  for (const child of node.children) saySpare(child, isSpare);
  if (node.type === "root") node.children = said(node.children, isSpare);
  if (node.type === "blockquote" || node.type === "listItem" || node.type === "footnoteDefinition")
    node.children = said(node.children, isSpare);
}

function said<T extends Nodes>(
  nodes: readonly T[],
  isSpare: (definition: Definition) => boolean,
): (T | Paragraph)[] {
  const all: (T | Paragraph)[] = [];
  let last: Paragraph | undefined;
  for (const node of nodes) {
    const spare = definitionIn(node, isSpare);
    if (spare === undefined) {
      if (node.type !== "definition") last = undefined;
      all.push(node);
      continue;
    }
    const name: Paragraph["children"] = [{ type: "text", value: `[${spare.label ?? spare.identifier}]: ` }];
    const { url } = spare;
    const line: Paragraph["children"] = [
      ...name,
      { type: "link", url, children: [{ type: "text", value: url }] },
    ];
    if (last === undefined) all.push((last = { type: "paragraph", children: line }));
    else last.children.push({ type: "break" }, ...line);
  }
  return all;
}

function definitionIn(node: Nodes, isSpare: (definition: Definition) => boolean): Definition | undefined {
  return node.type === "definition" && isSpare(node) ? node : undefined;
}
