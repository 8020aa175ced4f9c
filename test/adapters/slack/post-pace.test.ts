import { expect, test } from "vitest";
import { createPostPace } from "../../../src/adapters/slack/post-pace.ts";
import { manualClock } from "../../support/manual-clock.ts";

test("a few posts may come at once, then one a second, in each channel for itself", async () => {
  const clock = manualClock();
  const pace = createPostPace(clock);
  expect([1, 2, 3, 4].map(() => pace.take("C1"))).toEqual([0, 0, 0, 0]);
  expect(pace.take("C1")).toBe(1_000);
  expect(pace.take("C2")).toBe(0);
  await clock.advance(400);
  expect(pace.take("C1")).toBe(600);
  await clock.advance(600);
  expect(pace.take("C1")).toBe(0);
  expect(pace.take("C1")).toBe(1_000);
  await clock.advance(60_000);
  expect([1, 2, 3, 4].map(() => pace.take("C1"))).toEqual([0, 0, 0, 0]);
  expect(pace.take("C1")).toBe(1_000);
});
