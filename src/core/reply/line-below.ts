/** The line below an answer, within what its place shows of one: whole parts are left out, and nothing that people need is cut. Pure. */

import { withGivenWords } from "../goal/describe.ts";
import { clipped } from "../text.ts";

/** In the order in which they stand there; each is empty where there is nothing to say. */
export interface Below {
  /** Where the rest of the answer is. */
  readonly file: string;
  /** Which images are not there. */
  readonly missing: string;
  readonly notice: string;
  /** Why it ended. */
  readonly why: string;
  /** What can be done, with the run's id. */
  readonly next: string;
  /** Where the thread's goal stands now, and what can be done about it. */
  readonly goal: string;
  /** Steps, time, tokens and cost. */
  readonly took: string;
}

/** What is left out for want of room, the least needed first. */
const LEFT_OUT = ["took", "notice", "missing", "file"] as const;
/** Of what somebody gave as a goal's reason, as on its card. */
const MOST_WORDS = 200;
/** Rather than show less of it something else is left out. */
const LEAST_WORDS = 60;
/** Before such words. */
const COLON = ": ".length;

/**
 * One line of at most `units` UTF-16 units, empty where there is nothing to say. The words that were given as a goal's reason are shortened first; what
 * people can do and the run's id go last.
 */
export function lineBelow(below: Below, units = Infinity): string {
  const whole = joined(below, MOST_WORDS);
  if (whole.length <= units) return whole;
  let kept = below;
  for (const next of [undefined, ...LEFT_OUT]) {
    if (next !== undefined) kept = { ...kept, [next]: "" };
    const words = Math.min(roomIn(kept, units), MOST_WORDS);
    const isEnough = words >= LEAST_WORDS || joined(kept, words) === joined(kept, MOST_WORDS);
    const line = joined(kept, words);
    if (isEnough && line.length <= units) return line;
  }
  for (const parts of [kept, { ...kept, why: "" }]) {
    const line = joined(parts, roomIn(parts, units));
    if (line.length <= units) return line;
  }
  return clipped(joined(kept, 0), units);
}

/** How much of a goal's reason finds room beside all else. */
const roomIn = (below: Below, units: number): number => Math.max(0, units - joined(below, 0).length - COLON);

function joined({ file, missing, notice, why, next, goal, took }: Below, words: number): string {
  const explanation = [why, next].filter((part) => part !== "").join(" ");
  return [file, missing, notice, explanation, withGivenWords(goal, words), took]
    .filter((part) => part !== "")
    .join(" · ");
}
