/** A goal in plain markdown, for people. Pure. */

import { formatDuration, formatTokens } from "../measure.ts";
import { quotedLines } from "../plain-text.ts";
import { plain } from "./card.ts";
import { withinItself } from "../reply/steering-signs.ts";
import { clipped } from "../text.ts";
import type { Written } from "./done-when.ts";
import type { Limits } from "./limits.ts";
import { MINUTE_MS, type Goal, type PauseReason, type Wait } from "./goal.ts";

const SHOWN_OBJECTIVE = 300;

/** One sentence on where it stands. */
export function standingOfGoal(goal: Goal, now: number): string {
  if (goal.closed !== undefined && goal.closed !== "complete") return "The goal has ended.";
  switch (goal.status) {
    case "active": {
      const { next } = goal;
      return next !== undefined && next.dueAt > now
        ? `The goal is active; its next turn begins in ${formatDuration(next.dueAt - now)}.`
        : "The goal is active.";
    }
    case "waiting":
      return goal.wait === undefined
        ? "The goal waits."
        : `The goal waits for ${formatDuration(goal.wait.until - now)} at most${untilOf(goal.wait)}: ${goal.wait.reason}`;
    case "paused":
      return `The goal is paused${goal.reason === undefined ? "" : `: ${PAUSED[goal.reason]}`}. \`goal resume\` goes on.`;
    case "blocked":
      return `The goal is blocked: ${goal.evidence ?? "something is missing"}. \`goal resume\` tries again.`;
    case "budget_limited":
      return "The goal's budget is used up. `goal budget +200k` (or `+10 turns`, `+30 minutes`) goes on.";
    case "usage_limited":
      return "The model's provider is limiting requests, so the goal stands still. `goal resume` tries again.";
    case "complete":
      return "The goal is reached.";
    default:
      return goal.status satisfies never;
  }
}

/** The two that end in, or hold, what somebody gave as the reason, in `standingOfGoal`; a sentence that was stored may be of an earlier version. */
const WITH_WORDS = /^(The goal (?:is blocked|waits [^:]*)): (.*?)(\. `goal resume` tries again\.)?$/s;

/**
 * The same sentence of `standingOfGoal`, on one line, with at most `units` UTF-16 units of the words that were given as the reason; without them where none find
 * room. Any other sentence is answered as it is.
 */
export function withGivenWords(sentence: string, units: number): string {
  const [, standing, given = "", next = ""] = WITH_WORDS.exec(sentence) ?? [];
  if (standing === undefined) return sentence;
  const words = withinItself(clipped(given.replaceAll(/\s+/g, " "), units));
  if (words === "" || (units < LEAST_GIVEN && words !== given))
    return `${standing}${next === "" ? "." : next}`;
  return `${standing}: ${words}${words.endsWith("…") ? next.slice(1) : next}`;
}

/** Less of a reason tells nobody anything. */
const LEAST_GIVEN = 12;

function untilOf({ kind, from }: Wait): string {
  return kind === "reply" && from !== undefined ? ", or until the one it asked writes here" : UNTIL[kind];
}

const UNTIL: Readonly<Record<Wait["kind"], string>> = {
  time: "",
  reply: ", or until somebody writes here",
  reaction: ", or until somebody reacts to the bot's message or writes here",
  webhook: ", or until its address is called or somebody writes here",
};

const PAUSED: Readonly<Record<PauseReason, string>> = {
  no_progress: "three turns in a row had no effect",
  interrupted: "it was stopped",
  error: "three turns in a row failed",
  owner_left: "whose goal it is, is not here any more",
  no_access: "whose goal it is may not use the bot here any more",
  not_allowed: "goals were switched off here",
  archived: "this thread was archived",
};

/** `turn 3 of 20, 12,345 tokens of 500,000 tokens, 4 min of 1 h`. */
export function spentOnGoal({ windows: { tokens, turns, activeMs } }: Goal): string {
  return [
    `turn ${turns.used} of ${turns.limit}`,
    `${formatTokens(tokens.used)} of ${formatTokens(tokens.limit)}`,
    `${formatDuration(activeMs.used)} of ${formatDuration(activeMs.limit)}`,
  ].join(", ");
}

const bulleted = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join("\n");

/** A goal that the model proposed, for whoever decides. */
export function describeProposed({
  objective,
  doneWhen,
  limits,
}: Written & { readonly limits: Limits }): string {
  const { tokens, turns, minutes } = limits;
  // Whole and without marks: nobody shall start what they were not shown.
  return [
    "**Proposed goal:**",
    quotedLines(objective),
    ...(doneWhen === undefined ? [] : [`Done when:\n${bulleted(doneWhen.map(plain))}`]),
    `It may use ${formatTokens(tokens)}, ${turns} turns, and ${formatDuration(minutes * MINUTE_MS)} of work. Whoever starts it owns it.`,
  ].join("\n\n");
}

export function describeGoal(goal: Goal | undefined, now: number): string {
  if (goal === undefined) return "There is no goal in this thread. `goal` with a text sets one.";
  return [
    `**Goal** of ${goal.owner.name}: ${clipped(goal.objective, SHOWN_OBJECTIVE)}`,
    ...(goal.doneWhen === undefined ? [] : [`Done when:\n${bulleted(goal.doneWhen)}`]),
    standingOfGoal(goal, now),
    ...(goal.objection === undefined ? [] : [`The check does not agree yet: ${goal.objection}`]),
    `Spent: ${spentOnGoal(goal)}.`,
    ...(goal.status === "paused" && goal.reason === "no_progress" && goal.said !== undefined
      ? [`Its last words: ${goal.said}`]
      : []),
  ].join("\n\n");
}
