// A clock that moves when it is told to, without waiting for anything: whoever drives a schedule lets the rest happen.
import type { ManualClock } from "../support/manual-clock.ts";

export interface VirtualTime extends ManualClock {
  /** Moves to the next timer and runs it; false when none waits. */
  next(): boolean;
  /** Moves on and runs what falls due. */
  pass(ms: number): void;
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

export function virtualTime(): VirtualTime {
  let ticks = 0;
  const start = Date.UTC(2026, 0, 1);
  /** In the order in which they were set. */
  const timers = new Set<Timer>();
  const first = (): Timer | undefined => {
    let found: Timer | undefined;
    for (const timer of timers) if (found === undefined || timer.at < found.at) found = timer;
    return found;
  };
  const run = (timer: Timer): void => {
    timers.delete(timer);
    ticks = Math.max(ticks, timer.at);
    timer.run();
  };
  const pass = (ms: number): void => {
    const end = ticks + ms;
    for (let timer = first(); timer !== undefined && timer.at <= end; timer = first()) run(timer);
    ticks = end;
  };
  return {
    now: () => start + ticks,
    ticks: () => ticks,
    after(ms, act) {
      const timer: Timer = { at: ticks + Math.max(0, ms), run: act };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    next() {
      const timer = first();
      if (timer !== undefined) run(timer);
      return timer !== undefined;
    },
    pass,
    async advance(ms) {
      pass(ms);
    },
    jump() {
      throw new Error("nobody sets this clock");
    },
    get waiting() {
      return timers.size;
    },
  };
}
