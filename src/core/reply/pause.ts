/** Waiting that an abort ends early and that leaves no timer and no listener behind. */

import type { Clock } from "../ports/clock.ts";

/** @returns false when the signal was or is aborted; true after `ms`, at once where it is 0 or less. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted || ms <= 0) return Promise.resolve(!signal.aborted);
  return new Promise((resolve) => {
    const onAbort = (): void => {
      cancel();
      resolve(false);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener("abort", onAbort);
      resolve(true);
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** Resolves when the work has settled, or when the signal aborts. Never rejects. */
export async function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let forget = (): void => {};
  const aborted = new Promise<void>((resolve) => {
    const onAbort = (): void => resolve();
    signal.addEventListener("abort", onAbort, { once: true });
    forget = () => signal.removeEventListener("abort", onAbort);
  });
  await Promise.race([work.catch(() => undefined), aborted]);
  forget();
}

/** How long to wait after so many failures before the next try: 500 ms, doubled each time, at most 30 s. */
export function growingMs(failuresBefore: number): number {
  return Math.min(30_000, 500 * 2 ** failuresBefore);
}
