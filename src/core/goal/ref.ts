/** What a button of a goal carries: which goal, in which state, so that one that was left standing changes nothing. Pure. */

import type { Goal, Windows } from "./goal.ts";

/** What is raised in one click, by the window. */
export const RAISES = { tokens: "+200k", turns: "+10 turns", activeMs: "+30 minutes" } as const;

export const LEFT_STANDING =
  "That button is of an earlier state of the goal, so nothing was changed. `goal status` tells where it stands.";

export interface GoalRef {
  readonly id: string;
  /** Of the goal when the button was made; absent where only the goal itself counts, as for a text that takes time to write. */
  readonly generation?: number;
  /** Of a raise: the window, and how large it was. */
  readonly window?: keyof Windows;
  readonly limit?: number;
}

export function goalRef({ id, generation, windows }: Goal, window?: keyof Windows): string {
  return window === undefined
    ? `${id}.${generation}`
    : `${id}.${generation}.${window}.${windows[window].limit}`;
}

const REF = /^([\w-]{1,60})\.(\d{1,9})(?:\.(tokens|turns|activeMs)\.(\d{1,12}))?$/;

/** Undefined for what is none. */
export function readGoalRef(value: string): GoalRef | undefined {
  const [, id, generation, window, limit] = REF.exec(value) ?? [];
  if (id === undefined) return undefined;
  const raise = window === undefined ? {} : { window: window as keyof Windows, limit: Number(limit) };
  return { id, generation: Number(generation), ...raise };
}

/** Whether the button still says what it would do. @param goal the thread's open one. */
export function isCurrent(ref: GoalRef, goal: Goal | undefined): boolean {
  if (goal === undefined || goal.closed !== undefined || goal.id !== ref.id) return false;
  if (ref.generation !== undefined && goal.generation !== ref.generation) return false;
  return ref.window === undefined || goal.windows[ref.window].limit === ref.limit;
}
