/** What lands in the channel itself because the root of its thread was deleted: nobody asked for it there. */

import { pause } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Written } from "../../core/ports/surface.ts";
import type { SlackData } from "./api.ts";
import { fieldsOf, textOf } from "./payload.ts";

/** How often the removal is tried. */
const TRIES = 5;

/** Whether what Slack answered to a write shows that the message stands in a thread. */
export function saysThread(answer: SlackData): boolean {
  return textOf(fieldsOf(answer["message"])["thread_ts"]) !== undefined;
}

/** Takes it away where that can be done. @returns what has come of its thread. */
export async function removeStray(
  clock: Clock,
  remove: () => Promise<Written>,
): Promise<Extract<Written, { readonly kind: "gone" }>> {
  for (let tries = 0; tries < TRIES; tries++) {
    const removed = await remove();
    if (removed.kind !== "later" && removed.kind !== "unknown") break;
    await pause(clock, removed.kind === "later" ? removed.afterMs : 500);
  }
  return { kind: "gone", what: "thread" };
}
