/**
 * Tells over `Live` that something changed in the web chat. It carries no content: who hears it reads the rows, so a word that
 * was lost, came twice or came late costs time and never shows anything wrong.
 */

import { withTimeLimit } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Live } from "../../core/ports/live.ts";
import type { Log } from "../../core/ports/log.ts";
import type { WebMessage } from "../../core/ports/web-messages.ts";

/** The topic of the thread list; a thread's own topic is its session id. */
export const THREADS_TOPIC = "threads";

/** Nothing waits longer to tell it: a message must be acknowledged while Redis is away. */
const LONGEST_MS = 250;

export interface ChangeDeps {
  readonly live: Live;
  readonly clock: Clock;
  readonly log: Log;
}

/** A message of the session changed. Never rejects: the row is stored, and watchers look by themselves too. */
export function tellOfRow(deps: ChangeDeps, row: Pick<WebMessage, "session" | "revision">): Promise<void> {
  return tell(deps, row.session, { revision: row.revision });
}

/** The list of threads changed: a new one, or another order. Never rejects. */
export function tellOfThreads(deps: ChangeDeps): Promise<void> {
  return tell(deps, THREADS_TOPIC, {});
}

/** The revision that is told of, so that an echo of what is known costs no look at the rows. */
export function revisionIn(event: unknown): number {
  const told =
    typeof event === "object" && event !== null && "revision" in event ? event.revision : undefined;
  return typeof told === "number" ? told : Infinity;
}

async function tell(deps: ChangeDeps, topic: string, event: unknown): Promise<void> {
  try {
    await withTimeLimit(deps.clock, LONGEST_MS, "a live event", deps.live.publish(topic, event));
  } catch (error) {
    deps.log.warn("a live event could not be sent; watchers will look later", { topic, error });
  }
}
