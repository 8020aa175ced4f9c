/** The inside of a paragraph: mdast to Discord's markdown, with every sign that is only text escaped. */

import type { Definition, PhrasingContent } from "mdast";
import { isFalseLabel } from "../../core/reply/link-label.ts";
import { imageLabel, plainWords, wordsOf } from "../../core/reply/plain-words.ts";

export type Definitions = ReadonlyMap<string, Definition>;

const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);
const LONGEST_ADDRESS = 512;
/** What Discord reads as a mark wherever it stands, and an underscore at the edge of a word. */
const MARKS = /[\\*~`|<[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/** What Discord reads as a mark at the begin of a line. */
const LINE_MARKS = /^(\s*)(#{1,3}(?=\s)|-#(?=\s)|>{1,3}(?=\s)|[-+](?=\s)|\d{1,9}(?=\.\s))/gm;

/** Text that shows as it is, and pings nobody: `<@1>` stays four signs. */
export function escapeText(text: string): string {
  return text
    .replaceAll(MARKS, String.raw`\$&`)
    .replaceAll(LINE_MARKS, (whole, space: string, mark: string) =>
      /^\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`,
    );
}

/** At most how many units the escapes add. */
export function escapesIn(text: string): number {
  return (text.match(MARKS)?.length ?? 0) + (text.match(LINE_MARKS)?.length ?? 0);
}

export function inlineMarkdown(nodes: readonly PhrasingContent[], definitions: Definitions): string {
  return nodes.map((node) => inline(node, definitions)).join("");
}

function inline(node: PhrasingContent, definitions: Definitions): string {
  switch (node.type) {
    case "text":
      return escapeText(node.value);
    case "html":
      return escapeText(wordsOf(node));
    case "inlineCode":
      return code(node.value);
    case "strong":
      return marked(inlineMarkdown(node.children, definitions), "**");
    case "emphasis":
      return marked(inlineMarkdown(node.children, definitions), "*");
    case "delete":
      return marked(inlineMarkdown(node.children, definitions), "~~");
    case "break":
      return "\n";
    case "link":
      return link(node.url, plainWords(node.children));
    case "linkReference":
      return link(definitions.get(node.identifier)?.url ?? "", plainWords(node.children));
    case "image":
      return link(node.url, imageLabel(node.alt));
    case "imageReference":
      return link(definitions.get(node.identifier)?.url ?? "", imageLabel(node.alt));
    case "footnoteReference":
      return escapeText(wordsOf(node));
    default:
      return node satisfies never;
  }
}

/** Marks hold only beside the words themselves. */
function marked(text: string, mark: string): string {
  const [, before = "", said = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  return said === "" ? text : `${before}${mark}${said}${mark}${after}`;
}

/** Between one or two backticks, whichever does not stand in it: three begin a block. */
function code(text: string): string {
  const runs = new Set(text.match(/`+/g));
  const mark = ["`", "``"].find((each) => !runs.has(each));
  if (mark === undefined) return escapeText(text);
  // Discord takes away a space between two backticks, and shows any other.
  return `${mark}${text.startsWith("`") ? " " : ""}${text}${text.endsWith("`") ? " " : ""}${mark}`;
}

/** What may not be a link is shown with its address, so that nothing of the answer is lost. */
function link(url: string, label: string): string {
  const address = safeAddress(url);
  const name = label.trim() === "" ? url : label;
  if (address === undefined) return escapeText(url === "" || url === name ? name : `${name} (${url})`);
  const bare = address.replace(/^mailto:/, "");
  // The address itself, however it is written.
  if ([name, `http://${name}`].some((each) => safeAddress(each) === address)) return bare;
  if (bare === name || bare === `${name}/` || bare === `http://${name}` || address.startsWith("mailto:")) {
    return address.startsWith("mailto:") && bare !== name ? `${escapeText(name)} (${bare})` : bare;
  }
  // A label that is an address itself is no label to Discord, and to people it may be a lie.
  if (/https?:\/\//i.test(name) || isFalseLabel(name, address))
    return `${escapeText(name.replace(/^https?:\/\//i, ""))} (${address})`;
  return `[${escapeText(name.replaceAll(/\s+/g, " "))}](${address})`;
}

/** A name before the host is how an address pretends to be another one; no sign that would end the link is left in it. */
function safeAddress(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !SCHEMES.has(parsed.protocol)) return undefined;
  if (parsed.username !== "" || parsed.password !== "") return undefined;
  const address = parsed.href === `${url}/` ? url : parsed.href;
  const safe = address.replaceAll(
    /[<>()\s\\`|*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return safe.length > LONGEST_ADDRESS ? undefined : safe;
}
