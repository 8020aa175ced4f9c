/**
 * What an attempt holds while it works on a session: the lease, and a word to the ledger every few seconds that it is there.
 * Who hears in answer that another has claimed the session has lost it, whatever the lease says. Without the lease no word is
 * said: nobody would ring for a session whose attempt hangs and was left behind.
 */

import { BobbinError, isStaleFence } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Lease } from "../ports/locker.ts";
import type { Log } from "../ports/log.ts";
import type { Fence, RunStore } from "../ports/run-store.ts";

/** The lease that was given, until a later claim is known of. */
export interface Hold extends Lease {
  /** Says no more; the lease is the locker's to release. */
  close(): void;
}

export interface HoldDeps {
  readonly store: Pick<RunStore, "touch">;
  readonly clock: Clock;
  readonly log: Log;
}

/** A session that nobody touched for ten seconds is rung for: twice within them, so that one word may get lost. */
const TOUCH_MS = 4_000;

/** A store that is away is no reason to end: what the attempt has to store will notice. */
export function holdSession(deps: HoldDeps, fence: Fence, lease: Lease): Hold {
  const over = new AbortController();
  let isClosed = false;
  let cancel = (): void => {};
  const later = (): void => {
    if (!isClosed && !over.signal.aborted) cancel = deps.clock.after(TOUCH_MS, touch);
  };
  const touch = (): void => {
    if (!lease.isLive())
      return over.abort(new BobbinError("lease_lost", "the lease is over", { retryable: true }));
    deps.store.touch(fence).then(later, (error: unknown) => {
      if (isStaleFence(error)) return over.abort(error);
      deps.log.debug("could not say that the run is held; saying it later", { run: fence.run, error });
      return later();
    });
  };
  later();
  return {
    signal: AbortSignal.any([lease.signal, over.signal]),
    isLive: () => !over.signal.aborted && lease.isLive(),
    close() {
      isClosed = true;
      cancel();
    },
  };
}
