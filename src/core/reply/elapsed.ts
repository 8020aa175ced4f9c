/** How long a reply has been doing the same. It is told where that takes long, and again ever more rarely: each telling is a write. */

import type { Clock } from "../ports/clock.ts";
import type { ReplyDocument } from "./document.ts";

type Doing = "thinking" | "writing" | "tools";

/** What begins to write is its own sign of life. */
const FIRST_MS: Readonly<Record<Doing, number>> = { tools: 5_000, thinking: 15_000, writing: Infinity };

export class Elapsed {
  readonly #clock: Clock;
  readonly #due: () => void;
  #doing: Doing | undefined;
  #since = 0;
  #nextMs = Infinity;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  /** @param due called each time that it is worth telling anew. */
  constructor(clock: Clock, due: () => void) {
    this.#clock = clock;
    this.#due = due;
  }

  /** The document as it stands from now on. */
  watch({ activity }: Pick<ReplyDocument, "activity">): void {
    const isIdle = activity.kind === "tools" && activity.running.length === 0;
    const doing = isIdle ? "thinking" : activity.kind;
    if (doing === this.#doing || this.#isStopped) return;
    this.#doing = doing;
    this.#since = this.#clock.ticks();
    this.#nextMs = FIRST_MS[doing];
    this.#arm();
  }

  /** Whole seconds in ms; undefined while it is not worth telling. */
  get tellMs(): number | undefined {
    if (this.#doing === undefined) return undefined;
    const ms = this.#clock.ticks() - this.#since;
    return ms < FIRST_MS[this.#doing] ? undefined : Math.round(ms / 1_000) * 1_000;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #arm(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (!Number.isFinite(this.#nextMs)) return;
    const waitMs = this.#since + this.#nextMs - this.#clock.ticks();
    this.#cancel = this.#clock.after(Math.max(0, waitMs), () => {
      this.#nextMs *= 2;
      this.#arm();
      this.#due();
    });
  }
}
