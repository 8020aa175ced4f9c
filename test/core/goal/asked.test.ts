import { expect, test } from "vitest";
import { goalAsked, lineOfGoal } from "../../../src/core/goal/asked.ts";

/** None is named. */
const limits = {};

test("a subcommand word counts only when it is the whole argument", () => {
  for (const kind of ["status", "pause", "resume", "clear"]) {
    expect(goalAsked(kind)).toEqual({ kind });
    expect(goalAsked(` ${kind.toUpperCase()} `)).toEqual({ kind });
    const objective = `${kind} the deploy`;
    expect(goalAsked(objective)).toEqual({ kind: "set", objective, limits });
  }
  expect(goalAsked("")).toEqual({ kind: "status" });
});

test("edit and replace take the rest, of several lines too, and keep the whole for where there is nothing to change", () => {
  expect(goalAsked("edit the docs")).toEqual({
    kind: "edit",
    objective: "the docs",
    limits,
    whole: "edit the docs",
  });
  expect(goalAsked("replace a\nb")).toMatchObject({ kind: "replace", objective: "a\nb" });
  for (const word of ["edit", "replace", "budget"]) expect(goalAsked(word).kind).toBe("unclear");
});

test.each([
  ["budget +200k", { tokens: 200_000 }],
  ["budget 1.5m tokens", { tokens: 1_500_000 }],
  ["budget +10 turns", { turns: 10 }],
  ["budget +30 minutes", { minutes: 30 }],
  ["budget +1,500 tokens, +10 turns and 5 min", { tokens: 1_500, turns: 10, minutes: 5 }],
])("%s raises what it names", (line, more) => {
  expect(goalAsked(line)).toEqual({ kind: "raise", more });
});

test("what only begins like a raise is a goal", () => {
  expect(goalAsked("budget for next year, as a table")).toMatchObject({ kind: "set" });
  expect(goalAsked("budget +0").kind).toBe("unclear");
});

test.each([
  "status",
  "tidy the wiki",
  "tidy the wiki\n\nDone when:\n- no link is dead\n- all pages are there\n\n--tokens 200000 --turns 5",
  "edit the docs",
  "replace the docs\n\n--minutes 7",
  "budget +200000 tokens, +10 turns",
])("what was asked is written as a line that asks the same: %s", (line) => {
  expect(lineOfGoal(goalAsked(line))).toBe(line);
});

test("options stand at the end, and what is not one stays in the text", () => {
  expect(goalAsked("tidy the wiki --tokens 200k --turns 5 --minutes 90")).toEqual({
    kind: "set",
    objective: "tidy the wiki",
    limits: { tokens: 200_000, turns: 5, minutes: 90 },
  });
  expect(goalAsked("explain --turns 5 to Ben")).toMatchObject({
    objective: "explain --turns 5 to Ben",
    limits,
  });
});

test("options alone are no text of a goal", () => {
  expect(goalAsked("--tokens 200k")).toEqual({ kind: "set", objective: "", limits: { tokens: 200_000 } });
  for (const word of ["edit", "replace", "budget"])
    expect(goalAsked(`${word} --turns 5`).kind).toBe("unclear");
});
