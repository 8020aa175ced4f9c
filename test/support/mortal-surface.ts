// The way to a thread of a process that may die: what it has begun lands later or never, and it hears of nothing any more.
import type { Surface, SurfaceLimits, Written } from "../../src/core/ports/surface.ts";
import type { FakeThread } from "./fake-surface.ts";
import type { ManualClock } from "./manual-clock.ts";

/** On its way to the platform, which has not heard of it yet. */
interface Sending {
  readonly isPost: boolean;
  readonly write: () => Promise<Written>;
  isOver: boolean;
}

/** How long a write is on its way, ms. */
const WAY_MS = 300;

export class MortalSurface implements Surface {
  readonly limits: SurfaceLimits;
  isAlive = true;
  /** Posts that were begun and may still land. */
  postsUnderWay = 0;
  readonly #thread: FakeThread;
  readonly #clock: ManualClock;
  #sending: Sending | undefined;

  constructor(thread: FakeThread, clock: ManualClock) {
    this.#thread = thread;
    this.#clock = clock;
    this.limits = thread.limits;
  }

  readonly post: Surface["post"] = (...post) => this.#send(true, () => this.#thread.post(...post));
  readonly edit: Surface["edit"] = (...edit) => this.#send(false, () => this.#thread.edit(...edit));
  readonly remove: Surface["remove"] = (...which) => this.#send(false, () => this.#thread.remove(...which));
  readonly find: Surface["find"] = (key) => this.#heard(this.#thread.find(key));

  /** @param landsMs when what is under way reaches the platform; never unless given. */
  die(landsMs: number | undefined): void {
    this.isAlive = false;
    const sending = this.#sending;
    if (sending === undefined) return;
    if (landsMs === undefined) this.#over(sending);
    else this.#clock.after(landsMs, () => void this.#land(sending));
  }

  async #send(isPost: boolean, write: () => Promise<Written>): Promise<Written> {
    if (!this.isAlive) return new Promise(() => {});
    const sending: Sending = { isPost, write, isOver: false };
    if (isPost) this.postsUnderWay++;
    this.#sending = sending;
    await new Promise<void>((resolve) => void this.#clock.after(WAY_MS, resolve));
    if (!this.isAlive) return new Promise(() => {});
    this.#sending = undefined;
    return this.#heard(this.#land(sending));
  }

  async #land(sending: Sending): Promise<Written> {
    try {
      return await sending.write();
    } finally {
      this.#over(sending);
    }
  }

  #over(sending: Sending): void {
    if (sending.isPost && !sending.isOver) this.postsUnderWay--;
    sending.isOver = true;
  }

  async #heard<T>(work: Promise<T>): Promise<T> {
    const result = await work;
    return this.isAlive ? result : new Promise(() => {});
  }
}
