/** The real Clock. */

import type { Clock } from "../core/ports/clock.ts";

/** Node's timers hold 31 bits of milliseconds; beyond that they fire at once. */
const LONGEST_STEP_MS = 2 ** 31 - 1;

export function createSystemClock(): Clock {
  return { now: () => Date.now(), ticks: () => performance.now(), after };
}

function after(ms: number, run: () => void): () => void {
  const end = performance.now() + ms;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const left = end - performance.now();
    const isLast = !(left > LONGEST_STEP_MS);
    timer = setTimeout(isLast ? run : wait, isLast ? Math.max(0, left) : LONGEST_STEP_MS);
    timer.unref();
  };
  wait();
  return () => clearTimeout(timer);
}
