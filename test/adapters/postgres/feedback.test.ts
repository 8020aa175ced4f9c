// What people say of answers, as rows.
import { expect, test } from "vitest";
import { createFeedbackBook } from "../../../src/adapters/postgres/feedback.ts";
import type { RunId } from "../../../src/core/ids.ts";
import { finish, running } from "../../contract/run-store-subject.ts";
import { newSession } from "../../contract/store-samples.ts";
import { postgresBackend } from "./backends.ts";
import { storesOver } from "./store-subject.ts";

const backend = postgresBackend();
const ana = { id: "U1", name: "Ana" };
const ben = { id: "U2", name: "Ben" };

async function answered() {
  const stores = storesOver(backend.sql());
  const run = await running(stores, "hello");
  await finish(stores, run);
  return { book: createFeedbackBook(backend.sql()), session: run.session, run: run.run.id };
}

test("each person has one word for each run: the newest, whatever order they arrive in, and the same once more is one", async () => {
  const { book, session, run } = await answered();
  expect(await book.give({ session, run, person: ana, value: "good", at: 100 })).toBe(true);
  expect(await book.give({ session, run, person: ana, value: "good", at: 100 })).toBe(true);
  expect(await book.give({ session, run, person: ben, value: "good", at: 150 })).toBe(true);
  expect(await book.give({ session, run, person: ana, value: "bad", at: 200 })).toBe(true);
  // A click that was made before the last one and comes late.
  expect(await book.give({ session, run, person: ana, value: "good", at: 120 })).toBe(true);
  expect(await book.ofSession(session)).toEqual([
    { session, run, person: ana, value: "bad", at: 200 },
    { session, run, person: ben, value: "good", at: 150 },
  ]);
});

test("many of one person at once leave one row, the newest", async () => {
  const { book, session, run } = await answered();
  const values = Array.from({ length: 20 }, (_, n) => n);
  await Promise.all(
    values.map((n) =>
      book.give({ session, run, person: ana, value: n === 19 ? "bad" : "good", at: 1_000 + n }),
    ),
  );
  expect(await book.ofSession(session)).toEqual([{ session, run, person: ana, value: "bad", at: 1_019 }]);
});

test("without a run it is about the newest answer that is there, and what the thread does not have is not kept", async () => {
  const { book, session, run } = await answered();
  expect(await book.give({ session, person: ana, value: "good", at: 1 })).toBe(true);
  expect((await book.ofSession(session)).map((one) => one.run)).toEqual([run]);
  expect(await book.give({ session, run: "run_none" as RunId, person: ben, value: "bad", at: 2 })).toBe(
    false,
  );
  // A run of another thread is none of this one.
  const elsewhere = await answered();
  const wrong = { session, run: elsewhere.run, person: ben, value: "bad", at: 2 } as const;
  expect(await book.give(wrong)).toBe(false);
  expect(await book.give({ session: newSession(), person: ben, value: "bad", at: 2 })).toBe(false);
  expect(await book.ofSession(session)).toHaveLength(1);
});

test("who looks over all threads reads the newest first, since when they want", async () => {
  const { book, session, run } = await answered();
  const other = await answered();
  const at = 9_000_000_000_000;
  await book.give({ session, run, person: ana, value: "good", at });
  await book.give({ session: other.session, run: other.run, person: ben, value: "bad", at: at + 5 });
  expect((await book.since(at, 10)).map((one) => one.value)).toEqual(["bad", "good"]);
  expect((await book.since(at + 1, 10)).map((one) => one.value)).toEqual(["bad"]);
  expect(await book.since(at, 1)).toHaveLength(1);
});
