/**
 * What a text can be found by, the same on every database: whole words by their beginning, and pairs of letters where a language puts no
 * spaces between words. Pure.
 */

import { headOf, tailOf } from "../text.ts";

/** Scripts that are written without spaces, or in which what is looked for begins in the middle of a word. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+/gu;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;

/** Beyond it nobody looks for a word by more than its beginning. */
const LONGEST_WORD = 40;
/** Of one entry; the rest of a very long one is not found. */
const MOST_WORDS = 4_000;
const LONGEST_TEXT = 200_000;

export function normalised(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

/** A word, or what stands together where a language puts no spaces between words. */
export interface Piece {
  readonly text: string;
  readonly isUnspaced: boolean;
}

/** One after the other, since a text may hold very many. */
export function* piecesOf(text: string): Generator<Piece, void, undefined> {
  for (const [run] of normalised(text).matchAll(WORD)) {
    let from = 0;
    for (const found of run.matchAll(UNSPACED)) {
      if (found.index > from) yield { text: run.slice(from, found.index), isUnspaced: false };
      yield { text: found[0], isUnspaced: true };
      from = found.index + found[0].length;
    }
    if (from < run.length) yield { text: run.slice(from), isUnspaced: false };
  }
}

/** By which words it is found. */
export function wordsOfPiece({ text, isUnspaced }: Piece): readonly string[] {
  return isUnspaced ? pairsOf(text) : [headOfWord(text)];
}

/** By which words an entry is found; none twice. */
export function wordsOf(text: string): readonly string[] {
  const words = new Set<string>();
  for (const piece of piecesOf(text.slice(0, LONGEST_TEXT))) {
    if (words.size >= MOST_WORDS) break;
    for (const word of wordsOfPiece(piece)) words.add(word);
  }
  return [...words];
}

/** Each letter with the next one, and the last one alone: so that a letter is found as the beginning of a pair. */
function pairsOf(text: string): readonly string[] {
  const letters = Array.from(text);
  return letters.map((letter, n) => letter + (letters[n + 1] ?? ""));
}

function headOfWord(word: string): string {
  return headOf(word, LONGEST_WORD);
}

/** A word as it is, or as the beginning of a longer one. */
export interface Needle {
  readonly text: string;
  readonly isBeginning: boolean;
}

/** What an entry has to hold: each of `words`. */
export interface Wanted {
  readonly words: readonly Needle[];
  /** As a person wrote them: an entry of which a pair of letters is only scattered over the text is none that was meant. */
  readonly pieces: readonly string[];
}

const MOST_WANTED = 20;

/** Undefined where nothing can be looked for in it. */
export function wantedIn(query: string): Wanted | undefined {
  const pieces = [...piecesOf(query)].slice(0, MOST_WANTED);
  if (pieces.length === 0) return undefined;
  return { words: pieces.flatMap(needlesOf), pieces: pieces.map(({ text }) => text) };
}

/** By which words it is looked for. */
export function needlesOf({ text, isUnspaced }: Piece): readonly Needle[] {
  if (!isUnspaced) return [{ text: headOfWord(text), isBeginning: true }];
  const pairs = pairsOf(text);
  return pairs.length === 1
    ? [{ text: pairs[0] ?? "", isBeginning: true }]
    : pairs.slice(0, -1).map((pair) => ({ text: pair, isBeginning: false }));
}

/**
 * Whether each text that has the words holds what was meant: where a piece is several pairs of letters they may be scattered over it, and of
 * a very long word the words have only the beginning.
 */
export function isExact({ words, pieces }: Wanted): boolean {
  return words.length === pieces.length && words.every(({ text }, n) => text === pieces[n]);
}

/** Whether the text holds all of it. */
export function holds(text: string, { pieces }: Wanted): boolean {
  const whole = normalised(text);
  return pieces.every((piece) => whole.includes(piece));
}

export interface Snippet {
  readonly before: string;
  readonly hit: string;
  readonly after: string;
}

const AROUND = 80;

/** Where it stands, with what is around it. Cut at whole characters. */
export function snippetOf(text: string, { pieces }: Wanted): Snippet {
  const line = text.replaceAll(/\s+/gu, " ");
  const lower = line.toLowerCase();
  // Only where letters keep their number does a place in the one mean the same in the other.
  const found = lower.length === line.length ? pieces.map((piece) => lower.indexOf(piece)) : [-1];
  const at = found.find((place) => place >= 0) ?? -1;
  if (at < 0) return { before: "", hit: "", after: headOf(line, 2 * AROUND) };
  const end = at + (pieces[found.indexOf(at)]?.length ?? 0);
  const before = tailOf(line.slice(0, at), AROUND);
  const after = headOf(line.slice(end), AROUND);
  return { before: at > AROUND ? `…${before}` : before, hit: line.slice(at, end), after };
}
