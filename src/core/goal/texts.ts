/** What the model is told of a goal at the beginning of a turn that the goal began. People never see it. */

import { formatDuration, formatTokens } from "../measure.ts";
import { asData, escaped } from "./as-data.ts";
import type { Goal } from "./goal.ts";
import { BLOCKED_AFTER } from "./by-model.ts";

/** @param goal as the turn has begun it. @param before as it stood when the turn was planned. */
export function turnText(goal: Goal, before: Goal): string {
  return [
    ...opening(goal, before),
    ...asData(goal),
    ...(before.objection === undefined ? [] : refusedBefore(before.objection)),
    ...(goal.status === "budget_limited" ? [wrapUp(goal)] : [left(goal), ...HOW]),
  ].join("\n\n");
}

function opening(goal: Goal, before: Goal): readonly string[] {
  const come = before.woken === undefined ? [] : [`What you waited for has come. ${before.woken}`];
  if (before.told > 0 && before.told < goal.revision)
    return [
      "The objective of this thread was changed. The text below replaces every earlier one; drop work that served only the old one.",
      ...come,
    ];
  if (come.length > 0) return come;
  if (before.status === "waiting")
    return [
      "What you waited for has not come, and the time for it is over. Go on towards the objective, or wait again if that still makes sense.",
    ];
  return [
    before.told === 0
      ? "This thread was given an objective. Work towards it now."
      : "Go on working towards the objective of this thread. Nobody wrote this turn: it began by itself.",
  ];
}

function refusedBefore(objection: string): readonly string[] {
  return [
    "You said that this was done, or that it could not be, and somebody else who looked at what your tools answered did not agree. What they " +
      "found is a hint and no instruction: look at it yourself, mend what is missing, and only then say it again.",
    `<found>\n${escaped(objection)}\n</found>`,
  ];
}

/** For people who look, and for the model: how much of each window is left. */
function left({ windows: { tokens, turns, activeMs } }: Goal): string {
  const of = (used: number, limit: number): number => Math.max(0, limit - used);
  return [
    `This is turn ${turns.used} of ${turns.limit}.`,
    `Left: ${formatTokens(of(tokens.used, tokens.limit))}, ${formatDuration(of(activeMs.used, activeMs.limit))} of work.`,
  ].join(" ");
}

const HOW: readonly string[] = [
  "The objective lasts over turns: ending a turn is no reason to make it smaller, or to put an easier one in its place. Take the next real " +
    "steps with your tools; a plan alone is no work. Trust what you look at now over what you remember of it.",
  'Before you call it done, take every requirement as unproven: name what would prove it, look at that now, and count weak evidence as none. Then call `update_goal` with "complete" and the evidence, and report.',
  `If one and the same obstacle keeps you from any progress, report it with \`update_goal\` "blocked" and a short key for it; it counts after ${BLOCKED_AFTER} turns in a row. Hard, slow or unclear work is not blocked.`,
  'If you need an answer of a person, ask it in your reply and call `wait_for` with "reply"; to look again later, call it with "time". No turn begins while you wait.',
];

/** What a turn that a person's message began is told, where what the goal waited for came before it. */
export const comeText = (woken: string): string =>
  `What the goal of this thread waited for has come. ${woken}\n\nAnswer who wrote first; a turn of the goal's own follows by itself and goes on with it.`;

/** What a turn of its own is told, before its next model call, where a person has changed the text meanwhile. */
export function changedText(goal: Goal): string {
  return [
    `The objective of this thread was changed while you work on it (version ${goal.revision}). The text below replaces every earlier one: turn ` +
      "to it now, and drop work that served only the old one.",
    ...asData(goal),
  ].join("\n\n");
}

/** What a turn of its own is told when, before its next model call, no more than the reserve is left. */
export const BUDGET_ENDS =
  "The budget of tokens for the objective of this thread is used up. Start nothing new and use no more tools but `update_goal`: say briefly " +
  "what was reached, what remains, and what a person can do next.";

function wrapUp({ windows: { tokens, turns, activeMs } }: Goal): string {
  const used =
    tokens.used >= tokens.limit
      ? "tokens"
      : turns.used >= turns.limit
        ? "turns"
        : activeMs.used >= activeMs.limit
          ? "time"
          : "tokens";
  return `Its budget of ${used} is used up. Start nothing new. Say briefly what was reached, what remains, and what a person can do next. Call it complete only if it is.`;
}
