/** What a tool returned, as text: always a string, whatever it was, and for the model never longer than the cap. */

import { NO_OUTPUT } from "../context/replayed-calls.ts";
import type { ImagePart } from "../part.ts";
import { cleanText, headOf, isBlank, tailOf } from "../text.ts";

/** More of one result than anybody looks at. */
const MOST_IMAGES = 20;
/** Of all images of a result together; one that finds no room is told of without its bytes. */
export const MOST_IMAGE_BYTES = 16_000_000;

export interface ResultText {
  readonly ok: boolean;
  /** Never blank, clean, whole. */
  readonly text: string;
  /** For people. Absent for none. */
  readonly images?: readonly ImagePart[];
}

/** Accepts a `ToolOutput`, content blocks as MCP servers send them, or any value at all. */
export function textOfResult(value: unknown): ResultText {
  const output = outputOf(value);
  if (output === undefined) return { ok: true, text: orPlaceholder(textOfValue(value)) };
  const text =
    typeof output.content === "string" ? output.content : output.content.map(textOfBlock).join("\n");
  const images = typeof output.content === "string" ? [] : output.content.flatMap(imageOfBlock);
  return {
    ok: output.isError !== true,
    text: orPlaceholder(text),
    ...(images.length === 0 ? {} : { images: withinRoom(images.slice(0, MOST_IMAGES)) }),
  };
}

function withinRoom(images: readonly ImagePart[]): readonly ImagePart[] {
  let room = MOST_IMAGE_BYTES;
  return images.map((image) => {
    const bytes = (image.data.length * 3) / 4;
    if (bytes > room) return { ...image, data: "" };
    room -= bytes;
    return image;
  });
}

/** What the model reads when a tool failed. */
export function textOfFailure(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message || thrown.name : textOfValue(thrown);
  return orPlaceholder(`error: ${message}`);
}

/**
 * The copy for the model: the text itself up to `maxBytes` of UTF-8, else an envelope of at most that size that says how
 * much there was and holds start and end of it. (Below about 300 bytes the envelope alone may be larger.)
 */
export function capResult(text: string, maxBytes: number): string {
  // Three bytes are the most that one UTF-16 unit takes.
  if (text.length * 3 <= maxBytes) return text;
  const total = bytesOf(text);
  if (total <= maxBytes) return text;
  let fits = 0;
  let tooLong = Math.min(text.length, maxBytes) + 1;
  while (tooLong - fits > 1) {
    const units = Math.floor((fits + tooLong) / 2);
    if (bytesOf(envelope(text, total, units)) <= maxBytes) fits = units;
    else tooLong = units;
  }
  return envelope(text, total, fits);
}

function envelope(text: string, total: number, units: number): string {
  const head = headOf(text, Math.ceil(units / 2));
  const tail = units < 2 ? "" : tailOf(text, Math.floor(units / 2));
  return JSON.stringify({
    truncated: true,
    total_bytes: total,
    notice: "The middle of this result was left out. Ask for a smaller part to read more.",
    content: `${head}\n[…]\n${tail}`,
  });
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

interface Output {
  readonly content: string | readonly unknown[];
  readonly isError?: unknown;
}

function outputOf(value: unknown): Output | undefined {
  try {
    if (typeof value !== "object" || value === null || !("content" in value)) return undefined;
    const { content } = value;
    if (typeof content !== "string" && !(Array.isArray(content) && content.every(isBlock))) return undefined;
    return { content, isError: "isError" in value ? value.isError : undefined };
  } catch {
    return undefined;
  }
}

function isBlock(value: unknown): boolean {
  return typeof value === "object" && value !== null && ("kind" in value || "type" in value);
}

function textOfBlock(block: unknown): string {
  if (typeof block !== "object" || block === null) return textOfValue(block);
  if ("text" in block && typeof block.text === "string") return block.text;
  const kind = "kind" in block ? block.kind : "type" in block ? block.type : undefined;
  if (kind === "image") return `[image${"mimeType" in block ? `, ${textOfValue(block.mimeType)}` : ""}]`;
  return textOfValue(block);
}

/** One as ours or as an MCP server's; with its bytes, since an address would be fetched by whoever shows it. */
function imageOfBlock(block: unknown): readonly ImagePart[] {
  if (typeof block !== "object" || block === null) return [];
  const { kind, type, mimeType, data, name } = block as Readonly<Record<string, unknown>>;
  if (kind !== "image" && (kind !== undefined || type !== "image")) return [];
  if (typeof mimeType !== "string" || typeof data !== "string") return [];
  const named = typeof name === "string" ? { name: cleanText(name) } : {};
  return [{ kind: "image", mimeType: cleanText(mimeType), data: cleanText(data), ...named }];
}

function textOfValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "";
  if (value instanceof Error) return value.message;
  try {
    return JSON.stringify(value, withoutCycles()) ?? describe(value);
  } catch {
    return describe(value);
  }
}

/** A replacer that writes bigints as digits and an object inside itself as "[circular]". */
function withoutCycles(): (this: unknown, key: string, value: unknown) => unknown {
  const path: unknown[] = [];
  return function replace(this: unknown, _key, value) {
    if (typeof value === "bigint") return value.toString();
    if (typeof value !== "object" || value === null) return value;
    // JSON.stringify calls with the holder as `this`: what is below the holder in the path is finished.
    while (path.length > 0 && path.at(-1) !== this) path.pop();
    if (path.includes(value)) return "[circular]";
    path.push(value);
    return value;
  };
}

function describe(value: unknown): string {
  if (typeof value === "function" || typeof value === "symbol") return value.toString();
  return `[${typeof value} that cannot be shown]`;
}

function orPlaceholder(text: string): string {
  const clean = cleanText(text);
  return isBlank(clean) ? NO_OUTPUT : clean;
}
