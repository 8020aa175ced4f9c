import { expect, test } from "vitest";
import { createNewId, sha256 } from "../../src/adapters/ids.ts";
import { sessionIdOf } from "../../src/core/thread.ts";
import { manualClock } from "../support/manual-clock.ts";

test("ids are 24 lower-case letters and digits, and fit into a thread's address", () => {
  const id = createNewId(manualClock())();
  expect(id).toMatch(/^[0-9a-z]{24}$/);
  expect(sessionIdOf({ platform: "web", space: "local", channel: "general", root: id })).toContain(id);
});

test("ten thousand ids of one moment are all different and ascend", () => {
  const newId = createNewId(manualClock());
  const ids = Array.from({ length: 10_000 }, () => newId());
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
});

test("ids ascend with time, over makers", async () => {
  const clock = manualClock();
  const ids: string[] = [];
  for (let turn = 0; turn < 50; turn++) {
    ids.push(createNewId(clock)());
    await clock.advance(1 + turn ** 4);
  }
  expect(ids.toSorted()).toEqual(ids);
});

test("a wall clock that is set back does not make ids descend", () => {
  const clock = manualClock();
  const newId = createNewId(clock);
  const before = newId();
  clock.jump(-3_600_000);
  expect(newId() > before).toBe(true);
});

test("the hash is SHA-256 of the UTF-8 text in lower-case hex", () => {
  expect(sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(sha256("größer")).toMatch(/^[0-9a-f]{64}$/);
});
