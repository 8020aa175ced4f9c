/** The lines of a goal's text that say when it is done: each is looked at by itself before the goal counts as reached. Pure. */

import { isBlank } from "../text.ts";

/** How many such lines a goal may have, and how long one may be, in characters. */
export const MOST_CHECKS = 10;
export const CHECK_CHARACTERS = 500;

/** A goal as it was written. `doneWhen` is absent where no line says so, and empty where one says that there are none. */
export interface Written {
  readonly objective: string;
  readonly doneWhen?: readonly string[];
}

const LINE = /^[ \t]*[*_]{0,2}done when[ \t]*:[*_]{0,2}[ \t]*(.*)$/i;
const NONE = /^none\.?$/i;
const ITEM = /^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+(\S.*)$/;

/**
 * Takes lines `done when: …`, and those of a list below a line `Done when:`, out of a text. A text without them is given back
 * as it is. `done when: none` says that there are none.
 */
export function withoutDoneWhen(text: string): Written {
  const kept: string[] = [];
  const doneWhen: string[] = [];
  let isNone = false;
  const lines = text.split(/\r\n|\n|\r/);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const said = LINE.exec(line)?.[1]?.trim();
    if (said !== undefined && NONE.test(said)) {
      isNone = true;
      continue;
    }
    if (said !== undefined && said !== "") {
      doneWhen.push(said);
      continue;
    }
    const items = said === undefined ? [] : itemsFrom(lines, at + 1);
    if (items.length === 0) kept.push(line);
    doneWhen.push(...items);
    at += items.length;
  }
  return doneWhen.length === 0 && !isNone
    ? { objective: text }
    : { objective: kept.join("\n").trim(), doneWhen };
}

function itemsFrom(lines: readonly string[], first: number): readonly string[] {
  const items: string[] = [];
  for (const line of lines.slice(first)) {
    const item = ITEM.exec(line)?.[1]?.trim();
    if (item === undefined) break;
    items.push(item);
  }
  return items;
}

/** What is wrong with them, for whoever wrote them. */
export function problemOfChecks(doneWhen: readonly string[]): string | undefined {
  if (doneWhen.length > MOST_CHECKS)
    return `A goal may have at most ${MOST_CHECKS} \`done when\` lines; this one has ${doneWhen.length}.`;
  if (doneWhen.some((line) => isBlank(line))) return "A `done when` line needs a text.";
  const characters = Math.max(0, ...doneWhen.map((line) => Array.from(line).length));
  return characters > CHECK_CHARACTERS
    ? `A \`done when\` line may have at most ${CHECK_CHARACTERS} characters; one of these has ${characters}.`
    : undefined;
}
