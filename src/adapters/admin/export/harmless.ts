/** Text of others in a file that somebody opens with whatever they have: nothing of it steers what shows it. */

import { headOf } from "../../../core/text.ts";

/** What is not seen, and turns around or ends what stands behind it; line ends and tabs stay. */
const STEERS = /[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu;

/** Letters of one piece in a file for reading; the lines of the JSON file have all of it. */
const LONGEST = 20_000;

const nameOf = (sign: string): string => (sign.codePointAt(0) ?? 0).toString(16).padStart(4, "0");

/** Each such sign is told by its number, so that it can be seen that there was one. */
export function harmless(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, "\n");
  return lines.replaceAll(STEERS, (sign) =>
    sign === "\n" || sign === "\t" ? sign : `[U+${nameOf(sign).toUpperCase()}]`,
  );
}

/** @param most letters of it. Default 20,000. */
export function readable(text: string, most = LONGEST): string {
  if (text.length <= most) return harmless(text);
  const all = text.length.toLocaleString("en");
  return `${harmless(headOf(text, most))}\n[… ${all} letters in all, which the JSONL file has]`;
}

/** One line of it, for a heading or a name. */
export function inLine(text: string, most = 200): string {
  const line = harmless(text).replaceAll(/\s+/gu, " ").trim();
  return line.length <= most ? line : `${headOf(line, most)}…`;
}

/** The same value, and no sign in it that would steer a terminal or an editor. */
export function jsonLine(value: object): string {
  const json = JSON.stringify(value).replaceAll(STEERS, (sign) => `\\u${nameOf(sign)}`);
  return `${json}\n`;
}
