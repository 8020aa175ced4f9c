/** What every pacer knows: which part of a budget is for whom, and how long things are remembered. Pure. */

import type { Budget, Urgency } from "../ports/pacer.ts";

/** In the order in which they have their turn. */
export const URGENCIES: readonly Urgency[] = ["final", "reply", "progress"];

/** So many places are left free for what is more urgent and may come in the next moment. */
export function keptFree({ burst }: Budget, urgency: Urgency): number {
  switch (urgency) {
    case "final":
      return 0;
    case "reply":
      return Math.floor(burst / 4);
    case "progress":
      return Math.floor(burst / 2);
    default:
      return urgency satisfies never;
  }
}

/**
 * After so long, ms, who waits looks again, though its turn may not have come: others may have left the line. Of progress there may be
 * a thousand in it, so that it asks less often.
 */
export function longestWaitMs(urgency: Urgency): number {
  return urgency === "progress" ? 30_000 : 5_000;
}

/** Who does not come for its turn within so long has no place any more, ms: it may have died. */
export const GRACE_MS = 2_000;
/** For so long after a refusal, ms, everything keeps to what the platform says that it takes at least. */
export const BINDING_MS = 10 * 60_000;
/** What was written beyond the budget keeps progress away for no longer than this, ms. */
export const LONGEST_DEBT_MS = 60_000;

/** Whether a budget is of this space, or of all that are on its platform. */
export function isBudgetOf(
  { key }: Pick<Budget, "key">,
  { platform, space }: { readonly platform: string; readonly space: string },
): boolean {
  const [ofPlatform, second, ...rest] = key.split(":");
  return ofPlatform === platform && (rest.length === 0 || second === space);
}
