/**
 * Some servers leave a model's thinking inside of its text, between `<think>` and `</think>`. This splits the two while the
 * text arrives in pieces, so that no piece of thinking is ever taken for text.
 */

export interface SplitText {
  /** Takes the next piece. */
  push(piece: string): void;
  /** The text is over: what was held back because it could have become a tag is text after all. */
  end(): void;
}

const TAG = /<(think|thinking)>/i;
const LONGEST_OPENING = "<thinking>".length;

/**
 * A tag counts anywhere except in code (between backticks, in a fence), where people talk about it. A block that is never
 * closed is thinking to the end. White space between a leading block and the text belongs to neither.
 */
export function splitThinking(onText: (text: string) => void, onThinking: (text: string) => void): SplitText {
  let held = "";
  let closing: string | undefined;
  let skipSpace = false;
  let anyText = false;
  const code = codeTracker();

  const text = (piece: string): void => {
    const shown = skipSpace ? piece.trimStart() : piece;
    if (shown === "") return;
    skipSpace = false;
    anyText = true;
    code.push(shown);
    onText(shown);
  };

  const inText = (piece: string): string => {
    let from = 0;
    for (let at = piece.indexOf("<"); at !== -1; at = piece.indexOf("<", from)) {
      text(piece.slice(from, at));
      const rest = piece.slice(at, at + LONGEST_OPENING);
      const tag = TAG.exec(rest);
      if (tag?.index === 0 && !code.isInside()) {
        closing = `</${tag[1]?.toLowerCase() ?? ""}>`;
        return piece.slice(at + tag[0].length);
      }
      if (couldBecomeTag(rest) && !code.isInside()) {
        held = piece.slice(at);
        return "";
      }
      text("<");
      from = at + 1;
    }
    text(from === 0 ? piece : piece.slice(from));
    return "";
  };

  const inThinking = (piece: string, close: string): string => {
    const at = piece.toLowerCase().indexOf(close);
    if (at !== -1) {
      if (at > 0) onThinking(piece.slice(0, at));
      closing = undefined;
      if (!anyText) skipSpace = true;
      return piece.slice(at + close.length);
    }
    const keep = tailThatStarts(close, piece);
    if (keep < piece.length) onThinking(piece.slice(0, piece.length - keep));
    held = piece.slice(piece.length - keep);
    return "";
  };

  return {
    push(piece) {
      let rest = held === "" ? piece : held + piece;
      held = "";
      while (rest !== "") rest = closing === undefined ? inText(rest) : inThinking(rest, closing);
    },
    end() {
      const rest = held;
      held = "";
      if (rest === "") return;
      if (closing === undefined) text(rest);
      else onThinking(rest);
    },
  };
}

function couldBecomeTag(rest: string): boolean {
  const lower = rest.toLowerCase();
  return "<think>".startsWith(lower) || "<thinking>".startsWith(lower);
}

/** Length of the longest end of `piece` that `close` begins with. */
function tailThatStarts(close: string, piece: string): number {
  const lower = piece.slice(-close.length).toLowerCase();
  for (let length = Math.min(close.length - 1, lower.length); length > 0; length--) {
    if (close.startsWith(lower.slice(-length))) return length;
  }
  return 0;
}

/** Whether the text so far ends inside of a fence or of backticks that were opened in this line. */
function codeTracker(): { push(piece: string): void; isInside(): boolean } {
  let fenced = false;
  let ticks = 0;
  /** What the line holds besides backticks: nothing (or indentation), or something. */
  let lineHasText = false;
  let inlineOpen = false;
  const endRun = (): void => {
    if (ticks >= 3 && !lineHasText) fenced = !fenced;
    else if (ticks > 0 && !fenced) inlineOpen = !inlineOpen;
    if (ticks > 0) lineHasText = true;
    ticks = 0;
  };
  return {
    push(piece) {
      if (ticks === 0 && !piece.includes("`")) {
        const lastLine = piece.lastIndexOf("\n");
        if (lastLine !== -1) [lineHasText, inlineOpen] = [false, false];
        lineHasText ||= piece.slice(lastLine + 1).trim() !== "";
        return;
      }
      for (const letter of piece) {
        if (letter === "`") {
          ticks++;
          continue;
        }
        endRun();
        if (letter === "\n") [lineHasText, inlineOpen] = [false, false];
        else if (letter !== " ") lineHasText = true;
      }
    },
    isInside() {
      if (ticks === 0) return fenced || inlineOpen;
      const opensFence = ticks >= 3 && !lineHasText;
      return opensFence ? !fenced : fenced || !inlineOpen;
    },
  };
}
