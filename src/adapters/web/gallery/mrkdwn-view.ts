/** Slack's older markup as HTML, for blocks and messages that use it. */

import { escapeHtml } from "../format.ts";

const PIECE =
  /```(?<block>[\s\S]*?)```|`(?<code>[^`\n]+)`|<(?<address>[^<>|\n]+)(?:\|(?<label>[^<>\n]*))?>|(?<![\p{L}\p{N}])\*(?<bold>[^*\n]+)\*(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])_(?<italic>[^_\n]+)_(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])~(?<strike>[^~\n]+)~(?![\p{L}\p{N}])/gu;

export function mrkdwnView(text: string): string {
  let html = "";
  let at = 0;
  for (const found of text.matchAll(PIECE)) {
    html += words(text.slice(at, found.index)) + pieceView(found.groups ?? {});
    at = found.index + found[0].length;
  }
  return html + words(text.slice(at));
}

function pieceView(groups: Readonly<Record<string, string | undefined>>): string {
  const { block, code, address, label, bold, italic, strike } = groups;
  if (block !== undefined) return `<pre class="s-code">${words(block.replace(/^\n|\n$/g, ""))}</pre>`;
  if (code !== undefined) return `<code>${words(code)}</code>`;
  if (bold !== undefined) return `<strong>${mrkdwnView(bold)}</strong>`;
  if (italic !== undefined) return `<em>${mrkdwnView(italic)}</em>`;
  if (strike !== undefined) return `<del>${mrkdwnView(strike)}</del>`;
  if (address === undefined) return "";
  // What Slack acts upon: everybody has to see that it does.
  if (/^[@!#]/.test(address)) return `<span class="s-mention">${words(label ?? address)}</span>`;
  return `<a title="${words(address)}">${words(label ?? address)}</a>`;
}

/** Slack knows three entities. */
function words(text: string): string {
  const plain = text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  return escapeHtml(plain).replaceAll("\n", "<br>");
}
