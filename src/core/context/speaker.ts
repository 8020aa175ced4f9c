/**
 * How a request says who speaks. Every header is a line of its own that begins with `[from ` or `[system note]`; no text
 * of anyone can hold such a line, so a header cannot be forged.
 */

import type { Author } from "../inbound.ts";
import { headOf } from "../text.ts";

/** Above what the bot itself says to the model inside a user turn. */
export const SYSTEM_HEADER = "[system note]";

/** Above the words of a person without a name, where they follow a note. */
export const NAMELESS_HEADER = "[from the user]";

const NAME_UNITS = 80;
const LINE_ENDS = /(\r\n|[\n\r\v\f\u0085\u2028\u2029])/u;
const HEADER_LIKE = /^[\s\p{Cf}\p{Cc}\\]*[[\uFF3B\u27E6\u301A]\s*(?:from|system\s+note)(?![\p{L}\p{N}])/iu;
const MAYBE_HEADER = /[[\uFF3B\u27E6\u301A]\s*(?:from|system)/iu;

/** `[from Ana (U1)]`: the id keeps two people of one name apart. */
export function headerOf(author: Author): string {
  const name = onOneLine(author.name, NAME_UNITS);
  const id = onOneLine(author.id, NAME_UNITS) || "unknown";
  return name === "" ? `[from ${id}]` : `[from ${name} (${id})]`;
}

/** Puts a backslash before each line that could be read as a header. */
export function escapeHeaders(text: string): string {
  if (!MAYBE_HEADER.test(text)) return text;
  return text
    .split(LINE_ENDS)
    .map((line) => (HEADER_LIKE.test(line) ? `\\${line}` : line))
    .join("");
}

/** A name within one line and without the signs that a header is made of. */
export function onOneLine(text: string, units: number): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}[\]()]+/gu, " ").replaceAll(/\s+/gu, " ");
  return headOf(plain.trim(), units).trim();
}
