/** Whether something is tried of Slack at all: what one page was refused for says little about others, what many were refused for does. */

import type { Clock } from "../../core/ports/clock.ts";
import type { SessionId } from "../../core/thread.ts";

/** Different threads, with no success between them. */
const MOST_REFUSED = 3;
const AGAIN_MS = 60 * 60_000;

/** Of one install; shared by all its threads. */
export class LetBe {
  readonly #clock: Pick<Clock, "ticks">;
  readonly #refused = new Set<SessionId>();
  /** Ticks before which nobody tries. */
  #until: number;

  /** @param isForGood nobody ever tries. Default false. */
  constructor(clock: Pick<Clock, "ticks">, isForGood = false) {
    this.#clock = clock;
    this.#until = isForGood ? Infinity : -Infinity;
  }

  get isOn(): boolean {
    return this.#clock.ticks() < this.#until;
  }

  taken(): void {
    this.#refused.clear();
  }

  /** To this thread. @param isForGood whoever asks will ever hear the same. */
  refused(session: SessionId, isForGood: boolean): void {
    this.#refused.add(session);
    if (!isForGood && this.#refused.size < MOST_REFUSED) return;
    this.#refused.clear();
    this.#until = isForGood ? Infinity : this.#clock.ticks() + AGAIN_MS;
  }
}
