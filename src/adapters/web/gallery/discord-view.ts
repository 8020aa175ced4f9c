/**
 * Shows a message as Discord shows it, from what would be sent: its content in Discord's own dialect of markdown, and its
 * buttons. What the dialect does not know (tables, images, deeper headings) stays as raw as people would see it there.
 */

import { escapeHtml } from "../format.ts";
import { discordInline } from "./discord-inline.ts";
import { SAMPLE_IMAGE } from "./sample-image.ts";
import { fieldsIn, listIn, textIn, type Json } from "./json.ts";

/** HTML; `payload` is the body of Create Message. */
export function discordView(payload: unknown): string {
  const { content, components, file } = fieldsIn(payload);
  if (file !== undefined) {
    const { name, isImage } = fieldsIn(file);
    if (isImage === true) return `<div class="d-message"><img src="${SAMPLE_IMAGE}" alt=""></div>`;
    return `<div class="d-file">${escapeHtml(textIn(name))}</div>`;
  }
  const rows = listIn(components).map(componentView).join("");
  return `<div class="d-message" dir="auto">${contentView(textIn(content))}${rows}</div>`;
}

function componentView(component: Json): string {
  switch (component["type"]) {
    case 1:
      return `<div class="d-row">${listIn(component["components"]).map(componentView).join("")}</div>`;
    case 2:
      return `<span class="d-button" data-style="${Number(component["style"])}">${escapeHtml(textIn(component["label"]))}</span>`;
    case 10:
      return contentView(textIn(component["content"]));
    case 14:
      return "<hr>";
    case 17:
      return `<div class="d-container">${listIn(component["components"]).map(componentView).join("")}</div>`;
    default:
      return `<div class="g-unknown">Not known to this viewer: component ${Number(component["type"])}</div>`;
  }
}

const FENCE = /```(?:([\w+#.-]+)\n)?\n?([\s\S]*?)\n?```/g;

function contentView(content: string): string {
  let html = "";
  let at = 0;
  for (const found of content.matchAll(FENCE)) {
    html += linesView(content.slice(at, found.index).replace(/\n$/, ""));
    html += `<pre class="d-code">${escapeHtml(found[2] ?? "")}</pre>`;
    at = found.index + found[0].length;
    // The line break behind a block belongs to it.
    if (content.charAt(at) === "\n") at++;
  }
  return html + linesView(content.slice(at));
}

function linesView(text: string): string {
  if (text === "") return "";
  const html: string[] = [];
  const lines = text.split("\n");
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const quoted: string[] = [];
    while ((lines[index + quoted.length] ?? "").startsWith("> "))
      quoted.push((lines[index + quoted.length] ?? "").slice(2));
    if (quoted.length > 0) {
      // A quote in a quote is none there: its marks are shown.
      html.push(`<blockquote>${quoted.map(lineView).join("")}</blockquote>`);
      index += quoted.length - 1;
    } else html.push(lineView(line));
  }
  return html.join("");
}

function lineView(line: string): string {
  const heading = /^(#{1,3}) +(.+)$/.exec(line);
  if (heading !== null)
    return `<div class="d-h${(heading[1] ?? "").length}">${discordInline(heading[2] ?? "")}</div>`;
  const small = /^-# +(.+)$/.exec(line);
  if (small !== null) return `<div class="d-small">${discordInline(small[1] ?? "")}</div>`;
  const item = /^( *)(?:([-*])|(\d{1,9})\.) +(.*)$/.exec(line);
  if (item !== null) {
    const level = Math.min(10, Math.floor((item[1] ?? "").length / 2));
    const mark = item[2] === undefined ? `${item[3] ?? ""}.` : level % 2 === 0 ? "•" : "◦";
    return `<div class="d-item d-level-${level}"><span class="d-mark">${mark}</span><div>${discordInline(item[4] ?? "")}</div></div>`;
  }
  const inside = /^( {2,})(.*)$/.exec(line);
  if (inside !== null) {
    const level = Math.min(10, Math.floor((inside[1] ?? "").length / 2) - 1);
    return `<div class="d-item d-level-${level}"><span class="d-mark"></span><div>${discordInline(inside[2] ?? "")}</div></div>`;
  }
  return line === "" ? `<div class="d-gap"></div>` : `<div>${discordInline(line)}</div>`;
}
