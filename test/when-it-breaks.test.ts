// The table of what happens when something breaks (DESIGN, section 15): each of its moments is the title of a test, in its words. So are,
// by their numbers and ids, the ways in which other bots on Discord break (docs/platforms.md) and what was reported of them in the field.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const MOMENTS = [
  "crash before the inbound is stored",
  "same event twice, or mention and message copies of one post",
  "crash between store and wake; Redis emptied or away",
  "worker killed at any point",
  "killed between the end and its final pages",
  "worker paused past its lease",
  "Redis restarts, Postgres restarts",
  "rate limit, 5xx, timeout of the platform",
  "reply or root deleted by a person",
  "model fails, stalls, or cuts the stream",
  "hostile text (NUL, lone surrogates, 1 MB)",
  "SIGTERM",
] as const;

/** A title is the text behind `test(`, `it(` or `describe(`, also of a table of cases, on the same line or the next. */
const TITLE = /(?:\b(?:test|it|describe)|\))\(\s*(["`])((?:(?!\1).)+)\1/g;

/** @param about only those whose file has this in its path. */
async function titles(about = ""): Promise<readonly string[]> {
  const files = await readdir(import.meta.dirname, { recursive: true });
  const sources = await Promise.all(
    files
      .filter((file) => file.endsWith(".test.ts") && file.includes(about))
      .map((file) => readFile(join(import.meta.dirname, file), "utf8")),
  );
  return sources.flatMap((source) => [...source.matchAll(TITLE)].map(([, , title = ""]) => title));
}

/** The fifteen most reported ways in which bots on Discord break. */
const PITFALLS = Array.from({ length: 15 }, (_, at) => `pitfall ${at + 1}`);
/** What was reported of what comes in: what can happen on Discord, though some of it was seen elsewhere. */
const CASES = ["I5", "I7", "I8", "I13", "I14", "I15", "I19", "I21"];

test("each moment at which something may break is the title of a test, in its words", async () => {
  const all = await titles();
  expect(all.length).toBeGreaterThan(500);
  expect(MOMENTS.filter((moment) => !all.some((title) => title.includes(moment)))).toEqual([]);
});

test("each of the most reported ways in which bots on Discord break, and each case of the field, is in the title of a test on Discord", async () => {
  const all = await titles("discord");
  expect(all.length).toBeGreaterThan(80);
  const isNamed = (name: string): boolean =>
    all.some((title) => new RegExp(`(?:^|\\s)${name}(?=[ :])`).test(title));
  expect([...PITFALLS, ...CASES].filter((name) => !isNamed(name))).toEqual([]);
});
