// The reply that is tried again: it says so and loses its buttons, and no word of it changes.
import { expect, test } from "vitest";
import { RunBench, type RunBenchOptions } from "../../support/run-bench.ts";
import { calls, fails, reply, type ScriptedStep } from "../../support/scripted-model.ts";
import { tool } from "../../support/agent-library.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();
const bench = (script: readonly ScriptedStep[], options?: RunBenchOptions): RunBench =>
  new RunBench(backend.sql(), script, options);
const looks = { ...tool("look", "seen"), doing: (count: number) => `Reading ${count} pages` };
const linesOf = (b: RunBench, at: number): readonly string[] | undefined =>
  b.thread.visible()[at]?.steps?.map(({ line }) => line);

test.each(["steps", "full"] as const)(
  "its steps keep their words, where a thread shows %s",
  async (value) => {
    const b = bench([calls(["c1", "look"], ["c2", "look"]), fails("model_cut", "So far"), reply("here")], {
      tools: [looks],
    });
    await b.say("hello");
    await b.command({ name: "verbosity", value });
    await b.rest();
    const stood = linesOf(b, 0);
    expect(stood?.[0]).toMatch(/^Reading \d pages/);
    await b.command("retry");
    await b.rest();
    expect(b.shown()[0]).toMatch(/It is tried again below\.\]$/);
    expect(linesOf(b, 0)).toEqual(stood);
    expect(await b.problems()).toEqual([]);
  },
);

/** Two pages wherever it is cut, and elsewhere where steps are shown. */
const TWO_PAGES = Array.from({ length: 6 }, (_, n) => `Paragraph ${n}. ${"word ".repeat(80).trim()}`).join(
  "\n\n",
);
const buttonsOf = (b: RunBench): string[][] =>
  b.thread.visible().map(({ buttons }) => buttons.map(({ action }) => action));

/** An answer of two pages that broke off behind a step, and the same once it is tried again. */
async function retried(b: RunBench, between: () => Promise<unknown>): Promise<readonly string[]> {
  await b.rest();
  const stood = b.thread.texts();
  expect(stood).toHaveLength(2);
  expect(stood.join("\n\n")).toBe(TWO_PAGES);
  expect(buttonsOf(b)).toEqual([[], ["retry", "details"]]);
  await between();
  await b.command("retry");
  await b.rest();
  expect(b.thread.texts()).toEqual([...stood, "here"]);
  expect(await b.problems()).toEqual([]);
  return stood;
}

const twoPages = (): RunBench =>
  bench([calls(["c1", "look"]), fails("model_cut", TWO_PAGES), reply("here")], { tools: [looks] });

test("no word of several pages is lost or stands twice where a thread shows more since, or less, and no steps come or go", async () => {
  const b = twoPages();
  await b.say("hello");
  const quiet = await retried(b, () => b.command({ name: "verbosity", value: "steps" }));
  expect(buttonsOf(b)[1]).toEqual([]);
  expect(linesOf(b, 1)).toBe(undefined);
  const shows = twoPages();
  await shows.say("hello");
  await shows.command({ name: "verbosity", value: "steps" });
  const steps = await retried(shows, () => shows.command({ name: "verbosity", value: "quiet" }));
  expect(buttonsOf(shows)[1]).toEqual([]);
  expect(linesOf(shows, 1)).toEqual([expect.stringMatching(/^Reading 1 pages/)]);
  // The same number of pages, and other words on each.
  expect(steps).not.toEqual(quiet);
});

test("a page whose place would be another one today is left, button and all: the platform wanted smaller pages then", async () => {
  const b = twoPages();
  b.thread.react = ({ page }) => ({ kind: (page?.markdown.length ?? 0) > 1_500 ? "too_long" : "ok" });
  await b.say("hello");
  await b.passes(
    retried(b, async () => {
      b.thread.react = () => ({ kind: "ok" });
    }),
  );
  expect(buttonsOf(b)[1]).toEqual(["retry", "details"]);
});

test("where nobody stored how it was laid out, several pages are left, and a single one says that it is tried again", async () => {
  const forget = () => backend.sql().query({ text: "update runs set laid_out = null" });
  const several = twoPages();
  await several.say("hello");
  await retried(several, forget);
  expect(buttonsOf(several)[1]).toEqual(["retry", "details"]);
  const single = bench([fails("model_cut", "So far"), reply("here")]);
  await single.say("hello");
  await single.rest();
  await forget();
  await single.command("retry");
  await single.rest();
  expect(single.shown()).toEqual([expect.stringMatching(/^So far \[.*It is tried again below\.\]$/), "here"]);
  expect(buttonsOf(single)[0]).toEqual([]);
});
