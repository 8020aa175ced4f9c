/**
 * Some servers leave a model's thinking inside of its text, between `<think>` and `</think>`. This splits the two while the
 * text arrives in pieces, so that no piece of thinking is ever taken for text.
 */

export interface SplitText {
  /** Takes the next piece. */
  push(piece: string): void;
  /** The server sends thinking by itself, so that nothing before a closing tag is any. Changes nothing behind the first piece. */
  isApart(): void;
  /** The text is over: what was held back because it could have become a tag is text after all. */
  end(): void;
}

export interface ThinkingTo {
  text(text: string): void;
  thinking(text: string): void;
  /** All text so far was thinking after all. */
  drop(): void;
}

const TAG = /<(think|thinking)>/i;
const LONGEST_OPENING = "<thinking>".length;
const CLOSING = "</think>";

/**
 * A tag counts anywhere except in code (between backticks, in a fence), where people talk about it. A block that is never
 * closed is thinking to the end. White space between a leading block and the text belongs to neither.
 *
 * Some chat templates write the opening tag themselves, so that the text holds the closing one alone. Who knows of it says so with
 * `begins`; else what stood before it was shown already, and is dropped. Only the first one counts, at an end of its line and before
 * any block: in the midst of a line people talk about it.
 * @param begins whether the text begins inside of a block.
 */
export function splitThinking(to: ThinkingTo, begins: boolean): SplitText {
  let held = "";
  let closing = begins ? CLOSING : undefined;
  let skipSpace = false;
  let anyText = false;
  let anyTag = begins;
  let hasBegun = false;
  let lastShown = "\n";
  let code = codeTracker();

  const text = (piece: string): void => {
    const shown = skipSpace ? piece.trimStart() : piece;
    if (shown === "") return;
    skipSpace = false;
    anyText = true;
    lastShown = shown.slice(-1);
    code.push(shown);
    to.text(shown);
  };

  const inText = (piece: string): string => {
    let from = 0;
    for (let at = piece.indexOf("<"); at !== -1; at = piece.indexOf("<", from)) {
      text(piece.slice(from, at));
      const rest = piece.slice(at, at + LONGEST_OPENING);
      const tag = TAG.exec(rest);
      if (tag?.index === 0 && !code.isInside()) {
        closing = `</${tag[1]?.toLowerCase() ?? ""}>`;
        anyTag = true;
        return piece.slice(at + tag[0].length);
      }
      const lone = anyTag || code.isInside() ? "none" : loneClosing(piece.slice(at), lastShown);
      if (lone === "whole") {
        to.drop();
        code = codeTracker();
        anyTag = true;
        anyText = false;
        skipSpace = true;
        return piece.slice(at + CLOSING.length);
      }
      if (lone === "perhaps" || (couldBecomeTag(rest) && !code.isInside())) {
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
      if (at > 0) to.thinking(piece.slice(0, at));
      closing = undefined;
      if (!anyText) skipSpace = true;
      return piece.slice(at + close.length);
    }
    const keep = tailThatStarts(close, piece);
    if (keep < piece.length) to.thinking(piece.slice(0, piece.length - keep));
    held = piece.slice(piece.length - keep);
    return "";
  };

  return {
    isApart() {
      if (hasBegun) return;
      closing = undefined;
      anyTag = true;
    },
    push(piece) {
      hasBegun ||= piece !== "";
      let rest = held === "" ? piece : held + piece;
      held = "";
      while (rest !== "") rest = closing === undefined ? inText(rest) : inThinking(rest, closing);
    },
    end() {
      const rest = held;
      held = "";
      if (rest === "") return;
      if (closing === undefined) text(rest);
      else to.thinking(rest);
    },
  };
}

function couldBecomeTag(rest: string): boolean {
  const lower = rest.toLowerCase();
  return "<think>".startsWith(lower) || "<thinking>".startsWith(lower);
}

/** Whether a text begins with a closing tag that ends its line, or stands at the beginning of one; `perhaps`: more of it has to come. */
function loneClosing(rest: string, before: string): "none" | "perhaps" | "whole" {
  const lower = rest.slice(0, CLOSING.length + 1).toLowerCase();
  if (CLOSING.startsWith(lower) && lower.length < CLOSING.length) return "perhaps";
  if (!lower.startsWith(CLOSING)) return "none";
  const after = lower.slice(CLOSING.length);
  if (before === "\n" || /^[\r\n]/.test(after)) return "whole";
  return after === "" ? "perhaps" : "none";
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
