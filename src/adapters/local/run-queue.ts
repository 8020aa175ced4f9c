/**
 * The doorbell within one process: which sessions wait, which are served, and which have to be served once more. The
 * ledger makes it durable: after a restart the sweeper rings for what waits there.
 */

import type { RunQueue } from "../../core/ports/run-queue.ts";
import type { SessionId } from "../../core/thread.ts";

/** The queue as its workers see it. */
export interface LocalRunQueue extends RunQueue {
  /** Whether a session waits that nobody serves yet. */
  isWaiting(): Promise<boolean>;
  /** The session that has waited longest, from now on served; undefined when none waits. */
  take(): SessionId | undefined;
  /** The service has ended. `handedOver`: its session is first in line again. */
  ended(session: SessionId, how: "done" | "handedOver"): void;
  /** How many sessions wait, and how many are being served. */
  depth(): { readonly waiting: number; readonly active: number };
  /** Calls `look` whenever a session has begun to wait, until the returned function is called. */
  onWaiting(look: () => void): () => void;
}

/** @see RunQueue. A wake never rejects. */
export function createLocalRunQueue(): LocalRunQueue {
  /** In the order in which they came. */
  const waiting: SessionId[] = [];
  const served = new Set<SessionId>();
  const onceMore = new Set<SessionId>();
  const lookers = new Set<() => void>();

  const tell = (): void => {
    for (const look of lookers) look();
  };

  return {
    async wake(session) {
      if (served.has(session)) {
        onceMore.add(session);
        return;
      }
      if (waiting.includes(session)) return;
      waiting.push(session);
      tell();
    },
    isWaiting: () => Promise.resolve(waiting.length > 0),
    take() {
      const session = waiting.shift();
      if (session !== undefined) served.add(session);
      return session;
    },
    ended(session, how) {
      served.delete(session);
      const again = onceMore.delete(session);
      if (how === "handedOver") waiting.unshift(session);
      else if (again) waiting.push(session);
      else return;
      tell();
    },
    depth: () => ({ waiting: waiting.length + onceMore.size, active: served.size }),
    onWaiting(look) {
      lookers.add(look);
      return () => void lookers.delete(look);
    },
  };
}
