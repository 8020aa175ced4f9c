// The table of what happens when something breaks (DESIGN, section 15): each of its moments is the title of a test, in its words. So are,
// by their numbers and ids, the ways in which other bots on Discord break (docs/platforms.md) and what was reported of them in the field.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

/** What is promised of a moment, and which test holds it: its file, and what stands in its title. */
type Promised = readonly [promise: string, file: string, title: string];

const MOMENTS: Readonly<Record<string, readonly Promised[]>> = {
  "crash before the inbound is stored": [
    ["not acknowledged: sent again", "flow/when-it-breaks", "crash before the inbound is stored"],
  ],
  "same event twice, or mention and message copies of one post": [
    ["stored once, answered once", "flow/slack-intake", "same event twice, or mention and message copies"],
  ],
  "crash between store and wake; Redis emptied or away": [
    [
      "waiting inbounds, unfinished runs, due continuations",
      "flow/when-it-breaks",
      "crash between store and",
    ],
  ],
  "worker killed at any point": [
    ["from the last stored round, at each step", "core/run/takeover", "worker killed at any point (%s %s)"],
    ["also while a text, a tool or one of several is under way", "core/run/takeover", "point (in %s)"],
    ["in the same reply, a whole process", "flow/kill", "a worker killed in mid-run: another one goes on"],
    ["no inbound lost or answered twice", "flow/chaos", "nobody's message is lost or answered twice"],
  ],
  "killed between the end and its final pages": [
    ["delivered without asking again", "flow/kill", "killed between the end and its final pages"],
  ],
  "worker paused past its lease": [
    [
      "each of its writes is refused",
      "core/run/takeover",
      "each write of an attempt that another has replaced",
    ],
    ["no write is taken, none of the platform and no tool begins", "flow/zombie", "B12: a worker paused for"],
    [
      "no tool starts without a lease",
      "core/run/takeover",
      "lost without a signal while tools are asked for",
    ],
    ["as people see it", "flow/interrupted", "worker paused past its lease"],
  ],
  "Redis restarts, Postgres restarts": [
    ["goes on; health says what is missing", "flow/when-it-breaks", "Redis restarts, Postgres restarts"],
    ["for longer than a lease", "flow/redis-outage", "Redis killed in mid-run for longer than a lease"],
    ["Postgres away at each step of a run", "core/run/outage", "away for longer than a run has attempts"],
  ],
  "rate limit, 5xx, timeout of the platform": [
    [
      "newest text, final lands, nothing twice",
      "flow/slack-trouble",
      "rate limit, 5xx, timeout of the platform",
    ],
  ],
  "reply or root deleted by a person": [
    ["posted anew once", "flow/slack-trouble", "reply or root deleted by a person: an answer"],
    [
      "ends quietly, never into the channel",
      "flow/slack-trouble",
      "reply or root deleted by a person: the root",
    ],
  ],
  "model fails, stalls, or cuts the stream": [
    ["one sentence with a run id and Retry", "flow/model-trouble", "model fails, stalls, or cuts the stream"],
    [
      "bounded retry",
      "adapters/openai/retry",
      "a provider that takes the request and never answers costs one",
    ],
    ["History stays valid", "core/agent/loop-anything", "requests are valid and every call has one result"],
  ],
  "hostile text (NUL, lone surrogates, 1 MB)": [
    ["stored and shown the same", "adapters/postgres/reading", "hostile text (NUL, lone surrogates, 1 MB)"],
  ],
  SIGTERM: [
    ["handed over, in the same message", "flow/leaving", "SIGTERM: a worker that leaves in mid-stream"],
    ["at the round's border", "core/run/takeover", "a worker that leaves and reaches a border in time"],
    ["what its tools did is kept", "core/run/takeover", "a worker that leaves within a batch of calls"],
    ["the second signal: at once", "flow/leaving", "a second signal ends at once"],
  ],
};

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

/**
 * A test, up to its title, which is on the same line or the next; of a table of cases behind the table, which ends with the indent of its
 * beginning. One that is skipped, or stands in a comment, is none.
 */
