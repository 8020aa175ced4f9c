/**
 * What stands inside a block of markdown: spans that are read as one thing and must not be cut (code, links, addresses,
 * mentions), and constructs that were begun and not ended. Reads half-written text on purpose; knows no block structure.
 */

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Begun and not ended; `start` is where it begins. */
export type OpenInline =
  | { readonly kind: "code"; readonly start: number; readonly marker: string }
  /** `[label](dest`: the label ends before `labelEnd`. */
  | { readonly kind: "link"; readonly start: number; readonly labelStart: number; readonly labelEnd: number }
  | { readonly kind: "image"; readonly start: number }
  /** `[label` */
  | { readonly kind: "bracket"; readonly start: number }
  /** `[label]` at the very end, where a destination may still follow. */
  | { readonly kind: "label"; readonly start: number }
  /** `<https://exam`, `<@U1` */
  | { readonly kind: "angle"; readonly start: number }
  | { readonly kind: "emphasis"; readonly start: number; readonly marker: string };

export interface Inline {
  /** Ascending; may overlap. What is begun and not ended is not among them. */
  readonly spans: readonly Span[];
  /** Ascending by start. */
  readonly open: readonly OpenInline[];
}

interface Delimiter {
  readonly start: number;
  readonly mark: string;
  count: number;
}

interface Bracket {
  readonly start: number;
  readonly labelStart: number;
  readonly image: boolean;
}

const ANGLE = /<(?:(?:https?:|mailto:)[^\s<>]*|[@#!][^<>\n]*)>/y;
const OPEN_ANGLE = /<(?:(?:https?:|mailto:)[^\s<>]*|[@#!][^<>\n]*)$/y;
const ADDRESS = /https?:\/\/[^\s<>`]*/y;
const SPACE = /^\s?$/;
const PUNCTUATION = /^[\p{P}\p{S}]$/u;

export function scanInline(text: string): Inline {
  const spans: Span[] = [];
  const open: OpenInline[] = [];
  const brackets: Bracket[] = [];
  const delimiters: Delimiter[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === "\\") {
      at += 2;
    } else if (character === "`") {
      const marker = "`".repeat(runLength(text, at));
      const end = endOfCode(text, at + marker.length, marker);
      if (end === undefined) {
        open.push({ kind: "code", start: at, marker });
        break;
      }
      spans.push({ start: at, end });
      at = end;
    } else if (character === "[" || (character === "!" && text.charAt(at + 1) === "[")) {
      const image = character === "!";
      brackets.push({ start: at, labelStart: at + (image ? 2 : 1), image });
      at += image ? 2 : 1;
    } else if (character === "]") {
      at = closeBracket(text, at, brackets, spans, open);
    } else if (character === "<") {
      const angle = match(ANGLE, text, at);
      if (angle > 0) spans.push({ start: at, end: at + angle });
      else if (match(OPEN_ANGLE, text, at) > 0) open.push({ kind: "angle", start: at });
      at += Math.max(1, angle);
    } else if (character === "h" && match(ADDRESS, text, at) > 0) {
      const whole = text.slice(at, at + match(ADDRESS, text, at));
      // Markdown's own marks and a closing bracket may stand right behind an address.
      const end = at + Math.max(1, whole.replace(/[*_~)\]"'.,:;!?]+$/, "").length);
      spans.push({ start: at, end });
      at = brackets.length > 0 ? at + 1 : end;
    } else if (character === "*" || character === "_" || character === "~") {
      const length = runLength(text, at);
      if (character !== "~" || length <= 2) delimit(text, at, length, delimiters);
      at += length;
    } else {
      at++;
    }
  }
  for (const bracket of brackets) {
    open.push(
      bracket.image ? { kind: "image", start: bracket.start } : { kind: "bracket", start: bracket.start },
    );
  }
  for (const { start, mark, count } of delimiters) {
    if (isMeant(text, start)) open.push({ kind: "emphasis", start, marker: mark.repeat(count) });
  }
  return {
    spans: spans.sort((a, b) => a.start - b.start),
    open: open.sort((a, b) => a.start - b.start),
  };
}

/** @returns where to read on */
function closeBracket(
  text: string,
  at: number,
  brackets: Bracket[],
  spans: Span[],
  open: OpenInline[],
): number {
  const bracket = brackets.pop();
  if (bracket === undefined) return at + 1;
  if (text.charAt(at + 1) !== "(") {
    if (at + 1 === text.length) open.push({ kind: "label", start: bracket.start });
    if (text.charAt(at + 1) === "[") spans.push({ start: bracket.start, end: at + 1 });
    return at + 1;
  }
  const end = endOfDestination(text, at + 2);
  if (end !== undefined) {
    spans.push({ start: bracket.start, end });
    return end;
  }
  if (text.indexOf("\n", at) !== -1) return at + 1;
  const { start, labelStart } = bracket;
  open.push(bracket.image ? { kind: "image", start } : { kind: "link", start, labelStart, labelEnd: at });
  return text.length;
}

/** The offset behind the parenthesis that ends the destination; those within it are balanced. */
function endOfDestination(text: string, from: number): number | undefined {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\") at++;
    else if (character === "\n") return undefined;
    else if (character === "(") depth++;
    else if (character === ")" && --depth === 0) return at + 1;
  }
  return undefined;
}

function endOfCode(text: string, from: number, marker: string): number | undefined {
  for (let at = text.indexOf(marker, from); at !== -1; at = text.indexOf(marker, at)) {
    const length = runLength(text, at);
    if (length === marker.length) return at + length;
    at += length;
  }
  return undefined;
}

/** CommonMark's rule of flanking, without its rule of three. */
function delimit(text: string, at: number, length: number, delimiters: Delimiter[]): void {
  const mark = text.charAt(at);
  const before = characterBefore(text, at);
  const after = String.fromCodePoint(text.codePointAt(at + length) ?? 0x20);
  const left = !SPACE.test(after) && (!PUNCTUATION.test(after) || isEdge(before));
  const right = !SPACE.test(before) && (!PUNCTUATION.test(before) || isEdge(after));
  const canOpen = left && (mark !== "_" || !right || PUNCTUATION.test(before));
  const canClose = right && (mark !== "_" || !left || PUNCTUATION.test(after));
  let rest = length;
  while (canClose && rest > 0) {
    const index = delimiters.findLastIndex((opener) => opener.mark === mark);
    const opener = delimiters[index];
    if (opener === undefined) break;
    const used = Math.min(rest, opener.count, 2);
    rest -= used;
    opener.count -= used;
    delimiters.length = opener.count === 0 ? index : index + 1;
  }
  if (canOpen && rest > 0) delimiters.push({ start: at, mark, count: rest });
}

/** A mark inside a word (`2*3`) is rarely meant as emphasis. */
function isMeant(text: string, at: number): boolean {
  return isEdge(characterBefore(text, at));
}

function isEdge(character: string): boolean {
  return SPACE.test(character) || PUNCTUATION.test(character);
}

function characterBefore(text: string, at: number): string {
  if (at === 0) return "";
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xdc00 && unit <= 0xdfff ? text.slice(at - 2, at) : text.charAt(at - 1);
}

function runLength(text: string, at: number): number {
  const mark = text.charAt(at);
  let end = at + 1;
  while (text.charAt(end) === mark) end++;
  return end - at;
}

function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
