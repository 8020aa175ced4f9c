import fc from "fast-check";
import { expect, test } from "vitest";
import { repeatedLines, type WrittenLine } from "../../../src/core/admin/repeated-lines.ts";
import { wantedIn, wordsOf } from "../../../src/core/admin/words.ts";

function found(kind: WrittenLine["kind"], lines: readonly string[], ...texts: readonly string[]) {
  const repeated = repeatedLines(lines.map((text) => ({ kind, text })));
  for (const text of texts) repeated.hear(text);
  return repeated.found().map(({ text }) => text);
}

test("of a search a word counts from its beginning, and short ones only all together", () => {
  const lines = ["deploy of it", "on it", "on fire", "employ", "", "?!"];
  expect(found("search", lines, "The deployment", "is on, isn't it")).toEqual(["deploy of it", "on it"]);
});

test("of a sentence whole words of four letters and more count", () => {
  const lines = ["the deployment failed", "deploy", "is it on", "部署 failed"];
  expect(found("sentence", lines, "The deployment is on, 的部署。")).toEqual([
    "the deployment failed",
    "部署 failed",
  ]);
});

test("whatever finds a text by the search is found here", () => {
  const words = fc.array(fc.constantFrom("deploy", "Zürich", "部署計画", "ab", "x", "สวัสดี", "v2_1", "über"), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(words, words, (said, searched) => {
      const [text, query] = [said.join(", "), searched.join(" ")];
      const has = wordsOf(text);
      const isFound = wantedIn(query)?.words.every((word) =>
        has.some((each) => (word.isBeginning ? each.startsWith(word.text) : each === word.text)),
      );
      if (isFound === true) expect(found("search", [query], text)).toEqual([query]);
    }),
  );
});
