/** The inside of a paragraph: mdast to Slack's rich text. */

import type { Definition, PhrasingContent } from "mdast";
import { imageLabel, plainWords, wordsOf } from "../../core/reply/plain-words.ts";
import { isFalseLabel } from "../../core/reply/link-label.ts";
import { safeAddress } from "./address.ts";
import { joined, words, type RichInline, type RichStyle } from "./rich-text.ts";

export interface InlineContext {
  readonly definitions: ReadonlyMap<string, Definition>;
  /** Whether a person with this id may be mentioned. */
  mayMention(user: string): boolean;
}

/** A mention as Slack writes it. Nothing else that stands in angle brackets is ever more than text. */
const MENTION = /<@([UW][A-Z0-9]{2,})(?:\|[^<>\n]*)?>/g;

export function inlinesOf(
  nodes: readonly PhrasingContent[],
  context: InlineContext,
  style: RichStyle = {},
): readonly RichInline[] {
  return joined(nodes.flatMap((node) => inline(node, context, style)));
}

function inline(node: PhrasingContent, context: InlineContext, style: RichStyle): readonly RichInline[] {
  switch (node.type) {
    case "text":
      return proseOf(node.value, context, style);
    case "html":
      return words(wordsOf(node), style);
    case "inlineCode":
      return words(node.value, { ...style, code: true });
    case "strong":
      return inlinesOf(node.children, context, { ...style, bold: true });
    case "emphasis":
      return inlinesOf(node.children, context, { ...style, italic: true });
    case "delete":
      return inlinesOf(node.children, context, { ...style, strike: true });
    case "break":
      return words("\n", style);
    case "link":
      return link(node.url, plainWords(node.children), style);
    case "linkReference":
      return link(context.definitions.get(node.identifier)?.url ?? "", plainWords(node.children), style);
    case "image":
      return link(node.url, imageLabel(node.alt), style);
    case "imageReference":
      return link(context.definitions.get(node.identifier)?.url ?? "", imageLabel(node.alt), style);
    case "footnoteReference":
      return words(wordsOf(node), style);
    default:
      return node satisfies never;
  }
}

function proseOf(text: string, context: InlineContext, style: RichStyle): readonly RichInline[] {
  const found: RichInline[] = [];
  let end = 0;
  for (const match of text.matchAll(MENTION)) {
    const [whole, user = ""] = match;
    if (!context.mayMention(user)) continue;
    found.push(...words(text.slice(end, match.index), style), { type: "user", user_id: user });
    end = match.index + whole.length;
  }
  return [...found, ...words(text.slice(end), style)];
}

/** What may not be a link is shown with its address, so that nothing of the answer is lost. */
function link(url: string, label: string, style: RichStyle): readonly RichInline[] {
  const address = safeAddress(url);
  const name = label.trim() === "" ? url : label;
  if (address === undefined) {
    return words(url === "" || url === name ? name : `${name} (${url})`, style);
  }
  const styled = Object.keys(style).length === 0 ? {} : { style };
  if (isFalseLabel(name, address)) {
    const itself: RichInline = { type: "link", url: address, ...styled };
    if (safeAddress(name) === address) return [itself];
    return [...words(`${name} (`, style), itself, ...words(")", style)];
  }
  return [
    name === address
      ? { type: "link", url: address, ...styled }
      : { type: "link", url: address, text: name, ...styled },
  ];
}
