/** A goal's text as a person writes it, for forms in which it can be written or changed. Pure. */

import { textAsked, textOf, type GoalAsked } from "./asked.ts";
import type { Goal } from "./goal.ts";

export interface GoalForm {
  /** The goal that it changes; absent where it sets one. */
  readonly id?: string;
  /** It sets one in place of the goal that is open. */
  readonly replaces?: true;
  /** With the lines that say when it is done; empty where there is nothing yet. */
  readonly text: string;
}

/** What somebody asked whose text is still to be written, with what they said of it already. */
export type Begun = Extract<GoalAsked, { readonly kind: "set" | "edit" | "replace" }>;

/** Where the thread has a goal that goes on the form changes that one, unless another one is to take its place. */
export function formOf(goal: Goal | undefined, begun?: Begun): GoalForm {
  if (begun?.kind === "replace") return { replaces: true, text: textOf(begun) };
  // What was reached gives its place to the next one.
  if (begun?.kind === "set" && goal?.status === "complete") return { text: textOf(begun) };
  if (goal !== undefined && goal.closed === undefined) return { id: goal.id, text: textOf(ofGoal(goal)) };
  return { text: begun === undefined ? "" : textOf(begun) };
}

/** Whether the form does what was asked. It does not where a goal is to be set beside one, or none is there to be changed. */
export function isFormFor({ id }: GoalForm, begun: Begun | undefined): boolean {
  if (begun?.kind === "set") return id === undefined;
  return begun?.kind !== "edit" || id !== undefined;
}

const ofGoal = ({ objective, doneWhen = [] }: Goal) => ({ objective, doneWhen });

/** What was written in the form. */
export function writtenIn({ id, replaces }: Omit<GoalForm, "text">, text: string): GoalAsked {
  const written = textAsked(text);
  if (replaces === true) return { kind: "replace", ...written };
  if (id === undefined) return { kind: "set", ...written };
  // The form shows all lines: one that is not in it any more was taken away.
  return { kind: "edit", doneWhen: [], ...written };
}
