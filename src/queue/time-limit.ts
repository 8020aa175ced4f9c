/** A bound on how long we wait for something that may never settle. */

import type { Clock } from "../core/ports/clock.ts";

/**
 * Settles as `work` does, or rejects after `limitMs` with "<what> took longer than <limitMs> ms". The work itself goes on
 * unobserved: what it answers later, an error too, is dropped.
 */
export async function withTimeLimit<T>(
  clock: Clock,
  limitMs: number,
  what: string,
  work: Promise<T>,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(limitMs, () => late.reject(new Error(`${what} took longer than ${limitMs} ms`)));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}
