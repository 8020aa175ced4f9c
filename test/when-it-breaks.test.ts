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

/** What has to hold of goals, however people, the model, workers and providers come together (docs/goals.md). */
const GOALS = [
  "typed stop during a continuation",
  "pause while a continuation is queued",
  "double resume",
  "clear in the middle of a tool",
  "edit in the middle of a run",
  "human message in the same millisecond as a continuation",
  "two workers picking one job",
  "crash after the tool and before the append",
  "crash between settle and dispatch",
  "budget crossed by a helper call",
  "provider 429 in a user turn and in a goal turn",
  "provider down for an hour",
  "wake after clear",
  "owner removed from the channel",
  "objective with `</objective>` and mentions in it",
  "goal on an archived Discord thread",
  "/reset with a waiting goal",
  "verifier unavailable",
] as const;
/** What was reported of goals and stops in the field. */
const GOAL_CASES = ["G1", "G2", "G4", "G6", "G7", "G10", "G11", "G12", "G14", "G16", "G17"];

/** A title is the text behind `test(`, `it(` or `describe(`, also of a table of cases, on the same line or the next. */
const TITLE = /(?:\b(?:test|it|describe)|\))\(\s*(["`])((?:(?!\1).)+)\1/g;

/** The same, and the first cell of a row of such a table that is named by an id. */
const ROW = new RegExp(`${TITLE.source}|^\\s*(["\`])([A-Z]\\d+: (?:(?!\\3).)+)\\3,`, "gm");

/** @param about only those whose file has this in its path. */
async function titles(about = "", pattern = TITLE): Promise<readonly string[]> {
  const files = await readdir(import.meta.dirname, { recursive: true });
  const sources = await Promise.all(
    files
      .filter((file) => file.endsWith(".test.ts") && file.includes(about))
      .map((file) => readFile(join(import.meta.dirname, file), "utf8")),
  );
  return sources.flatMap((source) =>
    [...source.matchAll(pattern)].map(([, , title, , row]) => title ?? row ?? ""),
  );
}

/** The fifteen most reported ways in which bots on Discord break. */
const PITFALLS = Array.from({ length: 15 }, (_, at) => `pitfall ${at + 1}`);
/** What was reported of what comes in: what can happen on Discord, though some of it was seen elsewhere. */
const CASES = ["I5", "I7", "I8", "I13", "I14", "I15", "I19", "I21"];

/** What was reported of how answers are shown and delivered, and what of safety is about what goes out. */
const OUTPUT = [
  "R1",
  "R4",
  "R5",
  "R6",
  "R8",
  "R9",
  "R11",
  "R12",
  "R14",
  "R15",
  "R18",
  "R19",
  "R20",
  "R21",
  "R23",
  "R24",
];
const SAFETY = ["S5", "S7", "S8", "S9", "S11", "S13", "S14", "S16", "S19"];

test("each case of how answers are shown and delivered, and of safety as far as output goes, is in the title of a test", async () => {
  const all = await titles("", ROW);
  const isNamed = (name: string): boolean =>
    all.some((title) => new RegExp(`(?:^|[\\s,])${name}(?=[ :,])`).test(title));
  expect([...OUTPUT, ...SAFETY].filter((name) => !isNamed(name))).toEqual([]);
});

test("each moment at which something may break is the title of a test, in its words", async () => {
  const all = await titles();
  expect(all.length).toBeGreaterThan(500);
  expect(MOMENTS.filter((moment) => !all.some((title) => title.includes(moment)))).toEqual([]);
});

test("what has to hold of goals, and what was reported of them in the field, is the title of a test", async () => {
  const all = await titles();
  expect(GOALS.filter((line) => !all.some((title) => title.includes(line)))).toEqual([]);
  const isNamed = (name: string): boolean =>
    all.some((title) => new RegExp(`\\b${name}\\b[): ]`).test(title));
  expect(GOAL_CASES.filter((name) => !isNamed(name))).toEqual([]);
});

test("each of the most reported ways in which bots on Discord break, and each case of the field, is in the title of a test on Discord", async () => {
  const all = await titles("discord");
  expect(all.length).toBeGreaterThan(80);
  const isNamed = (name: string): boolean =>
    all.some((title) => new RegExp(`(?:^|\\s)${name}(?=[ :])`).test(title));
  expect([...PITFALLS, ...CASES].filter((name) => !isNamed(name))).toEqual([]);
});
