// Counts tokens as tokenizers do that were made of English prose: a word is one or two, and what is not prose falls into small pieces.
// It shares nothing with the product's own guess.

/** Words by their letters, numbers by up to three digits, each sign of CJK or emoji for itself. */
const PIECES = /\p{Script=Latin}+|\p{N}+|\s+|[\s\S]/gu;

export function countTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) tokens += tokensOfPiece(piece);
  return tokens;
}

function tokensOfPiece(piece: string): number {
  if (/^\s+$/u.test(piece)) return piece.length > 1 ? 1 : 0;
  if (/^\p{N}+$/u.test(piece)) return Math.ceil(piece.length / 3);
  if (/^\p{Script=Latin}+$/u.test(piece)) {
    // A word of the language is whole; letters that change their size within it are none.
    const isWord = piece.length <= 12 && /^\p{Lu}?\p{Ll}*$/u.test(piece);
    return isWord ? Math.ceil(piece.length / 6) : Math.ceil(piece.length / 2);
  }
  return (piece.codePointAt(0) ?? 0) > 0xffff ? 3 : 1;
}
