/**
 * Whether a person's own words ask for a goal, so that the model may set one at once. What is not surely that becomes a proposal
 * with a button: a text that was pasted, quoted or fetched must not set one. Pure.
 */

/** A longer message mostly carries what somebody else wrote. */
const MOST_UNITS = 600;

/** Verb and noun in one sentence, `goal:` at the beginning of a line, or work that is to go on until something. */
const ASKS: readonly RegExp[] = [
  /\b(?:set|make|create|start|begin|open|add|take|adopt|pursue|use|turn)\b[^.!?\n]{0,80}\bgoals?\b/i,
  /\bgive (?:yourself|this thread|the thread)\b[^.!?\n]{0,40}\bgoal\b/i,
  /^\s*(?:your |the |new )?goal\s*:/im,
  /\b(?:keep|continue|carry on|go on)\b[^.!?\n]{0,60}\buntil\b/i,
  /\bwork(?:ing)?\b[^.!?\n]{0,60}\buntil\b/i,
];

const NOT = /\b(?:don't|don’t|do not|never|no need|not|without|stop|instead of)\b/i;

export function asksForGoal(text: string): boolean {
  const own = ownWords(text);
  return own.length <= MOST_UNITS && ASKS.some((pattern) => pattern.test(own)) && !NOT.test(own);
}

/** Without code, quoted lines and what stands in quotation marks. */
function ownWords(text: string): string {
  return text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, " ")
    .replaceAll(/`[^`\n]*`/g, " ")
    .replaceAll(/^\s*(?:>|&gt;).*$/gm, " ")
    .replaceAll(/"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»/g, " ")
    .trim();
}
