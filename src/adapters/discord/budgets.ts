/** What Discord counts together of all that a bot asks of it. */

import type { Budget } from "../../core/ports/pacer.ts";

/**
 * All requests of a bot together have a limit of 50 a second, and the writes of replies leave some of it to what is read and to commands.
 * The buckets of each thread, whose sizes only Discord knows, are kept by the library.
 */
export const REQUESTS: Budget = { key: "discord:requests", everyMs: 25, burst: 10 };
