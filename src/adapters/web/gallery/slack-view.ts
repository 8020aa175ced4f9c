/**
 * Shows a message as Slack shows it, from what would be sent: its blocks, or its text where there are none. A small viewer of
 * what replies use; what it does not know it names instead of hiding.
 */

import { escapeHtml } from "../format.ts";
import { SAMPLE_IMAGE } from "./sample-image.ts";
import { fieldsIn, listIn, textIn, type Json } from "./json.ts";
import { mrkdwnView } from "./mrkdwn-view.ts";

/** HTML; `payload` is what `chat.postMessage` gets. */
export function slackView(payload: unknown): string {
  const { blocks, text, attachments, file } = fieldsIn(payload);
  if (file !== undefined) {
    const { title, isImage } = fieldsIn(file);
    const image = isImage === true ? `<img src="${SAMPLE_IMAGE}" alt="">` : "";
    return `<div class="s-file">${escapeHtml(textIn(title))}${image}</div>`;
  }
  const shown = listIn(blocks).map(blockView).join("");
  const boxes = listIn(attachments).map(attachmentView).join("");
  const body =
    shown === "" && boxes === "" ? `<div class="s-section">${mrkdwnView(textIn(text))}</div>` : shown;
  return `<div class="s-message">${body}${boxes}</div>`;
}

/** What a notification says. */
export function slackNotification(payload: unknown): string {
  return textIn(fieldsIn(payload)["text"]);
}

function attachmentView(attachment: Json): string {
  return `<div class="s-attachment">${listIn(attachment["blocks"]).map(blockView).join("")}</div>`;
}

function blockView(block: Json): string {
  switch (block["type"]) {
    case "rich_text":
      return `<div class="s-rich">${listIn(block["elements"]).map(richView).join("")}</div>`;
    case "section": {
      const fields = listIn(block["fields"]).map((field) => `<div>${textView(field)}</div>`);
      const accessory = block["accessory"] === undefined ? "" : elementView(fieldsIn(block["accessory"]));
      return `<div class="s-section">${textView(fieldsIn(block["text"]))}${fields.join("")}${accessory}</div>`;
    }
    case "header":
      return `<div class="s-header">${textView(fieldsIn(block["text"]))}</div>`;
    case "divider":
      return "<hr>";
    case "context":
    case "context_actions":
      return `<div class="s-context">${listIn(block["elements"]).map(elementView).join(" ")}</div>`;
    case "actions":
      return `<div class="s-actions">${listIn(block["elements"]).map(elementView).join("")}</div>`;
    case "image":
      return `<div class="s-image">Image: ${escapeHtml(textIn(block["alt_text"]))}</div>`;
    case "table":
      return tableView(block);
    case "plan":
      return planView(block);
    default:
      return unknown(block);
  }
}

function textView(text: Json): string {
  const words = textIn(text["text"]);
  return text["type"] === "mrkdwn" ? mrkdwnView(words) : lines(words);
}

function elementView(element: Json): string {
  switch (element["type"]) {
    case "plain_text":
    case "mrkdwn":
      return `<span>${textView(element)}</span>`;
    case "button":
      return `<span class="s-button" data-style="${escapeHtml(textIn(element["style"]))}">${textView(fieldsIn(element["text"]))}</span>`;
    case "feedback_buttons":
      return ["positive_button", "negative_button"]
        .map((name) => fieldsIn(fieldsIn(element[name])["text"]))
        .map((text) => `<span class="s-button">${textView(text)}</span>`)
        .join("");
    case "image":
      return `<span class="s-image">Image: ${escapeHtml(textIn(element["alt_text"]))}</span>`;
    default:
      return unknown(element);
  }
}

function richView(element: Json): string {
  const inner = (): string => listIn(element["elements"]).map(inlineView).join("");
  const border = element["border"] === 1 ? " s-border" : "";
  switch (element["type"]) {
    case "rich_text_section":
      return `<div class="s-section" dir="auto">${inner()}</div>`;
    case "rich_text_quote":
      return `<blockquote dir="auto">${inner()}</blockquote>`;
    case "rich_text_preformatted":
      return `<pre class="s-code${border}">${inner()}</pre>`;
    case "rich_text_list":
      return listView(element, border);
    default:
      return unknown(element);
  }
}

