/**
 * What a person asks of a goal: as they write it behind `goal`, in a form, or in fields. In a line a word counts only when it is all that
 * was written: "pause the deploy" is a goal, and "pause" pauses it. In a form and in fields every text is a text.
 */

import { withoutDoneWhen, type Written } from "./done-when.ts";
import type { Limits } from "./limits.ts";

/** `limits`: those that were named; what else it may use is the team's to say. */
export type GoalAsked =
  | { readonly kind: "status" | "pause" | "resume" | "clear" }
  | ({ readonly kind: "set"; readonly limits: Partial<Limits> } & Written)
  /** `whole`: what the line is as a goal of its own, where there is none that it could change. */
  | ({
      readonly kind: "replace" | "edit";
      readonly limits: Partial<Limits>;
      readonly whole?: string;
    } & Written)
  | { readonly kind: "raise"; readonly more: Partial<Limits> }
  /** Read by whoever wrote it. */
  | { readonly kind: "unclear"; readonly why: string };

/** What stands behind `goal`: a line as it was written, or what was put in fields and forms. */
export type GoalValue = string | GoalAsked;

const WORD = /^(status|pause|resume|clear)$/i;
const CHANGE = /^(replace|edit)\s+(\S[\s\S]*)$/i;
const RAISES = /^budget\s+(?=[+\d])(.*)$/i;
const RAISE = /^\+?\s*(\d[\d.,]*?)\s*([km]?)\s*(tokens?|turns?|minutes?|mins?)?$/i;
const OPTION = /(?:^|\s+)--(tokens|turns|minutes)[ =](\d[\d.,]*)([km]?)\s*$/i;

const WINDOWS = ["tokens", "turns", "minutes"] as const;

/** No window is larger, whatever is written. */
export const MOST = 1_000_000_000;

export function goalAsked(value: GoalValue = ""): GoalAsked {
  return typeof value === "string" ? inLine(value) : value;
}

/** A text that stands alone, as in a form: with its lines that say when it is done, and its options. */
export function textAsked(text: string): Written & { readonly limits: Partial<Limits> } {
  const { limits, written } = taken(text.trim());
  return { ...written, limits };
}

/** The same as somebody writes it in a line, for whoever reads what was asked. */
export function lineOfGoal(value: GoalValue): string {
  if (typeof value === "string") return value;
  switch (value.kind) {
    case "set":
      return textOf(value);
    case "edit":
    case "replace":
      return `${value.kind} ${textOf(value)}`.trim();
    case "raise":
      return `budget ${WINDOWS.flatMap((name) => (value.more[name] === undefined ? [] : [`+${value.more[name]} ${name}`])).join(", ")}`;
    case "unclear":
      return "budget";
    case "status":
    case "pause":
    case "resume":
    case "clear":
      return value.kind;
    default:
      return value satisfies never;
  }
}

/** A goal as one writes it: its text, a list of the lines that say when it is done, its options. */
export function textOf({
  objective,
  doneWhen = [],
  limits = {},
}: Written & { readonly limits?: Partial<Limits> }): string {
  const checks =
    doneWhen.length === 0 ? "" : `\n\nDone when:\n${doneWhen.map((line) => `- ${line}`).join("\n")}`;
  const options = WINDOWS.flatMap((name) =>
    limits[name] === undefined ? [] : [`--${name} ${limits[name]}`],
  );
  return `${objective}${checks}${options.length === 0 ? "" : `\n\n${options.join(" ")}`}`;
}

function inLine(line: string): GoalAsked {
  // Lines that stand right behind the word are lines all the same.
  const text = line.trim().replace(/^(edit)[ \t]+(?=[*_]{0,2}done when[ \t]*:)/i, "$1\n");
  if (text === "") return { kind: "status" };
  const word = WORD.exec(text)?.[1]?.toLowerCase();
  if (word !== undefined) return { kind: word as "status" | "pause" | "resume" | "clear" };
  const raises = RAISES.exec(text)?.[1]
    ?.split(/,\s+|\s+and\s+/)
    .map((each) => RAISE.exec(each));
  if (raises?.every((each) => each !== null)) return raised(raises);
  const { rest, limits, written } = taken(text);
  // Only its lines are changed.
  if (/^edit$/i.test(rest) && written.doneWhen !== undefined)
    return { kind: "edit", ...written, objective: "", limits, whole: rest };
  if (/^(?:budget|edit|replace)$/i.test(rest))
    return {
      kind: "unclear",
      why: `Say more: \`goal ${rest.toLowerCase() === "budget" ? "budget +200k" : `${rest.toLowerCase()} …`}\`.`,
    };
  const change = CHANGE.exec(rest);
  if (change === null) return { kind: "set", ...written, limits };
  const [, kind = "", objective = ""] = change;
  return {
    kind: kind.toLowerCase() === "edit" ? "edit" : "replace",
    ...written,
    objective,
    limits,
    whole: rest,
  };
}

/** Options stand at the end of all, or of what is left where lines say when it is done. */
function taken(text: string): {
  readonly rest: string;
  readonly limits: Partial<Limits>;
  readonly written: Written;
} {
  const all = withOptions(text, {});
  const lines = withoutDoneWhen(all.rest);
  const { rest, limits } = withOptions(lines.objective, all.limits);
  return { rest, limits, written: { ...lines, objective: rest } };
}

function raised(raises: readonly RegExpExecArray[]): GoalAsked {
  const more: { -readonly [K in keyof Limits]?: Limits[K] } = {};
  for (const [, digits = "", thousands = "", unit = "tokens"] of raises) {
    const amount = amountOf(digits, thousands);
    if (amount === undefined)
      return { kind: "unclear", why: "That is no number of tokens, turns or minutes." };
    more[/^turn/i.test(unit) ? "turns" : /^min/i.test(unit) ? "minutes" : "tokens"] = amount;
  }
  return { kind: "raise", more };
}

/** Options stand at the end: `--tokens 200k --turns 20 --minutes 60`. */
function withOptions(
  text: string,
  given: Partial<Limits>,
): { readonly rest: string; readonly limits: Partial<Limits> } {
  let rest = text;
  const limits: { -readonly [K in keyof Limits]?: Limits[K] } = { ...given };
  for (let match = OPTION.exec(rest); match !== null; match = OPTION.exec(rest)) {
    const [found, name = "", digits = "", thousands = ""] = match;
    const amount = amountOf(digits, thousands);
    if (amount === undefined) break;
    limits[name.toLowerCase() as keyof Limits] = amount;
    rest = rest.slice(0, -found.length);
  }
  return { rest, limits };
}

function amountOf(digits: string, thousands: string): number | undefined {
  const factor = { "": 1, k: 1_000, m: 1_000_000 }[thousands.toLowerCase()] ?? 1;
  const amount = Math.round(Number(digits.replaceAll(",", "")) * factor);
  return amount > 0 && amount <= MOST ? amount : undefined;
}
