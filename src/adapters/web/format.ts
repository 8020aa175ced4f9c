/**
 * Markdown of a model, which may be hostile, to HTML that is safe to show: the tags below and no others. Raw HTML is shown
 * as text, a link is one only where it leads to the open web or to mail, and nothing is ever loaded from elsewhere.
 */

import type {
  Definition,
  FootnoteDefinition,
  FootnoteReference,
  List,
  ListItem,
  Nodes,
  Parents,
  Table,
} from "mdast";
import { isFalseLabel } from "../../core/reply/link-label.ts";
import { markdownTree, saysNothing } from "../../core/reply/markdown-tree.ts";
import { plainWords } from "../../core/reply/plain-words.ts";
import { colouredCode } from "./code-colours.ts";

/** Beyond it markdown is shown as plain text: far more than a page, and a bound on what hostile text can cost. */
const LONGEST = 60_000;
/** Lists and quotes nested deeper than any person writes are shown as text, so that no text can exhaust the stack. */
const DEEPEST = 40;
const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

interface Context {
  readonly definitions: ReadonlyMap<string, Definition>;
  readonly depth: number;
}

/** Never throws. The answer is HTML for the inside of a block element. */
export function htmlOf(markdown: string): string {
  if (saysNothing(markdown)) return "";
  const tree = markdownTree(markdown, { deepest: DEEPEST, longest: LONGEST });
  if (tree === undefined) return plain(markdown);
  return inside(tree.root, { definitions: tree.definitions, depth: 0 });
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function plain(text: string): string {
  return `<p class="plain">${escapeHtml(text)}</p>`;
}

function inside(node: Parents, context: Context): string {
  if (context.depth >= DEEPEST) return escapeHtml(textOf(node));
  const deeper = { ...context, depth: context.depth + 1 };
  return node.children.map((child) => shown(child, deeper)).join("");
}

function shown(node: Nodes, context: Context): string {
  switch (node.type) {
    case "root":
      return `<div>${inside(node, context)}</div>`;
    case "footnoteDefinition":
      return `<div>${footnote(node, context)}</div>`;
    case "paragraph":
      return `<p>${inside(node, context)}</p>`;
    case "heading": {
      // The page has the first two levels.
      const level = Math.min(6, node.depth + 2);
      return `<h${level}>${inside(node, context)}</h${level}>`;
    }
    case "blockquote":
      return `<blockquote dir="auto">${inside(node, context)}</blockquote>`;
    case "list":
      return list(node, context);
    case "listItem":
      return listItem(node, false, context);
    case "code":
      return code(node.value, node.lang ?? "");
    case "table":
      return table(node, context);
    case "tableRow":
    case "tableCell":
      return inside(node, context);
    case "thematicBreak":
      return "<hr>";
    case "text":
    case "html":
      return escapeHtml(node.value);
    case "inlineCode":
      return `<code>${escapeHtml(node.value)}</code>`;
    case "emphasis":
      return `<em>${inside(node, context)}</em>`;
    case "strong":
      return `<strong>${inside(node, context)}</strong>`;
    case "delete":
      return `<del>${inside(node, context)}</del>`;
    case "break":
      return "<br>";
    case "link":
      return link(node.url, plainWords(node.children), inside(node, context));
    case "linkReference":
      return link(
        context.definitions.get(node.identifier)?.url,
        plainWords(node.children),
        inside(node, context),
      );
    case "image":
      return image(node.url, node.alt);
    case "imageReference":
      return image(context.definitions.get(node.identifier)?.url, node.alt);
    case "footnoteReference":
      return footnoteNumber(node);
    case "definition":
    case "yaml":
      return "";
    default:
      return node satisfies never;
  }
}

function footnoteNumber({ label, identifier }: FootnoteReference | FootnoteDefinition): string {
  return `<sup>${escapeHtml(label ?? identifier)}</sup>`;
}

/** Its number stands on the line of its first words. */
function footnote(node: FootnoteDefinition, context: Context): string {
  const [first, ...rest] = node.children;
  const number = footnoteNumber(node);
  if (first?.type !== "paragraph") return `<p>${number}</p>${inside(node, context)}`;
  const words = `<p>${number} ${inside(first, context)}</p>`;
  return words + rest.map((child) => shown(child, context)).join("");
}

function list(node: List, context: Context): string {
  const items = node.children.map((item) => listItem(item, node.spread !== true, context)).join("");
  if (node.ordered !== true) return `<ul dir="auto">${items}</ul>`;
  const start = node.start ?? 1;
  return `<ol dir="auto"${start === 1 ? "" : ` start="${start}"`}>${items}</ol>`;
}

/** In a tight list the text of an item stands without a paragraph, as CommonMark has it. */
function listItem(item: ListItem, isTight: boolean, context: Context): string {
  if (context.depth >= DEEPEST) return `<li>${escapeHtml(textOf(item))}</li>`;
  const deeper = { ...context, depth: context.depth + 1 };
  const content = item.children
    .map((child) => (isTight && child.type === "paragraph" ? inside(child, deeper) : shown(child, deeper)))
    .join("");
  if (typeof item.checked !== "boolean") return `<li>${content}</li>`;
  const box = `<input type="checkbox" disabled${item.checked ? " checked" : ""}>`;
  return `<li class="task">${box}<div>${content}</div></li>`;
}

function code(text: string, language: string): string {
  const label = escapeHtml(language.slice(0, 30));
  return (
    `<div class="code"><div class="code-bar"><span>${label}</span>` +
    `<button type="button" class="quiet" data-copy>Copy</button></div>` +
    `<pre tabindex="0"><code>${colouredCode(text, language.toLowerCase()) ?? escapeHtml(text)}</code></pre></div>`
  );
}

function table(node: Table, context: Context): string {
  const row = (cells: Table["children"][number], tag: "th" | "td"): string => {
    const content = cells.children.map((cell, column) => {
      const align = node.align?.[column];
      return `<${tag}${align == null ? "" : ` class="to-${align}"`}>${inside(cell, context)}</${tag}>`;
    });
    return `<tr>${content.join("")}</tr>`;
  };
  const [head, ...body] = node.children;
  const top = head === undefined ? "" : `<thead>${row(head, "th")}</thead>`;
  const rest = body.map((cells) => row(cells, "td")).join("");
  return `<div class="table" role="region" aria-label="Table" tabindex="0"><table>${top}<tbody>${rest}</tbody></table></div>`;
}

/** The chat's own threads, as `threadPath` writes them, and the admin pages. */
const OWN_PAGE = /^\/(?:threads\/web%3A[A-Za-z0-9%._-]+(?:\/transcript)?|admin\/)$/;

/** @param words what people read of the label, which is HTML. */
function link(url: string | undefined, words: string, label: string): string {
  if (url !== undefined && OWN_PAGE.test(url)) return `<a href="${escapeHtml(url)}">${label}</a>`;
  const address = safeAddress(url);
  if (address === undefined) return label;
  if (!isFalseLabel(words, address)) return anchor(address, label);
  const itself = anchor(address, escapeHtml(address));
  return safeAddress(words) === address ? itself : `${label} (${itself})`;
}

function anchor(address: string, label: string): string {
  return `<a href="${escapeHtml(address)}" target="_blank" rel="noopener noreferrer nofollow">${label}</a>`;
}

/** Never an `img`: to load it would tell its server, with whatever the model put into the address. */
function image(url: string | undefined, alt: string | null | undefined): string {
  const words = alt == null || alt.trim() === "" ? "Image" : `Image: ${alt}`;
  const label = escapeHtml(words);
  return safeAddress(url) === undefined ? `<span>${label}</span>` : link(url, words, label);
}

/** A name before the host is how an address pretends to be another one, so it makes no link. */
function safeAddress(url: string | undefined): string | undefined {
  const parsed = url === undefined ? null : URL.parse(url);
  if (parsed === null || !SCHEMES.has(parsed.protocol)) return undefined;
  return parsed.username === "" && parsed.password === "" ? parsed.href : undefined;
}

/** All text below a node, without recursion. */
function textOf(node: Nodes): string {
  const waiting: Nodes[] = [node];
  const text: string[] = [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if ("value" in next) text.push(next.value);
    if ("children" in next) waiting.push(...next.children.toReversed());
  }
  return text.join(" ");
}
