/** The parts of one message of Slack's: its text, what was forwarded with it, and its files. */

import type { Part } from "../../core/part.ts";
import { isBlank } from "../../core/text.ts";
import { fieldsOf, listOf, numberOf, textOf, type Payload } from "./payload.ts";
import { readText, withoutAddress, type NameOf } from "./text.ts";

/** A message may carry more than anyone would read. */
const MOST_FORWARDED = 10;
const MOST_FILES = 20;

/** Never empty: a message without anything to read says so to the model. */
export function partsOf(message: Payload, bot: string, nameOf: NameOf): readonly Part[] {
  const written = textOf(message["text"]) ?? "";
  const text = readText(withoutAddress(written, bot), nameOf).trim();
  const attachments = listOf(message["attachments"]).slice(0, MOST_FORWARDED).map(fieldsOf);
  // What a link or an app adds below a text is not what the person wrote; without a text there is nothing else.
  const forwarded = isBlank(text) ? attachments : attachments.filter(isShared);
  const files = [message, ...forwarded].flatMap((holder) => listOf(holder["files"]));
  const parts: Part[] = [
    ...(isBlank(text) ? [] : [{ kind: "text", text } as const]),
    ...forwarded.flatMap((attachment) => quote(attachment, nameOf)),
    ...files.slice(0, MOST_FILES).map((file) => filePart(fieldsOf(file))),
  ];
  if (parts.length > 0) return parts;
  const what = isBlank(written) ? "nothing that can be read" : "only a mention of you";
  return [{ kind: "note", text: `The message holds ${what}.` }];
}

function isShared(attachment: Payload): boolean {
  return attachment["is_share"] === true || attachment["is_msg_unfurl"] === true;
}

function quote(attachment: Payload, nameOf: NameOf): readonly Part[] {
  const said = textOf(attachment["text"]) ?? textOf(attachment["fallback"]);
  if (said === undefined) return [];
  const author = textOf(attachment["author_id"]);
  const name = (author && nameOf(author)) ?? textOf(attachment["author_name"]) ?? "somebody";
  const from = textOf(attachment["from_url"]);
  const lines = readText(said, nameOf)
    .split("\n")
    .map((line) => `> ${line}`);
  const head = `Forwarded, written by ${name.replaceAll(/\s+/gu, " ")}${from === undefined ? "" : ` (${from})`}:`;
  return [{ kind: "text", text: [head, ...lines].join("\n") }];
}

function filePart(file: Payload): Part {
  const bytes = numberOf(file["size"]);
  return {
    kind: "file",
    id: textOf(file["id"]) ?? "unknown",
    name: textOf(file["name"]) ?? textOf(file["title"]) ?? "file",
    mimeType: textOf(file["mimetype"]) ?? "application/octet-stream",
    ...(bytes === undefined ? {} : { bytes }),
  };
}
