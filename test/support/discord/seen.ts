// What a person has on the screen: the messages of a channel, from the state and from nothing else.
import type { JsonObject, StoredMessage, Version } from "./model.ts";
import type { Platform } from "./platform.ts";
import { readable } from "./rendering.ts";

export interface SeenButton {
  readonly customId: string;
  readonly label: string;
}

export interface SeenMessage {
  readonly id: string;
  readonly channel: string;
  readonly author: string;
  readonly authorId: string;
  /** As it is read; `content` is what stands on the wire. */
  readonly text: string;
  readonly content: string;
  readonly buttons: readonly SeenButton[];
  /** Names of the files in it. */
  readonly files: readonly string[];
  /** What the bot's files say. */
  readonly fileTexts: readonly string[];
  readonly isEdited: boolean;
  readonly isDeleted: boolean;
  readonly flags: number;
  readonly versions: readonly Version[];
}

export function seen({ state }: Platform, message: StoredMessage): SeenMessage {
  return {
    id: message.id,
    channel: message.channel,
    author: state.profiles.get(message.author)?.name ?? message.author,
    authorId: message.author,
    text: readable(message.content),
    content: message.content,
    buttons: buttonsOf(message.components),
    files: message.attachments.map((file) => String(file["filename"])),
    fileTexts: message.attachments.map((file) => state.texts.get(String(file["id"])) ?? ""),
    isEdited: message.editedAtMs !== undefined,
    isDeleted: message.isDeleted,
    flags: message.flags,
    versions: message.versions,
  };
}

function buttonsOf(rows: readonly JsonObject[]): readonly SeenButton[] {
  return rows
    .flatMap((row) => (Array.isArray(row["components"]) ? (row["components"] as readonly JsonObject[]) : []))
    .map((button) => ({ customId: String(button["custom_id"]), label: String(button["label"]) }));
}
