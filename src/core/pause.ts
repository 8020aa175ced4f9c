/** Waiting that has an end: for a time, for a signal, for work that may never settle. No timer and no listener is left behind. */

import type { Clock } from "./ports/clock.ts";

/** @returns false when the signal was or is aborted; true after `ms`, at once where it is 0 or less. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted || ms <= 0) return Promise.resolve(!signal?.aborted);
  return new Promise((resolve) => {
    const onAbort = (): void => {
      cancel();
      resolve(false);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve(true);
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** How long to wait after so many failures before the next try: 500 ms, doubled each time, at most `mostMs`, default 30 s. */
export function growingMs(failuresBefore: number, mostMs = 30_000): number {
  return Math.min(mostMs, 500 * 2 ** failuresBefore);
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

/** What was waited for did not settle in time. */
export class TookTooLong extends Error {
  override readonly name = "TookTooLong";
}

/**
 * Settles as `work` does, or rejects with `TookTooLong` after `limitMs`. The work itself goes on unobserved: what it answers
 * later, an error too, is dropped.
 * @param what it is, for the message.
 */
export async function withTimeLimit<T>(
  clock: Clock,
  limitMs: number,
  what: string,
  work: Promise<T>,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(limitMs, () =>
    late.reject(new TookTooLong(`${what} took longer than ${limitMs} ms`)),
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}
