// Lists and quotes that a page ends in: they go on as what they were, and are counted on.
import fc from "fast-check";
import type { Nodes } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { expect, test } from "vitest";
import { split } from "../../../src/core/reply/split.ts";
import { list, numbered, prose } from "../../support/markdown-arbitrary.ts";
import { units } from "./split-reading.ts";

test("does not cut a list item that fits on the next page", () => {
  const item = "one two three four five six seven";
  const pages = split(`- ${item}\n- ${item}\n- ${item}`, units(80));
  expect(pages).toEqual([`- ${item}\n- ${item}`, `- ${item}`]);
});

test("moves the rest of a nested list to the margin, where it is a list and not code", () => {
  const pages = split(
    `- aaaaaaaaaaaaaaaaaaaa\n    - bbbbbbbbbbbbbbb\n    - cccccccccccccc\n- ddd`,
    units(55),
  );
  expect(pages).toEqual(["- aaaaaaaaaaaaaaaaaaaa\n    - bbbbbbbbbbbbbbb", "- cccccccccccccc\n- ddd"]);
});

test("the second item of a list stays an item behind a first one that goes on over several pages", () => {
  expect(split("1. aaaa aaaa aaaa bbbb bbbb bbbb cccc\n2. dddd", units(18))).toEqual([
    "1. aaaa aaaa",
    "aaaa bbbb bbbb",
    "bbbb cccc\n\n2. dddd",
  ]);
  expect(split("1. aaaa aaaa\n   bbbb bbbb bbbb\n   cccc\n2. dddd", units(18))).toEqual([
    "1. aaaa aaaa",
    "bbbb bbbb bbbb",
    "cccc\n\n2. dddd",
  ]);
  expect(split("> 1. aaaa aaaa aaaa bbbb bbbb\n> 2. dddd", units(20))).toEqual([
    "> 1. aaaa aaaa",
    "> aaaa bbbb",
    "> bbbb\n>\n> 2. dddd",
  ]);
  expect(split("> 1. aaaa aaaa aaaa\n> 2. dddd", units(20))).toEqual([
    "> 1. aaaa aaaa",
    "> aaaa\n>\n> 2. dddd",
  ]);
});

test("keeps the indent of a list and the marks of a quote behind a cut at the very end of a line", () => {
  expect(split("- fff `gggg hhhh`\n    - a\n        - b", units(14))).toEqual([
    "- fff",
    "`gggg hhhh`",
    "  - a",
    "- b",
  ]);
  expect(split("> `gggg`\n> - a b c", units(10))).toEqual(["> `gggg`", "> - a b c"]);
});

test("R21: the numbers of a list go on on the next page, also where every item was written as the first", () => {
  const item = "some words of an item that are long enough";
  const pages = split(Array.from({ length: 12 }, () => `1. ${item}`).join("\n"), units(150));
  const numbers = pages
    .map((page) => fromMarkdown(page).children[0])
    .map((node) => (node?.type === "list" ? node.start : 0));
  expect(numbers).toEqual([1, 4, 7, 10]);
  const nested = `1. first\n2. second\n   - ${item}\n   - ${item}\n   - ${item}\n2. third, written as the second`;
  expect(split(nested, units(120)).at(-1)).toContain("3. third");
  const long = `1. one\n1. ${"two and more of it. ".repeat(12).trim()}\n1. three`;
  expect(split(long, units(100)).at(-1)).toContain("3. three");
  // What follows a list is another one.
  expect(
    split(`1. a ${item}\n2. b ${item}\n\nBetween ${item}.\n\n1. c ${item}`, units(120)).join("\n"),
  ).toContain("1. c");
});

test("R21: a list in a list that is cut keeps its own numbers, and so do those around it", () => {
  expect(split("1. one\n   1. a\n   2. b\n   3. c\n2. two", units(24))).toEqual([
    "1. one\n   1. a",
    "2. b\n3. c\n2) two",
  ]);
  expect(
    split("1. one\n   1. a\n      1. a1\n      2. a2\n   2. b\n      1. b1\n2. two\n3. three", units(30)),
  ).toEqual(["1. one\n   1. a", "1. a1\n2. a2\n2) b\n   1. b1", "2. two\n3. three"]);
  expect(split("1. one one one one one one\n   1. a\n   1. b\n1. two", units(20))).toEqual([
    "1. one one one one",
    "one one\n\n1. a",
    "2. b\n2) two",
  ]);
  expect(split("> 1. one\n>    1. a\n>    2. b\n>    3. c\n> 2. two", units(28))).toEqual([
    "> 1. one\n>    1. a",
    "> 2. b\n> 3. c\n> 2) two",
  ]);
});

test("R21: the list behind a paragraph is another one, and a number that gets longer keeps what is below it", () => {
  expect(split("1. one one one one one\n\nBetween.\n\n1. x\n2. y", units(20))).toEqual([
    "1. one one one one",
    "one\n\nBetween.",
    "1. x\n2. y",
  ]);
  const items = Array.from({ length: 11 }, (_, at) => `1. item ${at}\n   - in it`);
  expect(split(items.join("\n"), units(200)).at(-1)).toBe("10. item 9\n    - in it\n1. item 10\n   - in it");
});

test("R21: numbers are what they are in the whole, wherever it is cut", () => {
  const numbersOf = (text: string): number[] => {
    const visit = (node: Nodes): number[] => {
      const first = node.type === "list" && node.ordered === true ? (node.start ?? 1) : undefined;
      return "children" in node
        ? node.children.flatMap((child, at) => [
            ...(first === undefined ? [] : [first + at]),
            ...visit(child),
          ])
        : [];
    };
    return visit(fromMarkdown(text));
  };
  const blocks = fc.array(fc.oneof({ weight: 3, arbitrary: numbered }, list, prose), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(blocks, fc.integer({ min: 40, max: 500 }), (parts, size) => {
      const whole = parts.join("\n\n");
      expect(split(whole, units(size)).flatMap(numbersOf)).toEqual(numbersOf(whole));
    }),
    { numRuns: 100, endOnFailure: true },
  );
});

test("keeps a quote a quote", () => {
  const pages = split(`> ${"word ".repeat(40).trim()}`, units(60));
  for (const page of pages) expect(page).toMatch(/^> word/);
});
