// The emoji below a message, as they are read.
import { expect, test } from "vitest";
import { reactionsMarkup } from "../../../src/adapters/admin/pages/reactions.ts";

const given = { message: "p1", person: "U1", name: "Ana", emoji: ":tada:", at: 1_000 };
const wordsOf = (markup: unknown): string =>
  String(markup)
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

test("of an answer on several pages it is said to which one an emoji was given, of one page and of a message it is not", async () => {
  const second = { ...given, message: "p2" };
  const first = "1970-01-01 00:00:01 UTC";
  expect(wordsOf(await reactionsMarkup([given, second], ["p1", "p2"]))).toBe(
    `:tada: Ana to page 1 ${first} :tada: Ana to page 2 ${first}`,
  );
  for (const pages of [["p1"], undefined])
    expect(wordsOf(await reactionsMarkup([given], pages))).toBe(`:tada: Ana ${first}`);
  expect(reactionsMarkup([])).toBe("");
});

test("one that was taken back is struck through, and says so to who does not see that", async () => {
  const markup = String(await reactionsMarkup([{ ...given, takenAt: 2_000 }]));
  expect(markup).toMatch(/<s><bdi>:tada:<\/bdi> <bdi>Ana<\/bdi><\/s>/);
  expect(wordsOf(markup)).toBe(":tada: Ana 1970-01-01 00:00:01 UTC , taken back 1970-01-01 00:00:02 UTC");
  expect(markup).toContain('title="Ana (U1): :tada:"');
});
