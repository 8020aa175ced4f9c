/**
 * One service of a session: take the lease, do the next thing that the ledger asks for, release, look again.
 * The look after the release closes the gap in which a wake found the lease taken and left.
 */

import { BobbinError, isStoreTrouble } from "../errors.ts";
import type { Lease, Locker } from "../ports/locker.ts";
import type { Log } from "../ports/log.ts";
import type { Serve } from "../ports/run-queue.ts";
import type { Work } from "../ports/work.ts";
import type { SessionId } from "../thread.ts";
import type { Sweeper } from "./sweeper.ts";

/**
 * `worked`: one thing is done, there may be more; `idle`: the ledger asked for nothing; `left`: the attempt was lost or
 * handed over and its run is unfinished; `closed`: nobody can be answered there now, and the work stays.
 */
export type Served = "worked" | "idle" | "left" | "closed";

/** One step under the lease: at most one run. Rejects when the store cannot be reached. */
export type ServeStep = (session: SessionId, lease: Lease, leaving: AbortSignal) => Promise<Served>;

export interface ServeDeps {
  readonly locker: Locker;
  readonly store: Pick<Work, "hasWork">;
  readonly step: ServeStep;
  /** Told when the store or the locker was away, since then nobody else rings again. */
  readonly sweeper?: Pick<Sweeper, "lookSoon">;
  readonly log: Log;
  /** Told each time that the lease was given back, however the step went. Must not throw. */
  readonly released?: (session: SessionId) => void;
}

/** Looks in a row that found work and did none; more would spin where the ledger and the claim disagree. */
const FRUITLESS_LOOKS = 3;

/** Names the lease of a session. */
export const leaseOf = (session: SessionId): string => `session:${session}`;

/** The lease is given back between two runs, so that a busy thread never holds one for longer than a run may last. */
export function createServe({ locker, store, step, sweeper, log, released = () => {} }: ServeDeps): Serve {
  const serve: Serve = async (session, leaving) => {
    for (let fruitless = 0; fruitless < FRUITLESS_LOOKS;) {
      const key = leaseOf(session);
      let isHeld = false;
      const held = locker.withLock(key, { mode: "try" }, (lease) => {
        isHeld = true;
        return step(session, lease, leaving);
      });
      const locked = await held.finally(() => {
        if (isHeld) released(session);
      });
      // The holder looks at the ledger again after it released, so this wake is not lost.
      if (locked.kind === "busy" || locked.value === "closed") return;
      fruitless = locked.value === "worked" ? 0 : fruitless + 1;
      if (leaving.aborted || !(await store.hasWork(session))) return;
    }
    log.warn("there is work that could not be taken up; left to the sweeper", { session });
  };
  return async (session, leaving) => {
    try {
      await serve(session, leaving);
    } catch (error) {
      if (isOutage(error)) sweeper?.lookSoon();
      throw error;
    }
  };
}

/** A fault of our own is left to the usual sweeps: it would only come again. */
function isOutage(error: unknown): boolean {
  return isStoreTrouble(error) || (error instanceof BobbinError && error.code === "lock_failed");
}