/** Slack's marks change with the level. */
const BULLETS = ["•", "◦", "▪"];

function listView(list: Json, border: string): string {
  const level = Number(list["indent"] ?? 0);
  const first = Number(list["offset"] ?? 0) + 1;
  const items = listIn(list["elements"]).map((item, index) => {
    const mark = list["style"] === "ordered" ? `${numberAt(first + index, level)}.` : BULLETS[level % 3];
    const words = listIn(item["elements"]).map(inlineView).join("");
    return `<li><span class="s-mark">${mark}</span><div dir="auto">${words}</div></li>`;
  });
  return `<ul class="s-list s-level-${level}${border}">${items.join("")}</ul>`;
}

/** Numbers, letters, Roman numerals, by the level. */
function numberAt(number: number, level: number): string {
  if (level % 3 === 1 && number <= 26) return String.fromCharCode(96 + number);
  if (level % 3 === 2 && number <= 10)
    return ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"][number - 1] ?? "";
  return `${number}`;
}

function inlineView(inline: Json): string {
  switch (inline["type"]) {
    case "text":
      return styled(lines(textIn(inline["text"])), fieldsIn(inline["style"]));
    case "link": {
      const label = textIn(inline["text"]) || textIn(inline["url"]);
      return styled(
        `<a title="${escapeHtml(textIn(inline["url"]))}">${lines(label)}</a>`,
        fieldsIn(inline["style"]),
      );
    }
    case "user":
      return `<span class="s-mention">@${escapeHtml(textIn(inline["user_id"]))}</span>`;
    case "emoji":
      return `:${escapeHtml(textIn(inline["name"]))}:`;
    default:
      return unknown(inline);
  }
}

function lines(text: string): string {
  return escapeHtml(text).replaceAll("\n", "<br>");
}

function styled(html: string, style: Json): string {
  let shown = html;
  if (style["code"] === true) shown = `<code>${shown}</code>`;
  if (style["strike"] === true) shown = `<del>${shown}</del>`;
  if (style["italic"] === true) shown = `<em>${shown}</em>`;
  return style["bold"] === true ? `<strong>${shown}</strong>` : shown;
}

function tableView(block: Json): string {
  const aligns = listIn(block["column_settings"]).map((column) => textIn(column["align"]));
  const rows = Array.isArray(block["rows"]) ? (block["rows"] as readonly unknown[]) : [];
  const shown = rows.map((row, at) => {
    const tag = at === 0 ? "th" : "td";
    const cells = listIn(row).map((cell, column) => {
      const inner =
        cell["type"] === "raw_text"
          ? escapeHtml(textIn(cell["text"]))
          : listIn(cell["elements"]).map(richView).join("");
      return `<${tag} class="to-${escapeHtml(aligns[column] ?? "left")}">${inner}</${tag}>`;
    });
    return `<tr>${cells.join("")}</tr>`;
  });
  return `<div class="s-table"><table>${shown.join("")}</table></div>`;
}

const TASK_SIGNS: Readonly<Record<string, string>> = { in_progress: "◌", complete: "✓", error: "!" };

function planView(block: Json): string {
  const tasks = listIn(block["tasks"]).map((task) => {
    const status = textIn(task["status"]);
    const sign = `<span class="s-sign" data-status="${escapeHtml(status)}">${TASK_SIGNS[status] ?? "·"}</span>`;
    return `<li>${sign}<span>${escapeHtml(textIn(task["title"]))}</span></li>`;
  });
  return `<div class="s-plan"><strong>${escapeHtml(textIn(block["title"]))}</strong><ul>${tasks.join("")}</ul></div>`;
}

function unknown(thing: Json): string {
  return `<div class="g-unknown">Not known to this viewer: ${escapeHtml(textIn(thing["type"]))}</div>`;
}
