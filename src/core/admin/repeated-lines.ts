/** Which lines that admins wrote repeat what was said in a thread: looked for without keeping the thread's words. Pure. */

import { needlesOf, piecesOf, wordsOfPiece, type Needle } from "./words.ts";

export interface WrittenLine {
  /** `search`: its words count from their beginning, as they were looked for. `sentence`: whole words alone. */
  readonly kind: "search" | "sentence";
  readonly text: string;
}

export interface RepeatedLines<Line> {
  /** Takes in a text of the thread; time and memory do not grow with how many lines there are. */
  hear(text: string): void;
  /** What was repeated of all that was heard, in the order in which it was given. */
  found(): readonly Line[];
}

/** A shorter word says nothing of a thread by itself, where there are spaces between words. */
const TELLING_LETTERS = 4;
/** Words of the thread that are remembered so as not to be looked up again. */
const MOST_REMEMBERED = 50_000;

interface Piece {
  readonly needles: readonly Needle[];
  readonly isTelling: boolean;
}

/**
 * A line repeats the thread where one word of it that has at least four letters stands there; a search also where all of its words do. Of
 * a language that puts no spaces between words each piece of two letters and more counts as such a word.
 */
export function repeatedLines<Line extends WrittenLine>(lines: readonly Line[]): RepeatedLines<Line> {
  const cut = lines.map((line) => ({ line, pieces: cutOf(line) }));
  const wanted = cut.flatMap(({ pieces }) => pieces.flatMap(({ needles }) => needles));
  const wholes = new Set(wanted.flatMap(({ text, isBeginning }) => (isBeginning ? [] : [text])));
  const beginnings = new Set(wanted.flatMap(({ text, isBeginning }) => (isBeginning ? [text] : [])));
  const lengths = [...new Set([...beginnings].map(({ length }) => length))];
  const heard = { wholes: new Set<string>(), beginnings: new Set<string>() };
  const remembered = new Set<string>();

  function hearWord(word: string): void {
    if (remembered.has(word)) return;
    if (remembered.size < MOST_REMEMBERED) remembered.add(word);
    if (wholes.has(word)) heard.wholes.add(word);
    for (const length of lengths) {
      const beginning = word.slice(0, length);
      if (beginnings.has(beginning)) heard.beginnings.add(beginning);
    }
  }

  const isHeard = ({ needles }: Piece): boolean =>
    needles.every(({ text, isBeginning }) => (isBeginning ? heard.beginnings : heard.wholes).has(text));

  return {
    hear(text) {
      for (const piece of piecesOf(text)) for (const word of wordsOfPiece(piece)) hearWord(word);
    },
    found: () =>
      cut.flatMap(({ line, pieces }) => {
        const isFound =
          pieces.some((piece) => piece.isTelling && isHeard(piece)) ||
          (line.kind === "search" && pieces.length > 0 && pieces.every(isHeard));
        return isFound ? [line] : [];
      }),
  };
}

function cutOf({ kind, text }: WrittenLine): readonly Piece[] {
  return [...piecesOf(text)].map((piece) => ({
    needles: needlesOf(piece).map((needle) =>
      kind === "search" || piece.isUnspaced ? needle : { ...needle, isBeginning: false },
    ),
    isTelling: Array.from(piece.text).length >= (piece.isUnspaced ? 2 : TELLING_LETTERS),
  }));
}
