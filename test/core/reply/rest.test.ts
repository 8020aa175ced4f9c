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
