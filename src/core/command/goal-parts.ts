/**
 * What may be asked of a goal, one by one, for a platform whose commands have parts with a field for each thing that they take. What is
 * put in them is the same that `core/goal/asked` reads from a line. Pure.
 */

import { MOST, textAsked, type GoalAsked } from "../goal/asked.ts";
import { withoutDoneWhen } from "../goal/done-when.ts";
import { OBJECTIVE_CHARACTERS } from "../goal/goal.ts";
import { isBlank } from "../text.ts";
import type { Begun } from "../goal/form.ts";
import type { Limits } from "../goal/limits.ts";

/** Every field may be left out. `summary`: at most 100 units. */
export type CommandField =
  | { readonly kind: "text"; readonly summary: string; readonly longest: number }
  /** A whole number, 1 or more. */
  | { readonly kind: "number"; readonly summary: string; readonly most: number };

export interface CommandPart {
  /** At most 100 units. */
  readonly summary: string;
  readonly fields: Readonly<Record<string, CommandField>>;
}

export type FieldValues = Readonly<Record<string, string | number>>;

const amount = (summary: string): CommandField => ({ kind: "number", summary, most: MOST });
const text = (summary: string): CommandField => ({ kind: "text", summary, longest: OBJECTIVE_CHARACTERS });

const DONE_WHEN = text("How to tell that it is reached; several with a semicolon between them.");
const NEW_ONE = {
  objective: text("What is to be reached. Leave it out to write it in a form, with several lines."),
  "done-when": DONE_WHEN,
  tokens: amount("So many tokens it may use."),
  turns: amount("So many turns it may begin by itself."),
  minutes: amount("So many minutes its turns may run, all together."),
};

export const GOAL_PARTS = {
  set: {
    summary: "give this thread a goal to work on by itself; in a channel it gets a thread",
    fields: NEW_ONE,
  },
  status: { summary: "where the goal of this thread stands, and what it has used", fields: {} },
  edit: {
    summary: "change what is to be reached; what was used stays used",
    fields: {
      objective: text("What is to be reached now. Leave all out to change it in a form."),
      "done-when": text("In place of those that it has; “none” takes them away."),
    },
  },
  pause: { summary: "no turn follows the one that is under way", fields: {} },
  resume: { summary: "go on, also after it was blocked", fields: {} },
  clear: { summary: "end the goal", fields: {} },
  replace: { summary: "end the goal, and set another one", fields: NEW_ONE },
  budget: {
    summary: "raise what the goal may use; it goes on if that had run out",
    fields: {
      tokens: amount("So many tokens more."),
      turns: amount("So many turns more."),
      minutes: amount("So many minutes more."),
    },
  },
} as const satisfies Readonly<Record<string, CommandPart>>;

export type GoalPart = keyof typeof GOAL_PARTS;

export const isGoalPart = (name: string): name is GoalPart => Object.hasOwn(GOAL_PARTS, name);

/** `begun`: its text is still to be written, in a form. */
export type GoalInFields =
  | { readonly kind: "asked"; readonly asked: GoalAsked }
  | { readonly kind: "begun"; readonly begun: Begun };

/** @param given by the names of the part's fields. */
export function goalInFields(part: GoalPart, given: FieldValues): GoalInFields {
  const said = String(given["objective"] ?? "");
  const lines = doneWhenIn(given["done-when"]);
  const limits = limitsIn(given);
  switch (part) {
    case "status":
    case "pause":
    case "resume":
    case "clear":
      return { kind: "asked", asked: { kind: part } };
    case "budget":
      return {
        kind: "asked",
        asked: Object.keys(limits).length === 0 ? NO_RAISE : { kind: "raise", more: limits },
      };
    case "set":
    case "edit":
    case "replace": {
      const written = textAsked(said);
      const asked = { kind: part, ...written, ...lines, limits: { ...written.limits, ...limits } };
      // Who changes only its lines has said all, and so has who wants of a change what it cannot do.
      const isWhole =
        !isBlank(asked.objective) ||
        (part === "edit" && (asked.doneWhen !== undefined || Object.keys(asked.limits).length > 0));
      return isWhole ? { kind: "asked", asked } : { kind: "begun", begun: asked };
    }
    default:
      return part satisfies never;
  }
}

const NO_RAISE: GoalAsked = { kind: "unclear", why: "Say how many tokens, turns or minutes it gets." };

function doneWhenIn(given: string | number = ""): { readonly doneWhen?: readonly string[] } {
  const lines = String(given)
    .split(/[;\n]/)
    .filter((line) => !isBlank(line))
    .map((line) => `done when: ${line.trim()}`);
  const { doneWhen } = withoutDoneWhen(lines.join("\n"));
  return doneWhen === undefined ? {} : { doneWhen };
}

function limitsIn(given: FieldValues): Partial<Limits> {
  const named = (["tokens", "turns", "minutes"] as const).flatMap((name) =>
    typeof given[name] === "number" ? [[name, given[name]]] : [],
  );
  return Object.fromEntries(named) as Partial<Limits>;
}
