import { expect, test } from "vitest";
import { createLocalPace } from "../../../src/adapters/local/pace.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import { paceContract } from "../../contract/pace.ts";
import { manualClock } from "../../support/manual-clock.ts";

paceContract("in one process", () => ({
  ...createLocalPace(createSystemClock()),
  [Symbol.asyncDispose]: async () => {},
}));

const RATE = { everyMs: 1_000, burst: 4 };

test("a place is free again to the millisecond, and after a long pause all of them are", async () => {
  const clock = manualClock();
  const pace = createLocalPace(clock);
  const takeFour = async (): Promise<readonly number[]> => {
    const waits = [];
    for (let count = 0; count < 4; count++) waits.push(await pace.take("a", RATE));
    return waits;
  };
  expect(await takeFour()).toEqual([0, 0, 0, 0]);
  expect(await pace.take("a", RATE)).toBe(1_000);
  await clock.advance(400);
  expect(await pace.take("a", RATE)).toBe(600);
  await clock.advance(600);
  expect(await pace.take("a", RATE)).toBe(0);
  expect(await pace.take("a", RATE)).toBe(1_000);
  await clock.advance(60_000);
  expect(await takeFour()).toEqual([0, 0, 0, 0]);
  await pace.hold("a", RATE, 5_000);
  expect(await pace.take("a", RATE)).toBe(5_000);
  await clock.advance(5_000);
  expect(await pace.take("a", RATE)).toBe(0);
});
