import { expect, test } from "vitest";
import { manualClock } from "../support/manual-clock.ts";

test("timers run in the order they fall due, each at its own moment", async () => {
  const clock = manualClock(1_000);
  const seen: string[] = [];
  clock.after(20, () => seen.push(`late ${clock.ticks()}`));
  clock.after(10, () => {
    seen.push(`early ${clock.ticks()}`);
    clock.after(5, () => seen.push(`from early ${clock.ticks()}`));
  });
  clock.after(100, () => seen.push("too far"));
  await clock.advance(50);
  expect(seen).toEqual(["early 10", "from early 15", "late 20"]);
  expect(clock.now()).toBe(1_050);
  expect(clock.waiting).toBe(1);
});

test("a cancelled timer does not run, and cancelling twice does nothing", async () => {
  const clock = manualClock();
  const cancel = clock.after(1, () => expect.unreachable());
  cancel();
  cancel();
  await clock.advance(10);
  expect(clock.waiting).toBe(0);
});

test("a timer that a promise callback sets is seen by the same advance", async () => {
  const clock = manualClock();
  const seen: number[] = [];
  const sleep = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
  const work = (async () => {
    for (let turn = 0; turn < 3; turn++) {
      await sleep(10);
      seen.push(clock.ticks());
    }
  })();
  await clock.advance(30);
  await work;
  expect(seen).toEqual([10, 20, 30]);
});

test("a jump of the wall clock moves no duration", async () => {
  const clock = manualClock(0);
  clock.jump(-5_000);
  expect([clock.now(), clock.ticks()]).toEqual([-5_000, 0]);
});
