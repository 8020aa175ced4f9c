/** What Slack counts together, and how much of it it takes. */

import type { Budget } from "../../core/ports/pacer.ts";

/** In one channel Slack takes about one post a second, and a few at once after a pause. */
const POSTS = { everyMs: 1_000, burst: 4 } as const;
/** Of most methods that write it takes fifty calls a minute from an install, or more (its Tier 3), and not all of them at once. */
const TIER_3 = { everyMs: 1_200, burst: 16, isLeast: true } as const;

export function postBudget(space: string, channel: string): Budget {
  return { key: `slack:${space}:chat.postMessage:${channel}`, ...POSTS };
}

/** @param method one of Tier 3 */
export function methodBudget(space: string, method: string): Budget {
  return { key: `slack:${space}:${method}`, ...TIER_3 };
}
