/** What Slack counts together, and how much of it it takes. */

import type { Budget } from "../../core/ports/pacer.ts";

/** In one channel Slack takes about one post a second, and a few at once after a pause. */
const POSTS = { everyMs: 1_000, burst: 4 } as const;
/** Of most methods that write it takes fifty calls a minute from an install, or more (its Tier 3), and not all of them at once. */
const TIER_3 = { everyMs: 1_200, burst: 16, isLeast: true } as const;

/** Of those that begin and end a stream twenty (its Tier 2), of those that add to one a hundred (its Tier 4). */
const TIER_2 = { everyMs: 3_000, burst: 8, isLeast: true } as const;
const TIER_4 = { everyMs: 600, burst: 32, isLeast: true } as const;

export function postBudget(space: string, channel: string): Budget {
  return { key: `slack:${space}:chat.postMessage:${channel}`, ...POSTS };
}

/** @param method one of Tier 3 */
export function methodBudget(space: string, method: string): Budget {
  return { key: `slack:${space}:${method}`, ...TIER_3 };
}

/** Of the three methods for streams. */
export function streamBudget(space: string, method: StreamMethod): Budget {
  return { key: `slack:${space}:${method}`, ...(method === "chat.appendStream" ? TIER_4 : TIER_2) };
}

export type StreamMethod = "chat.startStream" | "chat.appendStream" | "chat.stopStream";
