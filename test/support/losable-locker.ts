// A locker for one process whose leases a test can take away, as a pause of the process or an outage would.
import type { Lease, Locker } from "../../src/core/ports/locker.ts";

export interface LosableLocker extends Locker {
  /** Whoever holds the key has lost it: its signal aborts, it is not live, and the key is free. */
  lose(key: string): void;
  /** The same without a signal: the holder was paused, and only asking tells. */
  loseSilently(key: string): void;
  /** The key is free, and its holder takes its lease for live: who kept the leases was emptied. */
  forget(key: string): void;
  isHeld(key: string): boolean;
}

interface Held {
  isLive: boolean;
  readonly controller: AbortController;
}

/** `wait` is not needed by a service of a session, and is refused. */
export function losableLocker(): LosableLocker {
  const held = new Map<string, Held>();
  const loseSilently = (key: string): void => {
    const holder = held.get(key);
    if (holder === undefined) return;
    holder.isLive = false;
    held.delete(key);
  };
  return {
    async withLock(key, options, body) {
      if (options.mode === "wait") throw new Error("nobody waits for a lease here");
      if (held.has(key)) return { kind: "busy" };
      const mine: Held = { isLive: true, controller: new AbortController() };
      held.set(key, mine);
      const lease: Lease = { signal: mine.controller.signal, isLive: () => mine.isLive };
      try {
        return { kind: "done", value: await body(lease) };
      } finally {
        mine.isLive = false;
        if (held.get(key) === mine) held.delete(key);
      }
    },
    lose(key) {
      const holder = held.get(key);
      loseSilently(key);
      holder?.controller.abort(new Error("the lease was lost"));
    },
    loseSilently,
    forget: (key) => void held.delete(key),
    isHeld: (key) => held.has(key),
  };
}
