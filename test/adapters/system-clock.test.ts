import { afterEach, expect, test, vi } from "vitest";
import { createSystemClock } from "../../src/adapters/system-clock.ts";

afterEach(() => void vi.useRealTimers());

test("T13: a wait of 30 days waits in steps and never fires at once", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  const clock = createSystemClock();
  const day = 24 * 3_600_000;
  let ran = 0;
  clock.after(30 * day, () => (ran += 1));
  vi.advanceTimersByTime(30 * day - 1);
  expect(ran).toBe(0);
  vi.advanceTimersByTime(1);
  expect(ran).toBe(1);
  vi.advanceTimersByTime(60 * day);
  expect(ran).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

test("T13: a long wait can be cancelled in any of its steps, and cancelling twice does nothing", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  const clock = createSystemClock();
  const day = 24 * 3_600_000;
  const cancel = clock.after(100 * day, () => expect.unreachable());
  vi.advanceTimersByTime(60 * day);
  cancel();
  cancel();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(100 * day);
});

test("nothing and less is as soon as possible, but never within the call", async () => {
  const clock = createSystemClock();
  for (const ms of [0, -5]) {
    let ran = false;
    const done = new Promise<void>((resolve) => {
      clock.after(ms, () => {
        ran = true;
        resolve();
      });
    });
    expect(ran).toBe(false);
    await done;
  }
});

test("a wait that never ends does not fire", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  const cancel = createSystemClock().after(Infinity, () => expect.unreachable());
  vi.advanceTimersByTime(1_000 * 24 * 3_600_000);
  cancel();
});

test("ticks go on and now is the time of day", () => {
  const clock = createSystemClock();
  const before = clock.ticks();
  expect(clock.ticks()).toBeGreaterThanOrEqual(before);
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000);
});
