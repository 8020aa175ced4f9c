/**
 * What a person asks of a goal, as they write it behind `goal`. A word counts only when it is all that was written: "pause the
 * deploy" is a goal, and "pause" pauses it.
 */

import { withoutDoneWhen, type Written } from "./done-when.ts";
import { DEFAULT_LIMITS } from "./goal.ts";
import type { Limits } from "./event.ts";

export type GoalAsked =
  | { readonly kind: "status" | "pause" | "resume" | "clear" }
  | ({ readonly kind: "set"; readonly limits: Limits } & Written)
  /** `whole`: what it is as a goal of its own, where there is none that it could change. */
  | ({ readonly kind: "replace" | "edit"; readonly limits: Limits; readonly whole: string } & Written)
  | { readonly kind: "raise"; readonly more: Partial<Limits> }
  /** Read by whoever wrote it. */
  | { readonly kind: "unclear"; readonly why: string };

const WORD = /^(status|pause|resume|clear)$/i;
const CHANGE = /^(replace|edit)\s+(\S[\s\S]*)$/i;
const RAISE = /^budget\s+\+?\s*(\d[\d.,]*)\s*([km]?)\s*(tokens?|turns?|minutes?|mins?)?$/i;
const OPTION = /\s+--(tokens|turns|minutes)[ =](\d[\d.,]*)([km]?)\s*$/i;

/** No window is larger, whatever is written. */
const MOST = 1_000_000_000;

/** @param usual what it may use where nothing is written of that. */
export function goalAsked(line = "", usual: Limits = DEFAULT_LIMITS): GoalAsked {
  // Lines that stand right behind the word are lines all the same.
  const text = line.trim().replace(/^(edit)[ \t]+(?=[*_]{0,2}done when[ \t]*:)/i, "$1\n");
  if (text === "") return { kind: "status" };
  const word = WORD.exec(text)?.[1]?.toLowerCase();
  if (word !== undefined) return { kind: word as "status" | "pause" | "resume" | "clear" };
  if (/^(?:budget|edit|replace)$/i.test(text))
    return {
      kind: "unclear",
      why: `Say more: \`goal ${text.toLowerCase() === "budget" ? "budget +200k" : `${text.toLowerCase()} …`}\`.`,
    };
  const raise = RAISE.exec(text);
  if (raise !== null) return raised(raise);
  const { rest, limits, written } = taken(text, usual);
  // Only its lines are changed.
  if (/^edit$/i.test(rest) && written.doneWhen !== undefined)
    return { kind: "edit", ...written, objective: "", limits, whole: rest };
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
function taken(
  text: string,
  usual: Limits,
): { readonly rest: string; readonly limits: Limits; readonly written: Written } {
  const all = withOptions(text, usual);
  const lines = withoutDoneWhen(all.rest);
  const { rest, limits } = withOptions(lines.objective, all.limits);
  return { rest, limits, written: { ...lines, objective: rest } };
}

function raised([, digits = "", thousands = "", unit = "tokens"]: RegExpExecArray): GoalAsked {
  const amount = amountOf(digits, thousands);
  if (amount === undefined) return { kind: "unclear", why: "That is no number of tokens, turns or minutes." };
  const key = /^turn/i.test(unit) ? "turns" : /^min/i.test(unit) ? "minutes" : "tokens";
  return { kind: "raise", more: { [key]: amount } };
}

/** Options stand at the end: `--tokens 200k --turns 20 --minutes 60`. */
function withOptions(text: string, given: Limits): { readonly rest: string; readonly limits: Limits } {
  let rest = text;
  const limits: { -readonly [K in keyof Limits]: Limits[K] } = { ...given };
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