const TEST = /^([ \t]*)(?:test|it|describe)(?![.\w]*\.(?:skip|todo))((?:\.\w+)*)(?:<[^\n]*>)?\(/gm;
const TITLE = /\s*(["'`])((?:(?!\1).)+)\1/y;

/** The first cell of a row of a table that is named by an id. */
const ROW = /^\s*(["`])([A-Z]\d+: (?:(?!\1).)+)\1,/gm;

interface Title {
  /** Without `.test.ts`, from this folder. */
  readonly file: string;
  readonly title: string;
}

function titleAt(source: string, at: number, indent: string, kind: string): string | undefined {
  let from = at;
  if (/\.(?:each|for)$/.test(kind)) {
    const line = source.slice(at, source.indexOf("\n", at)).lastIndexOf(")(");
    const end = new RegExp(`\\n${indent}(?=[)\\]])[^\\n]*?\\)\\(`, "g");
    end.lastIndex = at;
    if (line < 0 && end.exec(source) === null) return undefined;
    from = line < 0 ? end.lastIndex : at + line + 2;
  }
  TITLE.lastIndex = from;
  return TITLE.exec(source)?.[2];
}

function titlesIn(source: string): readonly string[] {
  return [...source.matchAll(TEST)].flatMap((found) => {
    const [whole, indent = "", kind = ""] = found;
    return titleAt(source, found.index + whole.length, indent, kind) ?? [];
  });
}

/** @param about only those whose file has this in its path. */
async function titled(about = ""): Promise<readonly Title[]> {
  const all = await sources(about);
  return all.flatMap(({ file, source }) => titlesIn(source).map((title) => ({ file, title })));
}

async function titles(about = ""): Promise<readonly string[]> {
  return (await titled(about)).map(({ title }) => title);
}

async function rows(): Promise<readonly string[]> {
  return (await sources("")).flatMap(({ source }) => [...source.matchAll(ROW)].map(([, , row = ""]) => row));
}

async function sources(about: string): Promise<readonly { file: string; source: string }[]> {
  const files = await readdir(import.meta.dirname, { recursive: true });
  return Promise.all(
    files
      .filter((file) => file.endsWith(".test.ts") && file.includes(about))
      .map(async (file) => ({
        file: file.replace(/\.test\.ts$/, ""),
        source: await readFile(join(import.meta.dirname, file), "utf8"),
      })),
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
const SAFETY = ["S5", "S7", "S8", "S9", "S11", "S13", "S14", "S16", "S18", "S19"];

test("each case of how answers are shown and delivered, and of safety as far as output goes, is in the title of a test", async () => {
  const all = [...(await titles()), ...(await rows())];
  const isNamed = (name: string): boolean =>
    all.some((title) => new RegExp(`(?:^|[\\s,])${name}(?=[ :,])`).test(title));
  expect([...OUTPUT, ...SAFETY].filter((name) => !isNamed(name))).toEqual([]);
});

test("a title is that of a test which runs: none that is skipped or commented out, and a table's is behind its cases", () => {
  const source = [
    `test("a", () => {});`,
    `// test("b", () => {});`,
    `  test.skip("c", () => {});`,
    `test.skip.each([1])("d", () => {});`,
    `test.each<[string]>([`,
    `  ["(e)("],`,
    `])("f %s", () => {});`,
    `test.each(`,
    `  [1].map((n) => [n]),`,
    `)(`,
    `  'g',`,
    `  () => {},`,
    `);`,
    `  describe.each([1])("h", () => {});`,
    `test("i", () => expect(pattern("x")).toBe(")("));`,
  ].join("\n");
  expect(titlesIn(source)).toEqual(["a", "f %s", "g", "h", "i"]);
});

test("each moment at which something may break is the title of a test, in its words", async () => {
  const all = await titles();
  expect(all.length).toBeGreaterThan(500);
  const moments = Object.keys(MOMENTS);
  expect(moments.filter((moment) => !all.some((title) => title.includes(moment)))).toEqual([]);
});

test("each thing that is promised of such a moment has its test, where it is said to be", async () => {
  const all = await titled();
  const promised = Object.values(MOMENTS).flat();
  const isHeld = ([, file, title]: Promised): boolean =>
    all.some((each) => each.file === file && each.title.includes(title));
  expect(promised.filter((one) => !isHeld(one))).toEqual([]);
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
