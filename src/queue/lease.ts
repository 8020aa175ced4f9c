/**
 * One lease held in Redis: renewed while its owner works, over when a renewal is refused, when none succeeded before the
 * deadline, or when it was held for too long. Taking and releasing it is the locker's.
 */

import type { Clock } from "../core/ports/clock.ts";
import { BobbinError } from "../core/errors.ts";
import type { Lease } from "../core/ports/locker.ts";
import type { Log } from "../core/ports/log.ts";

export interface HeldLeaseDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Asks Redis for another `ttlMs`: whether the lease was still ours. Rejects, within a bound, when it cannot be asked. */
  renew(): Promise<boolean>;
}

export interface HeldLeaseOptions {
  /** `clock.ticks()` of when the request that took the lease was sent. */
  readonly sentAt: number;
  readonly ttlMs: number;
  readonly maxHoldMs: number;
}

type Ending =
  | "the lease was taken away"
  | "the lease was not renewed in time"
  | "the lease was held too long";

export class HeldLease implements Lease {
  readonly #deps: HeldLeaseDeps;
  readonly #ttlMs: number;
  readonly #holdUntil: number;
  readonly #controller = new AbortController();
  #deadline: number;
  #isOver = false;
  #cancelRenewal: () => void = () => {};
  #cancelDeadline: () => void = () => {};

  constructor(deps: HeldLeaseDeps, options: HeldLeaseOptions) {
    this.#deps = deps;
    this.#ttlMs = options.ttlMs;
    this.#deadline = options.sentAt + options.ttlMs;
    this.#holdUntil = options.sentAt + options.maxHoldMs;
    this.#armDeadline();
    this.#renewIn(this.#ttlMs / 3);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  isLive(): boolean {
    return !this.#isOver && this.#deps.clock.ticks() < this.#deadline;
  }

  /** The owner is done: no more renewals, and no signal. */
  end(): void {
    this.#isOver = true;
    this.#cancelRenewal();
    this.#cancelDeadline();
  }

  #lose(ending: Ending): void {
    if (this.#isOver) return;
    this.end();
    this.#controller.abort(new BobbinError("lease_lost", ending, { retryable: true }));
  }

  #armDeadline(): void {
    this.#cancelDeadline();
    const left = this.#deadline - this.#deps.clock.ticks();
    this.#cancelDeadline = this.#deps.clock.after(left, () =>
      this.#lose("the lease was not renewed in time"),
    );
  }

  #renewIn(ms: number): void {
    this.#cancelRenewal = this.#deps.clock.after(ms, () => this.#renew());
  }

  #renew(): void {
    const sentAt = this.#deps.clock.ticks();
    // Work that hangs must not hold its thread for ever: nobody else could serve it, and no time limit would help.
    if (sentAt >= this.#holdUntil) return this.#lose("the lease was held too long");
    this.#deps.renew().then(
      (isOurs) => this.#answered(isOurs, sentAt),
      (error: unknown) => {
        this.#deps.log.debug("a lease could not be renewed; trying again", { error });
        if (!this.#isOver) this.#renewIn(this.#ttlMs / 10);
      },
    );
  }

  #answered(isOurs: boolean, sentAt: number): void {
    if (this.#isOver) return;
    if (!isOurs) return this.#lose("the lease was taken away");
    // From when the request was sent, not from its answer: the server counts from between the two.
    this.#deadline = sentAt + this.#ttlMs;
    this.#armDeadline();
    this.#renewIn(this.#ttlMs / 3);
  }
}
