/** The one rule for what a session is called, on every screen. */

import { withinItself, withoutIsolates } from "./reply/steering-signs.ts";
import { headOf } from "./text.ts";

const LONGEST = 60;

/**
 * A title where there is one, else the first words of the first message, else a neutral name. One line, at most 60 units, that turns nothing
 * around that stands beside it.
 */
export function labelOf(session: {
  readonly title?: string | undefined;
  readonly firstText?: string | undefined;
}): string {
  const line = [session.title, session.firstText]
    .map((text) => oneLine(text ?? ""))
    .find((text) => text !== "");
  if (line === undefined) return "New thread";
  if (line.length <= LONGEST) return line;
  const head = headOf(line, LONGEST - 1);
  const space = head.lastIndexOf(" ");
  const label = withinItself(`${space > LONGEST / 2 ? head.slice(0, space) : head}…`);
  return label.length <= LONGEST ? label : oneLine(withoutIsolates(label));
}

/** What is left out may have stood between two spaces. */
function oneLine(text: string): string {
  return withinItself(text).replaceAll(/\s+/gu, " ").trim();
}
