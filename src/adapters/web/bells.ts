/**
 * The bells of the web chat on `Live`. They carry no content: who hears one reads the rows, so a bell that was lost, came
 * twice or came late costs time and never shows anything wrong.
 */

import type { Clock } from "../../core/ports/clock.ts";
import type { Live } from "../../core/ports/live.ts";
import type { Log } from "../../core/ports/log.ts";
import type { WebMessage } from "../../core/ports/web-messages.ts";

/** The topic of the thread list; a thread's own topic is its session id. */
export const THREADS_TOPIC = "threads";

/** Nothing waits longer for a bell: a message must be acknowledged while Redis is away. */
const LONGEST_MS = 250;

export interface BellDeps {
  readonly live: Live;
  readonly clock: Clock;
  readonly log: Log;
}

/** A message of the session changed. Never rejects: the row is stored, and watchers look by themselves too. */
export function ringRows(deps: BellDeps, row: Pick<WebMessage, "session" | "revision">): Promise<void> {
  return ring(deps, row.session, { revision: row.revision });
}

/** The list of threads changed: a new one, or another order. Never rejects. */
export function ringThreads(deps: BellDeps): Promise<void> {
  return ring(deps, THREADS_TOPIC, {});
}

/** The revision that a bell tells of, so that an echo of what is known costs no look at the rows. */
export function revisionIn(event: unknown): number {
  const told =
    typeof event === "object" && event !== null && "revision" in event ? event.revision : undefined;
  return typeof told === "number" ? told : Infinity;
}

function ring(deps: BellDeps, topic: string, event: unknown): Promise<void> {
  return new Promise((resolve) => {
    const cancel = deps.clock.after(LONGEST_MS, resolve);
    deps.live
      .publish(topic, event)
      .catch((error: unknown) => {
        deps.log.warn("a live event could not be sent; watchers will look later", { topic, error });
      })
      .finally(() => {
        cancel();
        resolve();
      });
  });
}
