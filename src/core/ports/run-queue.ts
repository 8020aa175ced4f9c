/** The doorbell. A wake carries no message and no order: it says "look at this session". */

import type { SessionId } from "../thread.ts";

/**
 * `wake` resolves when the bell is rung: a service of this session will start after this call, whatever happens at the
 * same time (also when one is just ending). Many wakes may become one service. Rejects when the bell cannot be rung;
 * the sweeper rings later.
 */
export interface RunQueue {
  wake(session: SessionId): Promise<void>;
}

/**
 * One service of a session; must not throw for expected outcomes. `leaving` aborts when the process shuts down: hand the
 * run over at the next border.
 */
export type Serve = (session: SessionId, leaving: AbortSignal) => Promise<void>;

/** Takes wakes and serves them: never two services of one session at once per queue, many sessions in parallel. */
export interface RunWorker {
  start(): Promise<void>;
  /** Takes no more wakes, aborts `leaving`, waits for the services (bounded). May be called twice. */
  close(): Promise<void>;
}
