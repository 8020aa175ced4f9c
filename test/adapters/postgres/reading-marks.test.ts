// How far a platform was read, and where its threads hang, as rows.
import { expect, test } from "vitest";
import { createReadingMarks } from "../../../src/adapters/postgres/reading-marks.ts";
import { markOfWhole } from "../../../src/core/ports/reading-marks.ts";
import { createThreadPlaces } from "../../../src/adapters/postgres/thread-places.ts";
import { sessionIdOf } from "../../../src/core/thread.ts";
import { postgresBackend } from "./backends.ts";

const backend = postgresBackend();
const mark = (seen: string, channel = "1") => ({ space: "9", channel, seen });

test("marks move forward and never back, whatever order they come in", async () => {
  const marks = createReadingMarks(backend.sql());
  const { number } = await marks.begin("one");
  expect(await marks.move("one", number, [mark("1500000000000000002"), mark("1", "2")])).toBe(true);
  await marks.move("one", number, [mark("1500000000000000001")]);
  expect((await marks.list("one", "0")).toSorted((a, b) => a.channel.localeCompare(b.channel))).toEqual([
    mark("1500000000000000002"),
    mark("1", "2"),
  ]);
  expect(await marks.list("another", "0")).toEqual([]);
});

test("what a reader moves after another has begun changes nothing, and it is told so", async () => {
  const marks = createReadingMarks(backend.sql());
  const first = await marks.begin("two");
  await marks.move("two", first.number, [mark("5")]);
  const second = await marks.begin("two");
  expect(second.number).toBeGreaterThan(first.number);
  expect(await marks.move("two", first.number, [mark("7")])).toBe(false);
  expect(await marks.list("two", "0")).toEqual([mark("5")]);
  expect(await marks.move("two", second.number, [mark("6")])).toBe(true);
});

test("terms that follow each other soon are counted", async () => {
  const marks = createReadingMarks(backend.sql());
  const restarts = [];
  for (let count = 0; count < 3; count++) restarts.push((await marks.begin("three")).restarts);
  expect(restarts).toEqual([0, 1, 2]);
});

test("the gap before a term counts from when the one before it asked to be let in, if that came later than its begin", async () => {
  const sql = backend.sql();
  const marks = createReadingMarks(sql);
  const long = {
    name: "long-ago",
    text: "update reader_terms set began_at = began_at - 60000 where platform = 'five'",
  };
  const first = await marks.begin("five");
  await sql.query(long);
  expect((await marks.begin("five")).gapMs).toBeGreaterThanOrEqual(60_000);
  await sql.query(long);
  // Whoever has lost its term says it too late.
  await marks.entering("five", first.number);
  const third = await marks.begin("five");
  expect(third.gapMs).toBeGreaterThanOrEqual(60_000);
  await sql.query(long);
  await marks.entering("five", third.number);
  expect((await marks.begin("five")).gapMs).toBeLessThan(60_000);
});

test("the place of a thread is kept once", async () => {
  const places = createThreadPlaces(backend.sql());
  const session = sessionIdOf({ platform: "discord", space: "9", channel: "77" });
  expect(await places.of(session)).toBeUndefined();
  await places.keep(session, { parent: "1", name: "first\u0000" });
  await places.keep(session, { parent: "2", name: "second" });
  expect(await places.of(session)).toEqual({ parent: "1", name: "first\uFFFD" });
});

test("old marks are left out when they are listed, but those of a space as a whole are not", async () => {
  const marks = createReadingMarks(backend.sql());
  const { number } = await marks.begin("four");
  await marks.move("four", number, [mark("5", markOfWhole("9")), mark("6", "9"), mark("900", "2")]);
  expect(await marks.list("four", "100")).toEqual([mark("5", markOfWhole("9")), mark("900", "2")]);
});

test("each term knows since when somebody listens", async () => {
  const sql = backend.sql();
  const marks = createReadingMarks(sql);
  const { sinceMs } = await marks.begin("six");
  const [now] = await sql.query<{ now: number }>({ name: "the-time", text: "select now_ms() as now" });
  expect(now!.now - sinceMs).toBeLessThan(60_000);
  await sql.query({
    name: "since-long",
    text: "update reader_terms set first_began_at = first_began_at - 86400000 where platform = 'six'",
  });
  expect((await marks.begin("six")).sinceMs).toBe(sinceMs - 86_400_000);
});
