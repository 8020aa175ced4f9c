/** A goal's text as a person writes it, for forms in which it can be changed. Pure. */

import { withoutDoneWhen } from "./done-when.ts";
import type { Goal } from "./goal.ts";

export interface GoalForm {
  /** The goal that it is about; absent where the thread has none yet. */
  readonly id?: string;
  /** With the lines that say when it is done; empty where there is none. */
  readonly text: string;
}

export function formOf(goal: Goal | undefined): GoalForm {
  if (goal === undefined || goal.closed !== undefined) return { text: "" };
  const { id, objective, doneWhen = [] } = goal;
  const checks =
    doneWhen.length === 0 ? "" : `\n\nDone when:\n${doneWhen.map((line) => `- ${line}`).join("\n")}`;
  return { id, text: `${objective}${checks}` };
}

/** What was written in the form, as the command has it behind its name. */
export function writtenIn({ id }: Pick<GoalForm, "id">, text: string): string {
  if (id === undefined) return text.trim();
  // The form shows all lines: one that is not in it any more was taken away.
  const hasLines = withoutDoneWhen(text).doneWhen !== undefined;
  return `edit ${text.trim()}${hasLines ? "" : "\ndone when: none"}`;
}
