/** Text that every back end, provider and platform accepts: whole characters only, and no NUL. */

/**
 * What Postgres, a strict JSON parser or a platform would refuse is replaced by U+FFFD: NUL and lone surrogate halves.
 * Applied before anything becomes an entry, so that what is sent to the model equals what is stored.
 */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\u0000") ? whole.replaceAll("\u0000", "\uFFFD") : whole;
}

/** `cleanText` at every depth, keys too. What is clean already, as nearly all is, is answered as it is and not copied. */
export function cleanJson<T>(value: T): T {
  return isClean(value) ? value : (cleaned(value) as T);
}

function isClean(value: unknown): boolean {
  if (typeof value === "string") return cleanText(value) === value;
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isClean);
  for (const key in value) {
    if (cleanText(key) !== key || !isClean((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}

function cleaned(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), cleaned(inner)]));
}

/** What JSON writes for a NUL and for half a character; also where the text itself only shows such a sign. */
const UNCLEAN = /\\u(?:0000|d[89a-f])/;

/** JSON of the value, with every text in it clean. */
export function cleanJsonText(value: unknown): string {
  const text = JSON.stringify(value);
  return UNCLEAN.test(text) ? JSON.stringify(cleanJson(value)) : text;
}

/** The longest prefix of at most `units` UTF-16 units that cuts no character in two. */
export function headOf(text: string, units: number): string {
  if (text.length <= units) return text;
  const cut = isHighSurrogate(text.charCodeAt(units - 1)) ? units - 1 : units;
  return text.slice(0, Math.max(0, cut));
}

const SIGNS = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * The text without the space around it; of a longer one its beginning and an ellipsis, at most `units` UTF-16 units in all. What people see as
 * one sign (an emoji of several parts, a letter with its marks) is never cut in two.
 */
export function clipped(text: string, units: number): string {
  const whole = text.trim();
  if (whole.length <= units) return whole;
  let end = 0;
  for (const { index, segment } of SIGNS.segment(whole)) {
    if (index + segment.length >= units) break;
    end = index + segment.length;
  }
  return `${whole.slice(0, end).trimEnd()}…`;
}

/** The longest suffix of at most `units` UTF-16 units that cuts no character in two. */
export function tailOf(text: string, units: number): string {
  if (text.length <= units) return text;
  const start = text.length - units;
  return text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
}

/** Whether anything visible is in it (zero-width characters are not). */
export function isBlank(text: string): boolean {
  return /^[\s\u200B-\u200F\u2060\uFEFF]*$/u.test(text);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
