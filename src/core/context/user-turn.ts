/** One user message of a request: what people said and what the bot notes beside it, with speakers kept apart. */

import type { UserEntry } from "../entry.ts";
import type { FilePart, ImagePart, Picture } from "../part.ts";
import type { ContentPart, ModelMessage } from "../ports/model.ts";
import { isBlank } from "../text.ts";
import { escapeHeaders, headerOf, NAMELESS_HEADER, onOneLine, SYSTEM_HEADER } from "./speaker.ts";

export interface UserTurn {
  addNote(text: string): void;
  addEntry(entry: UserEntry): void;
  /** Never without content: some servers refuse that. */
  message(): Extract<ModelMessage, { role: "user" }>;
}

/** @param textOf is applied to each text before it stands in the message (cleaning, shortening). */
export function openUserTurn(seesImages: boolean, textOf: (text: string) => string): UserTurn {
  const content: ContentPart[] = [];
  /** The header that the newest words stand under; undefined while nobody was named. */
  let under: string | undefined;

  // Neighbouring texts are joined: some chat templates print text parts with nothing between them.
  const write = (text: string): void => {
    const last = content.at(-1);
    if (last?.kind === "text")
      content[content.length - 1] = { kind: "text", text: `${last.text}\n\n${text}` };
    else content.push({ kind: "text", text });
  };
  const say = (header: string | undefined, text: string): void => {
    const said = escapeHeaders(textOf(text));
    const shown = isBlank(said) ? "(no text)" : said;
    write(header === undefined || header === under ? shown : `${header}\n${shown}`);
    under = header;
  };

  return {
    addNote: (text) => say(SYSTEM_HEADER, text),
    addEntry(entry) {
      const named = entry.author === undefined ? undefined : headerOf(entry.author);
      const speaker = (): string | undefined => named ?? (under === undefined ? undefined : NAMELESS_HEADER);
      // Each entry of a named person begins with its header, also where the one before is of the same person.
      if (named !== undefined) under = "";
      let said = false;
      for (const part of entry.parts) {
        switch (part.kind) {
          case "text":
            if (isBlank(part.text)) continue;
            say(speaker(), part.text);
            break;
          case "file":
            say(speaker(), fileLine(part));
            break;
          case "image": {
            const header = speaker();
            if (!seesImages) say(header, `${imageLine(part)} (this model cannot see images)`);
            else {
              if (header !== undefined && header !== under) write(header);
              under = header;
              content.push({ ...part });
            }
            break;
          }
          case "note":
            say(SYSTEM_HEADER, part.text);
            continue;
          default:
            part satisfies never;
        }
        said = true;
      }
      const isNoted = entry.author === undefined && entry.parts.some((part) => part.kind === "note");
      if (!said && !isNoted) say(speaker(), "");
    },
    message: () => ({ role: "user", content: [...content] }),
  };
}

function fileLine(file: FilePart): string {
  const facts = [
    `file ${onOneLine(file.name, 200)}`,
    onOneLine(file.mimeType, 100),
    ...(file.bytes === undefined ? [] : [`${file.bytes} bytes`]),
    `id ${onOneLine(file.id, 100)}`,
  ];
  return `[${facts.join(", ")}]`;
}

/** What stands for an image where only text can. */
export function imageLine({ name, mimeType, data }: ImagePart): string {
  return lineOf(name, mimeType, Math.floor((data.length * 3) / 4));
}

export function pictureLine({ alt, mimeType, bytes }: Picture): string {
  return lineOf(alt, mimeType, bytes);
}

function lineOf(name: string | undefined, mimeType: string, bytes: number): string {
  const named = name === undefined ? "" : ` ${onOneLine(name, 200)}`;
  return `[image${named}, ${onOneLine(mimeType, 100)}, ${bytes} bytes]`;
}
