// The table of what happens when something breaks (DESIGN, section 15): each of its moments is the title of a test, in its words.
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

async function titles(): Promise<readonly string[]> {
  const files = await readdir(import.meta.dirname, { recursive: true });
  const sources = await Promise.all(
    files
      .filter((file) => file.endsWith(".test.ts"))
      .map((file) => readFile(join(import.meta.dirname, file), "utf8")),
  );
  return sources.flatMap((source) => [...source.matchAll(TITLE)].map(([, , title = ""]) => title));
}

test("each moment at which something may break is the title of a test, in its words", async () => {
  const all = await titles();
  expect(all.length).toBeGreaterThan(500);
  expect(MOMENTS.filter((moment) => !all.some((title) => title.includes(moment)))).toEqual([]);
});
