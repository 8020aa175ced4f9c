/**
 * The limits on silence while an answer is read. Only time spent waiting for the provider counts: a reader that takes its
 * time between two events is no silence of the provider's.
 */

import type { BobbinError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { timedOut } from "./failures.ts";

export interface SilenceLimits {
  /** Between two bytes once the answer has begun, ms. */
  readonly idleMs: number;
  /** Until the first byte of the answer's body, and between two pieces of real data although keep-alive comments come, ms. */
  readonly dataIdleMs: number;
}

/** After a reply has ended only its usage and the end mark are to come, and they follow at once or never. */
const AFTER_END_MS = 3_000;

export class Watchdog {
  readonly #clock: Clock;
  readonly #limits: SilenceLimits;
  readonly #onSilence: (error: BobbinError) => void;
  #waitingSince: number | undefined;
  /** Waited without data before the wait that is going on, ms. */
  #withoutData = 0;
  #hasBegun = false;
  #isAfterEnd = false;
  #firesAt = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  /** @param onSilence called at most once. */
  constructor(clock: Clock, limits: SilenceLimits, onSilence: (error: BobbinError) => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#onSilence = onSilence;
  }

  /** A wait for the provider begins. One timer serves many waits: it is set anew only where it would come too late. */
  wait(): void {
    this.#waitingSince = this.#clock.ticks();
    const due = this.#waitingSince + this.#left();
    if (due < this.#firesAt) this.#arm(due);
  }

  /** The wait is over: bytes of the answer's body came. */
  came(): void {
    this.head();
    this.#hasBegun = true;
  }

  /** The wait is over: the answer's head came. Many servers send it before the model has read the request, so nothing has begun. */
  head(): void {
    if (this.#waitingSince === undefined) return;
    this.#withoutData += this.#clock.ticks() - this.#waitingSince;
    this.#waitingSince = undefined;
  }

  /** What came was real data. */
  data(): void {
    this.#withoutData = 0;
  }

  afterEnd(): void {
    this.#isAfterEnd = true;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#firesAt = Number.NEGATIVE_INFINITY;
  }

  /** How long a wait that begins now may last, ms. */
  #left(): number {
    const data = this.#limits.dataIdleMs - this.#withoutData;
    if (this.#isAfterEnd) return Math.min(AFTER_END_MS, data);
    return this.#hasBegun ? Math.min(this.#limits.idleMs, data) : data;
  }

  #arm(at: number): void {
    this.#cancel?.();
    this.#firesAt = at;
    this.#cancel = this.#clock.after(at - this.#clock.ticks(), () => this.#fire());
  }

  #fire(): void {
    const now = this.#clock.ticks();
    this.#firesAt = Number.POSITIVE_INFINITY;
    if (this.#waitingSince === undefined) return;
    const due = this.#waitingSince + this.#left();
    if (due > now) return this.#arm(due);
    this.stop();
    this.#onSilence(this.#error());
  }

  #error(): BobbinError {
    const { idleMs, dataIdleMs } = this.#limits;
    if (!this.#hasBegun) return timedOut("answer", dataIdleMs);
    return this.#left() === idleMs ? timedOut("bytes", idleMs) : timedOut("data", dataIdleMs);
  }
}
