/** Serves the sessions of a local queue. */

import { withTimeLimit } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { RunWorker, Serve } from "../../core/ports/run-queue.ts";
import type { SessionId } from "../../core/thread.ts";
import type { LocalRunQueue } from "./run-queue.ts";

export interface LocalRunWorkerDeps {
  readonly queue: LocalRunQueue;
  readonly serve: Serve;
  readonly clock: Clock;
  readonly log: Log;
}

export interface LocalRunWorkerOptions {
  /** Sessions served at a time. */
  readonly concurrency: number;
  /** How long `close` waits for the services, in ms; 10,000 unless said. What still runs then is left behind. */
  readonly closeMs?: number;
}

/** @see RunWorker. An error of `serve` is logged and ends the service. */
export function createLocalRunWorker(deps: LocalRunWorkerDeps, options: LocalRunWorkerOptions): RunWorker {
  return new LocalRunWorker(deps, options);
}

class LocalRunWorker implements RunWorker {
  readonly #deps: LocalRunWorkerDeps;
  readonly #options: LocalRunWorkerOptions;
  readonly #leaving = new AbortController();
  readonly #services = new Map<SessionId, Promise<void>>();
  #stopLooking: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(deps: LocalRunWorkerDeps, options: LocalRunWorkerOptions) {
    const { concurrency } = options;
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      throw new RangeError(`concurrency has to be a whole number above 0, got ${concurrency}`);
    }
    this.#deps = deps;
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#stopLooking !== undefined || this.#closing !== undefined) return;
    this.#stopLooking = this.#deps.queue.onWaiting(() => this.#look());
    this.#look();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stopLooking?.();
    this.#leaving.abort();
    const ended = Promise.all(this.#services.values());
    const { clock, log } = this.#deps;
    try {
      await withTimeLimit(clock, this.#options.closeMs ?? 10_000, "the end of the services", ended);
    } catch (error) {
      log.warn("services did not end in time and are left behind", { services: this.#services.size, error });
    }
  }

  #look(): void {
    while (!this.#leaving.signal.aborted && this.#services.size < this.#options.concurrency) {
      const session = this.#deps.queue.take();
      if (session === undefined) return;
      this.#services.set(session, this.#serve(session));
    }
  }

  async #serve(session: SessionId): Promise<void> {
    try {
      await this.#deps.serve(session, this.#leaving.signal);
    } catch (error) {
      this.#deps.log.error("serving a session failed", { session, error });
    }
    this.#services.delete(session);
    this.#deps.queue.ended(session, this.#leaving.signal.aborted ? "handedOver" : "done");
    this.#look();
  }
}
