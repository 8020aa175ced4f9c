// The clock of a simulation: it jumps to what falls due next, and moves only when everything has come to rest.
import type { Clock } from "../../../src/core/ports/clock.ts";

export interface CrowdClock extends Clock {
  /** Runs what falls due up to then, each at its own moment. */
  runUntil(ticks: number): Promise<void>;
  /** Time stands still while this is under way: an answer from outside, such as one of Redis. */
  outside<T>(work: Promise<T>): Promise<T>;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  isCancelled: boolean;
  readonly run: () => void;
}

const START = Date.UTC(2026, 0, 1);

export function crowdClock(): CrowdClock {
  const heap: Timer[] = [];
  let ticks = 0;
  let order = 0;
  let outside = 0;
  let answered = (): void => {};

  const isBefore = (one: Timer, other: Timer): boolean =>
    one.at < other.at || (one.at === other.at && one.order < other.order);

  function push(timer: Timer): void {
    let at = heap.length;
    for (heap.push(timer); at > 0;) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || isBefore(above, timer)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = timer;
  }

  function pop(): Timer | undefined {
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (left === undefined) break;
      if (right !== undefined && isBefore(right, left)) child++;
      const below = heap[child];
      if (below === undefined || isBefore(last, below)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return first;
  }

  async function rest(): Promise<void> {
    for (;;) {
      await new Promise<void>((resolve) => void setImmediate(resolve));
      if (outside === 0) return;
      await new Promise<void>((resolve) => (answered = resolve));
    }
  }

  return {
    now: () => START + ticks,
    ticks: () => ticks,
    after(ms, run) {
      const timer = { at: ticks + Math.max(0, Math.ceil(ms)), order: order++, isCancelled: false, run };
      push(timer);
      return () => void (timer.isCancelled = true);
    },
    async runUntil(end) {
      await rest();
      while ((heap[0]?.at ?? Infinity) <= end) {
        const timer = pop();
        if (timer === undefined || timer.isCancelled) continue;
        const isLater = timer.at > ticks;
        ticks = timer.at;
        timer.run();
        // What is due in the same moment runs together.
        if (isLater || heap[0]?.at !== ticks) await rest();
      }
      ticks = Math.max(ticks, end);
    },
    async outside(work) {
      outside++;
      try {
        return await work;
      } finally {
        if (--outside === 0) answered();
      }
    },
  };
}
