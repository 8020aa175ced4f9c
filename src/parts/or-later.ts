/** Waiting at boot for a platform, but not for long: what needs it waits by itself, and nothing else does. */

import type { Clock } from "../core/ports/clock.ts";

/** How long a start waits for a platform that neither answers nor fails, ms. */
const START_WAIT_MS = 10_000;

/** Rejects as the work does while a start waits for it; later, what becomes of the work is its owner's concern. */
export async function orLater(work: Promise<unknown>, clock: Clock): Promise<void> {
  const late = Promise.withResolvers<void>();
  const cancel = clock.after(START_WAIT_MS, late.resolve);
  await Promise.race([work, late.promise]).finally(cancel);
}
