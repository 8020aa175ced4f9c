import { expect, test } from "vitest";
import { keepNewest } from "../../src/core/keep-newest.ts";

test("a map forgets who was kept longest ago, and who is kept again is the newest", () => {
  const map = new Map<string, number>();
  keepNewest(map, "a", 1, 2);
  keepNewest(map, "b", 2, 2);
  keepNewest(map, "a", 3, 2);
  expect([...map]).toEqual([
    ["b", 2],
    ["a", 3],
  ]);
  keepNewest(map, "c", 4, 2);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
