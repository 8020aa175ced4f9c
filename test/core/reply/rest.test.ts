// What a page begins with that another one was cut off from.
import { expect, test } from "vitest";
import { split } from "../../../src/core/reply/split.ts";

const link = "[link](https://a.example/123456)";
const limits = { pageSize: link.length + 1, measure: (text: string) => text.length };

test.for([
  ["1. said", "1\\. said"],
  ["12) said", "12\\) said"],
  ["- said", "\\- said"],
  ["# said", "\\# said"],
  ["> said", "\\> said"],
  ["1.5 said", "1.5 said"],
])("%s amid a line is prose, also where a link that fills its page stands before it", ([said, shown]) => {
  expect(split(`${link} ${said}`, limits)).toEqual([link, shown]);
});

test("the header of a table is not cut where its first row is longer than a page and begins with what cannot be", () => {
  const header = "| name | and | more |\n| --- | --- | --- |\n";
  const pages = split(`${header}| \`${"a".repeat(90)}\` | b | c |\n| d | e | f |`, {
    ...limits,
    pageSize: 80,
  });
  expect(pages[0]?.startsWith(header)).toBe(true);
  expect(pages.at(-1)).toMatch(/\n\| d \| e \| f \|$/);
});

test("a list behind a quoted one is counted by itself", () => {
  const pages = split("> 1. quoted\n\n1. one\n   more of it\n1. two", { ...limits, pageSize: 25 });
  expect(pages.at(-1)).toBe("2. two");
});
