/**
 * Statements that are put together from parts. Each part of a statement is set up also where it then finds nothing to do,
 * and a part that writes costs some 15 microseconds: so a statement has only those that are needed this time.
 */

import type { Statement } from "./sql.ts";

/** Postgres tells only so many characters of names from each other, and two statements of one name are a fault of the second. */
const MOST_NAME = 63;

/**
 * Made when a shape is first asked for, and the same from then on. The name tells every shape from every other. A statement whose
 * name is longer than 63 characters goes without: it is right as well, and is planned anew each time.
 */
export function shaped<S>(make: {
  readonly name: (shape: S) => string;
  readonly text: (shape: S) => string;
}): (shape: S) => Statement {
  const made = new Map<string, Statement>();
  return (shape) => {
    const name = make.name(shape);
    const known = made.get(name);
    if (known !== undefined) return known;
    const text = make.text(shape);
    const statement = name.length > MOST_NAME ? { text } : { name, text };
    made.set(name, statement);
    return statement;
  };
}

/** Flags as the part of a name, in the order in which they stand. */
export const flagsOf = (flags: Readonly<Record<string, boolean>>): string =>
  Object.values(flags)
    .map((flag) => (flag ? "1" : "0"))
    .join("");
