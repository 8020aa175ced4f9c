/** The parts of one message of Discord's: its text, what was forwarded with it, and its files. */

import type { APIAttachment, APIMessage, APIUser } from "discord-api-types/v10";
import type { Part } from "../../core/part.ts";
import { isBlank } from "../../core/text.ts";
import { readText, withoutAddress, type Named } from "./text.ts";

/** A message may carry more than anyone would read. */
const MOST_FILES = 20;

export interface PartsReading {
  readonly user: string;
  /** The bot's own role in the guild. */
  readonly role: string | undefined;
  channelName(id: string): string | undefined;
}

type Message = Pick<
  APIMessage,
  "content" | "attachments" | "mentions" | "message_snapshots" | "sticker_items"
>;

export function nameOf(user: Pick<APIUser, "global_name" | "username">, nick?: string | null): string {
  return nick || user.global_name || user.username;
}

/** Never empty: a message without anything to read says so to the model. */
export function partsOf(message: Message, reading: PartsReading): readonly Part[] {
  const named = namedIn(message, reading);
  const text = readText(withoutAddress(message.content, reading.user, reading.role), named).trim();
  const forwarded = (message.message_snapshots ?? []).map((snapshot) => snapshot.message);
  const files = [message, ...forwarded].flatMap(({ attachments }) => attachments ?? []);
  const stickers = (message.sticker_items ?? []).map(({ name }) => `[sticker ${name}]`);
  const texts = [
    text,
    ...forwarded.flatMap(({ content }) => (isBlank(content) ? [] : [quoted(readText(content, named))])),
    ...stickers,
  ];
  const parts: Part[] = [
    ...texts.filter((one) => !isBlank(one)).map((one) => ({ kind: "text", text: one }) as const),
    ...files.slice(0, MOST_FILES).map(filePart),
  ];
  if (parts.length > 0) return parts;
  const what = isBlank(message.content) ? "nothing that can be read" : "only a mention of you";
  return [{ kind: "note", text: `The message holds ${what}.` }];
}

export function namedIn(
  message: Pick<APIMessage, "mentions">,
  reading: Pick<PartsReading, "channelName">,
): Named {
  return {
    user(id) {
      const found = (message.mentions ?? []).find((one) => one.id === id);
      return found === undefined ? undefined : nameOf(found);
    },
    channel: (id) => reading.channelName(id),
  };
}

function quoted(text: string): string {
  return ["Forwarded:", ...text.split("\n").map((line) => `> ${line}`)].join("\n");
}

function filePart({ id, filename, size, content_type: type }: APIAttachment): Part {
  return { kind: "file", id, name: filename, mimeType: type ?? "application/octet-stream", bytes: size };
}
