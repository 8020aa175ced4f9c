/**
 * Masks what people see of an answer before it is stored, so that a secret stands in no thread while it is written, nor where the
 * answer breaks off. A secret can be told only when all of it is there: what may still become one waits until that is known. Pure.
 */

import { without, type SecretsInTalk } from "./mask.ts";

export interface ShownMask {
  /** Of a text to which nothing is added any more. */
  whole(text: string): string;
  /** Of one that ended where nobody meant it to, perhaps in the middle of a secret. */
  brokenOff(text: string): string;
  /**
   * Of a text that still grows, without what may become a secret at its end. Of a longer text it is the same or longer, and begins
   * with the same.
   */
  growing(text: string): string;
}

/** No secret is longer that stands between spaces (UTF-16 units): what has no spaces for so long is data, and is shown. */
const LONGEST_RUN = 4_096;
/** Longer than a private key that is found, with its first line. */
const LONGEST_KEY = 6_200;

/**
 * What a secret with spaces, or with signs beyond ASCII, looks like while it is not whole. The first group is what stays in front of it.
 * Each ends where the pattern of `mask` that it belongs to can match no more.
 */
const OPEN: readonly RegExp[] = [
  // The first line of a private key.
  /-----BEGIN [A-Z ]{0,64}-{0,5}$/,
  /-----BEGIN (?<kind>[A-Z ]*)PRIVATE KEY-----(?![^"]{0,6000}?-----END \k<kind>PRIVATE KEY-----)[^"]{0,6100}$/,
  // The password of a URL.
  /\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@"'\\<>]*:)[^\s/"'\\<>]{0,128}$/i,
  // A token that is none without a digit.
  /\b(Bearer\s+)[^\s"'\\]{0,128}$/,
];

export function createShownMask({ find, begunAt, maskPart }: SecretsInTalk): ShownMask {
  const whole = (text: string): string => without(text, find(text));
  return {
    whole,
    brokenOff: (text) => maskPart(whole(text)),
    growing(text) {
      let end = Math.min(lastRunAt(text), begunAt(text), openAt(text));
      const spans = find(text);
      for (const span of spans) {
        const mayGrow = span.end > end || span.end === text.length;
        if (span.start < end && mayGrow) end = span.start;
      }
      return without(
        text.slice(0, end),
        spans.filter((span) => span.end <= end),
      );
    },
  };
}

/** Where the signs of ASCII begin, without spaces, that the text ends with. Scripts that know no spaces are not held back. */
function lastRunAt(text: string): number {
  const least = Math.max(0, text.length - LONGEST_RUN);
  let at = text.length;
  while (at > least && isInk(text.charCodeAt(at - 1))) at--;
  return at;
}

function isInk(unit: number): boolean {
  return unit > 0x20 && unit < 0x7f;
}

function openAt(text: string): number {
  const from = Math.max(0, text.length - LONGEST_KEY);
  const tail = from === 0 ? text : text.slice(from);
  const places = OPEN.map((pattern) => {
    const found = pattern.exec(tail);
    if (found === null) return text.length;
    const stays = found.groups === undefined ? (found[1]?.length ?? 0) : 0;
    return from + found.index + stays;
  });
  return Math.min(...places);
}
