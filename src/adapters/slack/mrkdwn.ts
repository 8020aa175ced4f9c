/** Rich text as Slack's older markup: for notifications and search, and for a message whose blocks were refused. */

import type { RichElement, RichInline, RichPart, RichStyle, RichTable } from "./rich-text.ts";

/** Slack's three entities, once each. */
export function escapeSigns(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** How long a text gets by the escapes alone. */
export function escapedLength(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === "&") length += 4;
    else if (sign === "<" || sign === ">") length += 3;
  }
  return length;
}

/** Holds no control sequence but links and the mentions that are in the rich text. */
export function mrkdwnOf(parts: readonly RichPart[]): string {
  return parts
    .flatMap((part): readonly string[] => {
      if (part.type === "table") return part.rows.map(rowText);
      return [part.type === "header" ? `\n*${escapeSigns(part.text)}*\n` : blockText(part)];
    })
    .reduce((text, block) => `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${block}`, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** No name of a column stands in a row: that would be more text than the table has, and nobody may ever see it. */
function rowText(cells: RichTable["rows"][number]): string {
  return cells.map((cell) => inlineText(cell).replaceAll("\n", " ")).join(" · ");
}

function blockText(element: RichElement): string {
  switch (element.type) {
    case "rich_text_section":
      return inlineText(element.elements);
    case "rich_text_quote":
      return quoted(inlineText(element.elements));
    case "rich_text_preformatted": {
      const code = element.elements.map(({ text }) => text).join("");
      // A fence in the code would end the block.
      const fenced = `\`\`\`\n${escapeSigns(code).replaceAll("```", "``\u200B`")}\n\`\`\``;
      return element.border === 1 ? quoted(fenced) : fenced;
    }
    case "rich_text_list": {
      const pad = "    ".repeat(element.indent);
      const first = (element.offset ?? 0) + 1;
      const lines = element.elements.map((item, index) => {
        const mark = element.style === "ordered" ? `${first + index}.` : "•";
        return `${pad}${mark} ${inlineText(item.elements).replaceAll("\n", `\n${pad}  `)}`;
      });
      return element.border === 1 ? quoted(lines.join("\n")) : lines.join("\n");
    }
    default:
      return element satisfies never;
  }
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

function inlineText(inlines: readonly RichInline[]): string {
  return inlines.map(inlineMarkup).join("");
}

function inlineMarkup(inline: RichInline): string {
  switch (inline.type) {
    case "text":
      return marked(escapeSigns(inline.text), inline.style);
    case "link": {
      const url = escapeSigns(inline.url);
      // A bar or a line break would end the label.
      const label = escapeSigns(inline.text ?? "").replaceAll(/[|\n]/g, " ");
      return marked(label === "" ? `<${url}>` : `<${url}|${label}>`, inline.style);
    }
    case "user":
      return `<@${inline.user_id}>`;
    default:
      return inline satisfies never;
  }
}

/** Marks hold only beside the words themselves, and not over lines. */
function marked(text: string, style: RichStyle | undefined): string {
  if (style === undefined) return text;
  const signs = [
    ...(style.bold === true ? ["*"] : []),
    ...(style.italic === true ? ["_"] : []),
    ...(style.strike === true ? ["~"] : []),
    ...(style.code === true ? ["`"] : []),
  ];
  const open = signs.join("");
  const close = signs.toReversed().join("");
  return text
    .split("\n")
    .map((line) =>
      line.replace(/^(\s*)(.*?)(\s*)$/, (_, before: string, said: string, after: string) =>
        said === "" ? before + after : `${before}${open}${said}${close}${after}`,
      ),
    )
    .join("\n");
}
