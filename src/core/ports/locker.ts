/** Mutual exclusion per key with a signal on loss. */

export interface Lease {
  /** Aborts when the lease is lost (renewal refused, or not possible before the deadline). */
  readonly signal: AbortSignal;
  /**
   * Whether the lease certainly still holds: both local clocks, the monotonic one and that of the wall, are before the deadline,
   * which is measured from when the last successful renewal was *sent*. Ask before every platform write and every tool start: after
   * a pause of the process or of its machine the signal comes late, this does not.
   */
  isLive(): boolean;
}

export type Locked<T> = { readonly kind: "done"; readonly value: T } | { readonly kind: "busy" };

export interface LockOptions {
  /** `try`: answer `busy` at once when someone holds it; `wait`: until it is free or `signal` aborts. */
  readonly mode: "try" | "wait";
  /** Ends the waiting (never the body). */
  readonly signal?: AbortSignal;
}

/**
 * Contract: never two bodies of one key at a time while leases hold; the lease is renewed while the body runs and is
 * released (compare-and-delete) when it settles, also when it throws (the error passes through). A release that fails is
 * logged and never thrown. An acquisition that fails throws `lock_failed`, and the body did not run.
 */
export interface Locker {
  withLock<T>(key: string, options: LockOptions, body: (lease: Lease) => Promise<T>): Promise<Locked<T>>;
}
