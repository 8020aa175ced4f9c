/**
 * One service of a session: take the lease, do what the ledger asks for, release, look once more.
 * The look after the release closes the gap in which a wake found the lease taken and left.
 */

import type { Clock } from "../ports/clock.ts";
import type { Lease, Locker } from "../ports/locker.ts";
import type { Log } from "../ports/log.ts";
import type { RunStore } from "../ports/run-store.ts";
import type { Serve } from "../ports/run-queue.ts";
import type { SessionId } from "../thread.ts";

/** `again`: there may be more to do; `idle`: the ledger asked for nothing; `left`: this process must not go on. */
export type Served = "again" | "idle" | "left";

/** One step under the lease: at most one run. */
export type ServeStep = (session: SessionId, lease: Lease, leaving: AbortSignal) => Promise<Served>;

export interface ServeDeps {
  readonly locker: Locker;
  readonly store: Pick<RunStore, "hasWork">;
  readonly step: ServeStep;
  readonly clock: Clock;
  readonly log: Log;
}

export function createServe(deps: ServeDeps): Serve {
  /** True when the session should be looked at again after the lease was released. */
  async function underLease(session: SessionId, leaving: AbortSignal): Promise<boolean> {
    const locked = await deps.locker.withLock(`session:${session}`, { mode: "try" }, async (lease) => {
      let worked = false;
      while (!leaving.aborted && lease.isLive()) {
        const served = await deps.step(session, lease, leaving);
        if (served === "left") return "left" as const;
        if (served === "idle") return worked ? ("worked" as const) : ("idle" as const);
        worked = true;
      }
      return "left" as const;
    });
    // Busy: the holder looks at the ledger again after it released, so this wake is not lost.
    return locked.kind === "done" && locked.value !== "left";
  }

  return async (session, leaving) => {
    // Twice idle with work on the ledger is a contradiction; ringing on would spin, the sweeper will come back to it.
    for (let looks = 0; looks < 3 && !leaving.aborted; looks += 1) {
      const look = await underLease(session, leaving);
      if (!look || !(await deps.store.hasWork(session))) return;
    }
    deps.log.warn("the ledger shows work that could not be taken up; left to the sweeper", { session });
  };
}
