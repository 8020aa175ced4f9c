// What a person reads in a message: the blocks where there are any, else the text; entities decoded, tokens in plain words,
// formatting marks left as they are. And what a person can press.
import type { JsonObject, StoredMessage } from "./message.ts";

export interface SeenControl {
  readonly type: string;
  /** A button's label, or a menu's placeholder. */
  readonly text: string;
  readonly actionId: string;
  readonly blockId: string | undefined;
  readonly value: string | undefined;
  readonly style: string | undefined;
  readonly url: string | undefined;
  /** What a menu offers, and which of it stands chosen. */
  readonly options: readonly string[];
  readonly chosen: string | undefined;
}

type Readable = Pick<StoredMessage, "text" | "blocks" | "attachments">;

export function readable(message: Readable): string {
  const blocks = message.blocks ?? [];
  const body = blocks.length > 0 ? linesOf(blocks.map(blockText)) : mrkdwnText(message.text);
  const attached = (message.attachments ?? []).map((attachment) =>
    linesOf([
      ...objectsIn(attachment["blocks"]).map(blockText),
      ...["pretext", "title", "text"].map((key) => mrkdwnText(stringIn(attachment, key))),
    ]),
  );
  return linesOf([body, ...attached]);
}

/** Slack's own markup as words: `<@U1>` is `@U1`, `<https://a.example|here>` is `here (https://a.example)`. */
export function mrkdwnText(text: string): string {
  return decodeEntities(
    text.replace(/<([^<>]*)>/g, (_, token: string) => {
      const [target = "", label] = token.split("|", 2);
      if (target.startsWith("@") || target.startsWith("#")) return label ? `${target[0]}${label}` : target;
      if (target.startsWith("!subteam^")) return label ?? `@${target.slice("!subteam^".length)}`;
      if (target.startsWith("!")) return label ?? `@${target.slice(1)}`;
      return label === undefined || label === target ? target : `${label} (${target})`;
    }),
  );
}

export function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_, name: string) => ({ amp: "&", lt: "<", gt: ">" })[name] ?? "");
}

/** Buttons, menus and the like, in the order in which they stand. */
export function controlsOf(blocks: readonly JsonObject[] | undefined): SeenControl[] {
  return (blocks ?? []).flatMap((block) => {
    const elements = [...objectsIn(block["elements"]), ...objectsIn([block["accessory"], block["element"]])];
    return elements
      .filter((element) => typeof element["action_id"] === "string")
      .map((element) => ({
        type: stringIn(element, "type"),
        text: textOf(element["text"]) || textOf(element["placeholder"]),
        actionId: stringIn(element, "action_id"),
        blockId: optionalString(block["block_id"]),
        value: optionalString(element["value"]),
        style: optionalString(element["style"]),
        url: optionalString(element["url"]),
        options:
          element["type"] === "feedback_buttons"
            ? objectsIn([element["positive_button"], element["negative_button"]]).map((one) =>
                stringIn(one, "value"),
              )
            : objectsIn(element["options"]).map((option) => stringIn(option, "value")),
        chosen: optionalString(objectsIn([element["initial_option"]])[0]?.["value"]),
      }));
  });
}

export function blockText(block: JsonObject): string {
  switch (block["type"]) {
    case "section":
      return linesOf([textOf(block["text"]), ...objectsIn(block["fields"]).map(textOf)]);
    case "header":
      return textOf(block["text"]);
    case "markdown":
      return stringIn(block, "text");
    case "divider":
      return "---";
    case "context":
      return objectsIn(block["elements"])
        .map((element) => (element["type"] === "image" ? stringIn(element, "alt_text") : textOf(element)))
        .join(" ");
    case "image":
      return `[${stringIn(block, "alt_text")}]`;
    case "input":
      return textOf(block["label"]);
    case "rich_text":
      return objectsIn(block["elements"]).map(richText).join("");
    case "plan":
      return linesOf(objectsIn(block["tasks"]).map(blockText));
    case "task_card":
      return stringIn(block, "title");
    case "table":
      return (Array.isArray(block["rows"]) ? (block["rows"] as unknown[]) : [])
        .map((row) => objectsIn(row).map(cellText).join(" | "))
        .join("\n");
    default:
      return "";
  }
}

function cellText(cell: JsonObject): string {
  return cell["type"] === "rich_text" ? blockText(cell).trim() : stringIn(cell, "text");
}

function richText(element: JsonObject): string {
  const inner = (): string => objectsIn(element["elements"]).map(richText).join("");
  switch (element["type"]) {
    case "rich_text_list":
      return objectsIn(element["elements"])
        .map((item) => `- ${richText(item)}\n`)
        .join("");
    case "rich_text_preformatted":
    case "rich_text_quote":
    case "rich_text_section":
      return inner();
    case "text":
      return stringIn(element, "text");
    case "link":
      return stringIn(element, "text") || stringIn(element, "url");
    case "user":
      return `@${stringIn(element, "user_id")}`;
    case "usergroup":
      return `@${stringIn(element, "usergroup_id")}`;
    case "broadcast":
      return `@${stringIn(element, "range")}`;
    case "channel":
      return `#${stringIn(element, "channel_id")}`;
    case "date":
      return stringIn(element, "fallback") || "(a date)";
    case "emoji":
      return `:${stringIn(element, "name")}:`;
    default:
      return "";
  }
}

function textOf(composition: unknown): string {
  if (typeof composition !== "object" || composition === null) return "";
  const { type, text } = composition as { type?: unknown; text?: unknown };
  if (typeof text !== "string") return "";
  return type === "mrkdwn" ? mrkdwnText(text) : text;
}

/** The objects of a list; everything else is left out. */
export function objectsIn(list: unknown): JsonObject[] {
  if (!Array.isArray(list)) return [];
  return list.filter((item): item is JsonObject => typeof item === "object" && item !== null);
}

export function stringIn(object: JsonObject, key: string): string {
  return optionalString(object[key]) ?? "";
}

function optionalString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function linesOf(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}
