/** Takes out of text what nobody sees and what steers whatever shows it: a terminal, an editor, the order of letters. Pure. */

import type { Nodes } from "mdast";

const [ESCAPE, CSI, BELL] = ["\u001b", "\u009b", "\u0007"];
/** What a terminal obeys, also where the text ends in it, since it may go on. No link of a terminal is longer. */
const SEQUENCE = new RegExp(
  [
    // Colours and movements, sets of signs, titles and links.
    `(?:${ESCAPE}\\[|${CSI})[0-?]*[ -/]*(?:[@-~]|$)`,
    `${ESCAPE}[ -/]+(?:[0-~]|$)`,
    `${ESCAPE}\\][^${BELL}${ESCAPE}\n]{0,2000}(?:${BELL}|${ESCAPE}(?:\\\\|$)|$)`,
  ].join("|"),
  "g",
);
/** Signs of control, and those that turn the order of letters around. What isolates or marks a direction is part of how some languages are written. */
const STEERS = /(?![\n\t])[\p{Cc}\u202a-\u202e]/gu;

/** Every end of a line as `\n`. Of a longer text the result begins with that of its beginning. */
export function withoutSteering(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").replaceAll(SEQUENCE, "").replaceAll(STEERS, "");
}

/** What sets a direction apart from the text around it, its end, and what ends it at the latest. */
const ISOLATES = /[\u2066-\u2069\n\u2029]/gu;

/**
 * `withoutSteering` for words that stand beside others: each direction that is set apart in it ends in it, and nothing is ended that was
 * not begun in it. Doing it twice is doing it once.
 */
export function withinItself(text: string): string {
  let open = 0;
  const ends = (): string => {
    const all = "\u2069".repeat(open);
    open = 0;
    return all;
  };
  const within = withoutSteering(text).replaceAll(ISOLATES, (sign) => {
    if (sign === "\n" || sign === "\u2029") return ends() + sign;
    if (sign === "\u2069" && open === 0) return "";
    open += sign === "\u2069" ? -1 : 1;
    return sign;
  });
  return within + ends();
}

/** Nothing in it is set apart from what stands around it any more. */
export function withoutIsolates(text: string): string {
  return text.replaceAll(/[\u2066-\u2069]/gu, "");
}

/** The same node, in which markdown may have written such a sign by its number. */
export function withoutSteeringIn<N extends Nodes>(node: N): N {
  if ("value" in node) node.value = withoutSteering(node.value);
  if ("alt" in node && typeof node.alt === "string") node.alt = withoutSteering(node.alt);
  if ("children" in node) for (const child of node.children) withoutSteeringIn(child);
  return node;
}
