/** Answers that are owed are told, and those that were left untold, since whoever wanted to died or could not, are looked for. */

import type { Answers, OwedAnswer } from "../ports/answers.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Platform } from "../thread.ts";

export interface UntoldDeps {
  readonly answers: Pick<Answers, "told" | "untold">;
  /**
   * `over`: told, or it never can be, or nobody knows whether it was; `later`: to be told again.
   * @param isAgain somebody may have told it before.
   */
  tell(answer: OwedAnswer, isAgain: boolean): Promise<"over" | "later">;
  readonly clock: Clock;
  readonly log: Log;
}

export interface UntoldOptions {
  readonly platform: Platform;
  /** The space whose answers these are. Default all of the platform. */
  readonly space?: string;
  /** What is older is of no use any more, ms. */
  readonly keptMs: number;
  /** From one look to the next, ms. Default 15,000. */
  readonly everyMs?: number;
  /** How long whoever set out to tell one may take, ms. Default 40,000: longer than its requests may. */
  readonly idleMs?: number;
}

/** An end to what one process takes over from another at once. */
const MOST_TAKEN_OVER = 100;

export class Untold {
  readonly #deps: UntoldDeps;
  readonly #options: UntoldOptions & Required<Pick<UntoldOptions, "everyMs" | "idleMs">>;
  #isStopped = false;
  #cancel: () => void = () => {};
  #looking: Promise<void> | undefined;

  constructor(deps: UntoldDeps, options: UntoldOptions) {
    this.#deps = deps;
    this.#options = { everyMs: 15_000, idleMs: 40_000, ...options };
  }

  /** By the one who has just owed it. Never rejects. */
  tell(answer: OwedAnswer): Promise<void> {
    return this.#tell(answer, false);
  }

  /** For whoever knows that nobody else tells them: all that are untold, the oldest first. Never rejects. */
  async takeOver(): Promise<void> {
    const { answers, log } = this.#deps;
    const { platform, space, keptMs } = this.#options;
    try {
      const options = { idleMs: 0, keptMs, limit: MOST_TAKEN_OVER };
      for (const answer of await answers.untold(platform, space, options)) {
        if (this.#isStopped) return;
        await this.#tell(answer, true);
      }
    } catch (error) {
      log.debug("could not look for answers that are owed; looking again", { error });
    }
  }

  /** Tells what was left untold, now and from time to time. */
  start(): void {
    if (!this.#isStopped) this.#looking = this.#look();
  }

  /** Resolves when nothing is told any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#looking;
  }

  async #tell(answer: OwedAnswer, isAgain: boolean): Promise<void> {
    const { answers, log } = this.#deps;
    try {
      if ((await this.#deps.tell(answer, isAgain)) === "over") await answers.told(answer.command);
    } catch (error) {
      log.warn("an answer that is owed may be told again", { error });
    }
  }

  async #look(): Promise<void> {
    const { answers, clock, log } = this.#deps;
    const { platform, space, keptMs, idleMs, everyMs } = this.#options;
    try {
      // One at a time: what is only about to be told by a process that hangs is found by another one.
      while (!this.#isStopped) {
        const [answer] = await answers.untold(platform, space, { idleMs, keptMs, limit: 1 });
        if (answer === undefined) break;
        await this.#tell(answer, true);
      }
    } catch (error) {
      log.debug("could not look for answers that are owed; looking again", { error });
    }
    if (this.#isStopped) return;
    this.#cancel = clock.after(everyMs, () => {
      this.#looking = this.#look();
    });
  }
}
