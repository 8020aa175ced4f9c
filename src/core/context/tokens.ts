/**
 * How many tokens a text is taken for, before a provider has counted it. Tokenizers differ, but all of them were made of much prose and
 * little else: what is dense in signs is dense in tokens. Rather too many than too few, since what is too long is refused.
 */

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Signs of which keys, hashes and base64 are made. */
const OF_DATA = `${LETTERS}0123456789+/=_-`;
/** So many of them without another sign between them are no word of a language. */
const DATA_FROM = 32;
const IS_DATA = 4;
/** For each ASCII sign the quarters of a token that it costs, and whether it is one of data. */
const SIGNS = new Uint8Array(128).fill(2);
for (const sign of `${LETTERS} \t\n\r`) SIGNS[sign.charCodeAt(0)] = 1;
for (const sign of OF_DATA) SIGNS[sign.charCodeAt(0)] = costOf(sign.charCodeAt(0)) | IS_DATA;
/** Below it stand the alphabets, two bytes a sign; from it on a sign is a token of its own, or more. */
const THREE_BYTES = 0x800;

/**
 * Four letters a token, two digits or signs of data (base64, hashes, keys) or of an alphabet beyond ASCII, one sign of any other script;
 * an emoji two. One pass, which keeps nothing.
 */
export function tokensIn(text: string): number {
  const { length } = text;
  let quarters = 0;
  /** Where the row of signs of data begins that is read now. */
  let row = 0;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code < 128) {
      const sign = costOf(code);
      quarters += sign & 3;
      if (sign >= IS_DATA) continue;
    } else quarters += code < THREE_BYTES ? 2 : 4;
    if (at - row >= DATA_FROM) quarters += lettersIn(text, row, at);
    row = at + 1;
  }
  if (length - row >= DATA_FROM) quarters += lettersIn(text, row, length);
  return Math.ceil(quarters / 4);
}

function costOf(code: number): number {
  return SIGNS[code] ?? 0;
}

/** In a row of data a letter costs as much as a digit. */
function lettersIn(text: string, from: number, to: number): number {
  let letters = 0;
  for (let at = from; at < to; at++) if (costOf(text.charCodeAt(at)) === (1 | IS_DATA)) letters++;
  return letters;
}
