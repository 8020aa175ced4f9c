// The clock of a test: time stands still until the test moves it.
import type { Clock } from "../../src/core/ports/clock.ts";

export interface ManualClock extends Clock {
  /**
   * Moves both times forward and runs what falls due, in order, each at its own moment. After each timer, and once at the
   * start and at the end, promise callbacks that are ready run first, so that what they schedule is seen too.
   */
  advance(ms: number): Promise<void>;
  /** Moves only the wall clock, as an administrator or a time server does; no timer runs. */
  jump(ms: number): void;
  /** How many timers wait: a test that leaves nothing behind ends with 0. */
  readonly waiting: number;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** @param startMs the wall-clock time to begin at; 2026-01-01T00:00:00Z unless said. Ticks begin at 0. */
export function manualClock(startMs: number = Date.UTC(2026, 0, 1)): ManualClock {
  let wall = startMs;
  let ticks = 0;
  let order = 0;
  const timers = new Set<Timer>();

  const nextUpTo = (end: number): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.at > end) continue;
      if (!next || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer;
    }
    return next;
  };
  const moveTo = (at: number): void => {
    wall += at - ticks;
    ticks = at;
  };

  return {
    now: () => wall,
    ticks: () => ticks,
    after(ms, run) {
      const timer: Timer = { at: ticks + Math.max(0, ms), order: order++, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(ms) {
      const end = ticks + ms;
      await settle();
      for (let timer = nextUpTo(end); timer; timer = nextUpTo(end)) {
        timers.delete(timer);
        moveTo(timer.at);
        timer.run();
        await settle();
      }
      moveTo(end);
      await settle();
    },
    jump(ms) {
      wall += ms;
    },
    get waiting() {
      return timers.size;
    },
  };
}

/** Two turns of the event loop: promise chains of any length end within one, the second is for streams that hop. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
}
