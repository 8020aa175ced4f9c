/** The words of inline nodes without their marks, for every platform. */

import type { PhrasingContent } from "mdast";

const LINE_BREAK = /^<br\s*\/?>$/i;

export function plainWords(nodes: readonly PhrasingContent[]): string {
  return nodes.map(wordsOf).join("");
}

export function wordsOf(node: PhrasingContent): string {
  switch (node.type) {
    case "html":
      return LINE_BREAK.test(node.value) ? "\n" : node.value;
    case "text":
    case "inlineCode":
      return node.value;
    case "break":
      return "\n";
    case "image":
    case "imageReference":
      return imageLabel(node.alt);
    case "footnoteReference":
      return `[${node.label ?? node.identifier}]`;
    default:
      return plainWords(node.children);
  }
}

export function imageLabel(alt: string | null | undefined): string {
  return alt == null || alt.trim() === "" ? "Image" : alt;
}
