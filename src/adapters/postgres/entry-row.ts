/** Entries between their rows and the vocabulary. Every version that was ever stored is read here. */

import type { AssistantEntry, Entry, EntryBody, Offer, ToolCall, UserEntry } from "../../core/entry.ts";
import type { Author } from "../../core/inbound.ts";
import type { InboundId, RunId } from "../../core/ids.ts";
import type { ImagePart, Part, Picture } from "../../core/part.ts";
import { cleanJson } from "../../core/text.ts";
import { toButton, toPicture } from "./page-json.ts";
import { fieldsOf, listOf, numberOf, optional, StoredJsonError, textOf } from "./stored-json.ts";

/** A row as `ENTRY_JSON` builds it: seq, epoch, run, round, body. */
export type EntryRow = readonly [
  seq: number,
  epoch: number,
  run: string | null,
  round: number | null,
  body: unknown,
];

/** The SQL expression for an `EntryRow` of the row `e`. An array: an object's names took a third of a claim's time. */
export const ENTRY_JSON = `json_build_array(e.seq, e.epoch, e.run, e.round, e.body)`;

/** Built up and not spread together, as all that a claim reads by the hundred. */
export function toEntry([seq, epoch, run, round, body]: EntryRow): Entry {
  const entry: Mutable<Entry> = { seq, epoch, body: toEntryBody(body) };
  if (run !== null) entry.run = run as RunId;
  if (round !== null) entry.round = round;
  return entry;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The JSON text of bodies for a parameter; what Postgres would refuse is replaced at every depth. */
export function entriesText(bodies: readonly EntryBody[]): string {
  return JSON.stringify(cleanJson(bodies));
}

function toEntryBody(value: unknown): EntryBody {
  const body = fieldsOf(value, "entry");
  switch (body["kind"]) {
    case "user": {
      const { author, inbound } = body;
      const user: Mutable<UserEntry> = { v: 1, kind: "user", parts: toParts(body["parts"]) };
      if (isThere(author)) user.author = toAuthor(author);
      if (isThere(inbound)) user.inbound = textOf(inbound, "inbound") as InboundId;
      return user;
    }
    case "assistant": {
      const { images, pictures, reasoning, interrupted, cut } = body;
      const calls = listOf(body["calls"], "calls").map(toCall);
      const reply: Mutable<AssistantEntry> = {
        v: 1,
        kind: "assistant",
        text: textOf(body["text"], "text"),
        calls,
      };
      if (isThere(images)) reply.images = toImages(images);
      if (isThere(pictures)) reply.pictures = toPictures(pictures);
      if (isThere(reasoning)) reply.reasoning = textOf(reasoning, "reasoning");
      if (interrupted === true) reply.interrupted = true;
      if (cut === true) reply.cut = true;
      return reply;
    }
    case "tool":
      return {
        v: 1,
        kind: "tool",
        call: textOf(body["call"], "call"),
        name: textOf(body["name"], "name"),
        ok: body["ok"] === true,
        content: textOf(body["content"], "content"),
        ...optional(body, "images", toImages),
        ...optional(body, "pictures", toPictures),
        ...optional(body, "durationMs", numberOf),
        ...offerIn(body["offer"]),
      };
    case "note":
      return { v: 1, kind: "note", text: textOf(body["text"], "text") };
    case "summary":
      return {
        v: 1,
        kind: "summary",
        text: textOf(body["text"], "text"),
        upTo: numberOf(body["upTo"], "upTo"),
      };
    default:
      throw new StoredJsonError(`entry kind ${String(body["kind"])}`);
  }
}

/** One with a button that only a newer version knows is left out. */
function offerIn(value: unknown): { readonly offer?: Offer } {
  if (!isThere(value)) return {};
  const { markdown, button } = fieldsOf(value, "offer");
  const [known] = toButton(button);
  return known === undefined ? {} : { offer: { markdown: textOf(markdown, "markdown"), button: known } };
}

export function toAuthor(value: unknown): Author {
  const author = fieldsOf(value, "author");
  return { id: textOf(author["id"], "author id"), name: textOf(author["name"], "author name") };
}

export function toParts(value: unknown): readonly Part[] {
  return listOf(value, "parts").map(toPart);
}

function toPart(value: unknown): Part {
  const part = fieldsOf(value, "part");
  switch (part["kind"]) {
    case "text":
      return { kind: "text", text: textOf(part["text"], "text") };
    case "note":
      return { kind: "note", text: textOf(part["text"], "text") };
    case "image":
      return toImage(part);
    case "file":
      return {
        kind: "file",
        id: textOf(part["id"], "file id"),
        name: textOf(part["name"], "file name"),
        mimeType: textOf(part["mimeType"], "mimeType"),
        ...optional(part, "bytes", numberOf),
      };
    default:
      throw new StoredJsonError(`part kind ${String(part["kind"])}`);
  }
}

function toImages(value: unknown): readonly ImagePart[] {
  return listOf(value, "images").map(toImage);
}

function toImage(value: unknown): ImagePart {
  const image = fieldsOf(value, "image");
  return {
    kind: "image",
    mimeType: textOf(image["mimeType"], "mimeType"),
    data: textOf(image["data"], "data"),
    ...optional(image, "name", textOf),
  };
}

function toPictures(value: unknown): readonly Picture[] {
  return listOf(value, "pictures").map(toPicture);
}

function toCall(value: unknown): ToolCall {
  const call = fieldsOf(value, "call");
  return {
    id: textOf(call["id"], "call id"),
    name: textOf(call["name"], "call name"),
    arguments: textOf(call["arguments"], "arguments"),
  };
}

/** As `optional` has it: a null counts as absent. */
function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}
