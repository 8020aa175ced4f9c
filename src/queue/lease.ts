/**
 * One lease held in Redis: renewed while its owner works, over when a renewal is refused, when none succeeded before the
 * deadline, or when it was held for too long. Taking and releasing it is the locker's.
 */

import type { Clock } from "../core/ports/clock.ts";
import { BobbinError } from "../core/errors.ts";
import type { Lease } from "../core/ports/locker.ts";
import type { Log } from "../core/ports/log.ts";

/** A moment by both clocks. */
export interface Moment {
  readonly ticks: number;
  readonly now: number;
}

export const momentOf = (clock: Clock): Moment => ({ ticks: clock.ticks(), now: clock.now() });

/**
 * How long ago it surely was, ms. Monotonic time stands still while a machine is suspended (a laptop asleep, a virtual machine paused or
 * moved), and the leases go on to run out; wall-clock time jumps. So it is the longer of the two: a wall clock that is set back changes
 * nothing, and one that is set forward by more than is left ends a lease early, which costs one hand-over and can do no harm.
 */
export const msSince = (clock: Clock, { ticks, now }: Moment): number =>
  Math.max(clock.ticks() - ticks, clock.now() - now);

export interface HeldLeaseDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Asks Redis for another `ttlMs`: whether the lease was still ours. Rejects, within a bound, when it cannot be asked. */
  renew(): Promise<boolean>;
}

export interface HeldLeaseOptions {
  /** When the request that took the lease was sent. */
  readonly sentAt: Moment;
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
  readonly #maxHoldMs: number;
  readonly #takenAt: Moment;
  readonly #controller = new AbortController();
  #renewedAt: Moment;
  #isOver = false;
  #cancelRenewal: () => void = () => {};
  #cancelDeadline: () => void = () => {};

  constructor(deps: HeldLeaseDeps, options: HeldLeaseOptions) {
    this.#deps = deps;
    this.#ttlMs = options.ttlMs;
    this.#maxHoldMs = options.maxHoldMs;
    this.#takenAt = options.sentAt;
    this.#renewedAt = options.sentAt;
    this.#armDeadline();
    this.#renewIn(this.#ttlMs / 3);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  isLive(): boolean {
    return !this.#isOver && msSince(this.#deps.clock, this.#renewedAt) < this.#ttlMs;
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
    const left = this.#ttlMs - msSince(this.#deps.clock, this.#renewedAt);
    this.#cancelDeadline = this.#deps.clock.after(left, () =>
      this.#lose("the lease was not renewed in time"),
    );
  }

  #renewIn(ms: number): void {
    this.#cancelRenewal = this.#deps.clock.after(ms, () => this.#renew());
  }

  #renew(): void {
    const { clock } = this.#deps;
    // Where time stood still meanwhile no timer could say so.
    if (!this.isLive()) return this.#lose("the lease was not renewed in time");
    // Work that hangs must not hold its thread for ever: nobody else could serve it, and no time limit would help.
    if (msSince(clock, this.#takenAt) >= this.#maxHoldMs) return this.#lose("the lease was held too long");
    const sentAt = momentOf(clock);
    this.#deps.renew().then(
      (isOurs) => this.#answered(isOurs, sentAt),
      (error: unknown) => {
        this.#deps.log.debug("a lease could not be renewed; trying again", { error });
        if (!this.#isOver) this.#renewIn(this.#ttlMs / 10);
      },
    );
  }

  #answered(isOurs: boolean, sentAt: Moment): void {
    if (this.#isOver) return;
    if (!isOurs) return this.#lose("the lease was taken away");
    // From when the request was sent, not from its answer: the server counts from between the two.
    this.#renewedAt = sentAt;
    this.#armDeadline();
    this.#renewIn(this.#ttlMs / 3);
  }
}
