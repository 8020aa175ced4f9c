/** A Locker for one process. Its leases are never lost: whoever holds one is this process itself. */

import { BobbinError, toBobbinError } from "../errors.ts";
import type { Lease, Locker, LockOptions } from "../ports/locker.ts";

export interface LocalLocker extends Locker {
  /**
   * Drops what is remembered of a key that nobody holds. Not needed for memory (a free key leaves nothing behind);
   * answers whether the key was free.
   */
  forget(key: string): boolean;
}

/** @see Locker for the contract. Waiters get the key in the order in which they asked. */
export function createLocalLocker(): LocalLocker {
  /** The waiters of each held key; a key that is not here is free. */
  const held = new Map<string, (() => void)[]>();

  const release = (key: string): void => {
    const next = held.get(key)?.shift();
    // Handed on without becoming free, so that a later asker cannot step in between.
    if (next === undefined) held.delete(key);
    else next();
  };

  return {
    async withLock(key, options, body) {
      if (options.signal?.aborted) throw notAcquired(options);
      if (held.has(key)) {
        if (options.mode === "try") return { kind: "busy" };
        await turn(held.get(key) ?? [], options);
      } else {
        held.set(key, []);
      }
      const lease = leaseOf();
      try {
        return { kind: "done", value: await body(lease) };
      } finally {
        lease.end();
        release(key);
      }
    },
    forget: (key) => !held.has(key),
  };
}

function turn(waiters: (() => void)[], options: LockOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const { signal } = options;
    const take = (): void => {
      signal?.removeEventListener("abort", giveUp);
      resolve();
    };
    const giveUp = (): void => {
      const place = waiters.indexOf(take);
      if (place === -1) return;
      waiters.splice(place, 1);
      reject(notAcquired(options));
    };
    waiters.push(take);
    signal?.addEventListener("abort", giveUp, { once: true });
  });
}

function notAcquired(options: LockOptions): BobbinError {
  const cause = options.signal?.reason;
  return new BobbinError("lock_failed", "the wait for the lock was ended", { cause: toBobbinError(cause) });
}

function leaseOf(): Lease & { end(): void } {
  const never = new AbortController();
  let live = true;
  return {
    signal: never.signal,
    isLive: () => live,
    end: () => {
      live = false;
    },
  };
}
