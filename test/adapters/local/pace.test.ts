import { expect, test } from "vitest";
import { createLocalPace } from "../../../src/adapters/local/pace.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { Pace } from "../../../src/core/ports/pace.ts";
import { expectBroken } from "../../contract/contract.ts";
import { paceCases, paceContract } from "../../contract/pace.ts";
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

const broken = (change: (pace: Pace) => Pace) => () => ({
  subject: change(createLocalPace(createSystemClock())),
  close: () => Promise.resolve(),
});

expectBroken(
  "gives everyone a place",
  paceCases,
  broken((pace) => ({ ...pace, take: () => Promise.resolve(0) })),
);
expectBroken(
  "knows one key only",
  paceCases,
  broken((pace) => ({
    take: (_key, rate) => pace.take("all", rate),
    hold: (_key, rate, forMs) => pace.hold("all", rate, forMs),
  })),
  { noticedBy: ["keys are apart"] },
);
expectBroken(
  "goes on when it is told to hold",
  paceCases,
  broken((pace) => ({ ...pace, hold: () => Promise.resolve() })),
  { noticedBy: ["while it is held nobody gets a place, and a shorter hold does not end a longer one"] },
);
