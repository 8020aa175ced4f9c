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

/** The same node, in which markdown may have written such a sign by its number. */
export function withoutSteeringIn<N extends Nodes>(node: N): N {
  if ("value" in node) node.value = withoutSteering(node.value);
  if ("alt" in node && typeof node.alt === "string") node.alt = withoutSteering(node.alt);
  if ("children" in node) for (const child of node.children) withoutSteeringIn(child);
  return node;
}
