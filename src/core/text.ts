/** Text that every back end, provider and platform accepts: whole characters only, and no NUL. */

/**
 * What Postgres, a strict JSON parser or a platform would refuse is replaced by U+FFFD: NUL and lone surrogate halves.
 * Applied before anything becomes an entry, so that what is sent to the model equals what is stored.
 */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\u0000") ? whole.replaceAll("\u0000", "\uFFFD") : whole;
}

/** `cleanText` at every depth, keys too. What is clean already is answered as it is, and not copied. */
export function cleanJson<T>(value: T): T {
  if (typeof value === "string") return cleanText(value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return cleanList(value) as T;
  let isClean = true;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const clean: [string, unknown] = [cleanText(key), cleanJson<unknown>(inner)];
    isClean &&= clean[0] === key && Object.is(clean[1], inner);
    return clean;
  });
  return isClean ? value : (Object.fromEntries(entries) as T);
}

function cleanList(list: readonly unknown[]): readonly unknown[] {
  const clean = list.map((item) => cleanJson(item));
  return clean.every((item, index) => Object.is(item, list[index])) ? list : clean;
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
