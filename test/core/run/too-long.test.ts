// A thread that its model does not take any more: what is learnt of the model's window is kept with the thread.
import { expect, test } from "vitest";
import { postgresBackend } from "../../adapters/postgres/backends.ts";
import { RunBench } from "../../support/run-bench.ts";
import { fails, reply } from "../../support/scripted-model.ts";

const backend = postgresBackend();
const LONG = "four letters and so ".repeat(2_000);
const sizes = (b: RunBench): number[] =>
  b.model.requests.map(({ messages }) => JSON.stringify(messages).length);

test("a message is answered with less of the thread, and the next one, by another worker, begins with that", async () => {
  const b = new RunBench(backend.sql(), [
    reply("one"),
    fails("context_length"),
    reply("two"),
    reply("three"),
  ]);
  for (const text of [`first ${LONG}`, `second ${LONG}`, "third"]) {
    await b.say(text);
    await b.rest();
  }
  expect(b.shown()).toEqual(["one", "two", "three"]);
  const [first = 0, whole = 0, less = 0, next = 0] = sizes(b);
  expect(whole).toBeGreaterThan(1.8 * first);
  expect(less).toBeLessThan(0.7 * whole);
  expect(next).toBeLessThan(0.7 * whole);
  expect(await b.problems()).toEqual([]);
  b.model.assertComplete();
});

test("where all of it is refused people are told once, and Retry goes on from the least that was tried", async () => {
  const b = new RunBench(backend.sql(), [
    reply("one"),
    ...Array.from({ length: 4 }, () => fails("context_length")),
    reply("two"),
  ]);
  for (const text of [`first ${LONG}`, `second ${LONG}`]) {
    await b.say(text);
    await b.rest();
  }
  expect(b.shown().at(-1)).toContain("This thread has become too long for the model.");
  await b.command("retry");
  await b.rest();
  expect(b.shown().at(-1)).toBe("two");
  const [, whole = 0] = sizes(b);
  expect(sizes(b).at(-1)).toBeLessThan(0.2 * whole);
  expect(await b.problems()).toEqual([]);
  b.model.assertComplete();
});
