// Slack's text on the wire: what a client makes of typed words, what the server makes of a bot's text, and the rich text
// blocks that come along with a person's message.
import type { JsonObject } from "./message.ts";
import { decodeEntities } from "./rendering.ts";

const token =
  /<(?:@[UWB][A-Z0-9]+|#[CGD][A-Z0-9]+|![a-z^A-Z0-9]+|(?:https?:\/\/|mailto:|tel:)[^<>|]+)(?:\|[^<>]*)?>/g;

/** What a client sends for typed words: the three signs escaped, `@name` made a mention where somebody has that name. */
export function typedText(typed: string, idOf: (name: string) => string | undefined): string {
  return escapeSigns(typed).replace(/(^|\s)@([\p{L}\d._-]+)/gu, (whole, before: string, name: string) => {
    const id = idOf(name);
    return id === undefined ? whole : `${before}<@${id}>`;
  });
}

/** What Slack keeps of a bot's text: known tokens as they are, stray signs escaped, entities not escaped again. */
export function storedText(text: string): string {
  let kept = "";
  let end = 0;
  for (const match of text.matchAll(token)) {
    kept += escapeStraySigns(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return kept + escapeStraySigns(text.slice(end));
}

/** A person's message as rich text. */
export function richTextOf(wireText: string): JsonObject {
  const elements: JsonObject[] = [];
  const plain = (text: string): void => {
    if (text !== "") elements.push({ type: "text", text: decodeEntities(text) });
  };
  let end = 0;
  for (const match of wireText.matchAll(token)) {
    plain(wireText.slice(end, match.index));
    elements.push(richElement(match[0].slice(1, -1)));
    end = match.index + match[0].length;
  }
  plain(wireText.slice(end));
  return { type: "rich_text", block_id: "rt", elements: [{ type: "rich_text_section", elements }] };
}

function richElement(inner: string): JsonObject {
  const [target = "", label] = inner.split("|", 2);
  if (target.startsWith("@")) return { type: "user", user_id: target.slice(1) };
  if (target.startsWith("#")) return { type: "channel", channel_id: target.slice(1) };
  if (target.startsWith("!subteam^")) return { type: "usergroup", usergroup_id: target.slice(9) };
  if (target.startsWith("!")) return { type: "broadcast", range: target.slice(1) };
  return { type: "link", url: decodeEntities(target), ...(label === undefined ? {} : { text: label }) };
}

/** Ids of everybody whom the wire text mentions. */
export function mentionsIn(wireText: string): string[] {
  return [...wireText.matchAll(/<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g)].map(([, id]) => id ?? "");
}

function escapeSigns(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function escapeStraySigns(text: string): string {
  return text
    .replace(/&(?!(?:amp|lt|gt);)/g, "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
