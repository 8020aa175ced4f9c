/**
 * Takes wakes from BullMQ and serves their sessions. It knows when to stop taking them and how to hand over what is being
 * served; what serving means is the caller's.
 */

import { type Job, WaitingError, Worker } from "bullmq";
import type { Redis } from "ioredis";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import type { RunQueue, RunWorker, Serve } from "../core/ports/run-queue.ts";
import { toSessionId } from "../core/thread.ts";
import type { RedisConnections } from "./connection.ts";
import { BLOCK_S, JOB_LOCK_MS, jobRenewMs, STALLED_CHECK_MS } from "./lock-times.ts";
import { RUNS_QUEUE, type Wake } from "./run-queue.ts";
import { pause, withTimeLimit } from "../core/pause.ts";

export interface RedisRunWorkerDeps {
  readonly redis: RedisConnections;
  /** Rings again for a session whose job was lost while it was served. */
  readonly queue: RunQueue;
  readonly serve: Serve;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RedisRunWorkerOptions {
  /** `RUNS_QUEUE` unless said. */
  readonly name?: string;
  /** Sessions served at a time. */
  readonly concurrency: number;
  /** ms; `JOB_LOCK_MS` unless said. */
  readonly lockMs?: number;
  /** ms; `STALLED_CHECK_MS` unless said. */
  readonly stalledMs?: number;
  /** How long it waits for a wake in one request, s; `BLOCK_S` unless said. One that comes ends the wait. */
  readonly blockS?: number;
  /** How long `close` waits for the services, in ms; 10,000 unless said. What still runs then is left behind. */
  readonly closeMs?: number;
}

/** Crashes are counted in Postgres, per run; here a job that was met by many deploys must not be thrown away. */
const MAX_STALLED = 20;
/** After an error that is not an outage; unless said BullMQ stands still for 15 seconds. */
const RETRY_MS = 1_000;
/**
 * Between "take no more" and "leave": handed over in the same moment, a job came back to the very worker that was closing,
 * and that worker hung for ever.
 */
const LEAVE_AFTER_MS = 20;
const HAND_OVER_MS = 2_000;

/** @see RunWorker. An error of `serve` is logged and ends the service: a job never fails, and the sweeper rings later. */
export function createRedisRunWorker(deps: RedisRunWorkerDeps, options: RedisRunWorkerOptions): RunWorker {
  return new RedisRunWorker(deps, options);
}

class RedisRunWorker implements RunWorker {
  readonly #deps: RedisRunWorkerDeps;
  readonly #options: RedisRunWorkerOptions;
  readonly #leaving = new AbortController();
  #isDraining = false;
  #running: { readonly worker: Worker<Wake>; readonly connection: Redis } | undefined;
  #closing: Promise<void> | undefined;

  constructor(deps: RedisRunWorkerDeps, options: RedisRunWorkerOptions) {
    const { concurrency } = options;
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      throw new RangeError(`concurrency has to be a whole number above 0, got ${concurrency}`);
    }
    this.#deps = deps;
    this.#options = options;
  }

  /** Resolves when it has begun to take wakes, or will as soon as Redis is there. */
  async start(): Promise<void> {
    if (this.#running !== undefined || this.#isDraining) return;
    const { redis, log } = this.#deps;
    const { name = RUNS_QUEUE, lockMs = JOB_LOCK_MS, blockS = BLOCK_S } = this.#options;
    const connection = redis.open("worker", blockS);
    // Three parameters, written out: BullMQ counts them, and gives no signal to a function with fewer.
    const processor = (job: Job<Wake>, token?: string, signal?: AbortSignal): Promise<void> =>
      this.#process(job, token, signal);
    const worker = new Worker<Wake>(name, processor, {
      connection,
      prefix: redis.prefix,
      autorun: false,
      drainDelay: blockS,
      concurrency: this.#options.concurrency,
      lockDuration: lockMs,
      lockRenewTime: jobRenewMs(lockMs),
      stalledInterval: this.#options.stalledMs ?? STALLED_CHECK_MS,
      maxStalledCount: MAX_STALLED,
      runRetryDelay: RETRY_MS,
      skipVersionCheck: true,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    // Outages are reported by the connection; what is left are lost locks and the like.
    worker.on("error", (error) => log.debug("the queue's worker had trouble", { error }));
    // BullMQ only tells: by itself it never stops a job whose lock is lost.
    worker.on("lockRenewalFailed", (ids) => ids.forEach((id) => worker.cancelJob(id)));
    worker.run().catch((error: unknown) => {
      if (!this.#isDraining) log.error("the queue's worker stopped", { error });
    });
    this.#running = { worker, connection };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isDraining = true;
    if (this.#running === undefined) return this.#leaving.abort();
    const { worker, connection } = this.#running;
    const { redis, clock, log } = this.#deps;
    const closed = worker.close();
    await pause(clock, LEAVE_AFTER_MS);
    this.#leaving.abort();
    try {
      await withTimeLimit(clock, this.#options.closeMs ?? 10_000, "closing the queue's worker", closed);
    } catch (error) {
      // Redis is away, or a service does not end: its job's lock runs out, and another worker takes it up.
      log.warn("the queue's worker did not close in time", { error });
    } finally {
      // Also what keeps the process alive and the lock of a service that does not end.
      redis.release(connection);
    }
  }

  async #process(job: Job<Wake>, token?: string, lost?: AbortSignal): Promise<void> {
    const session = toSessionId(job.data.session);
    if (session === undefined) {
      this.#deps.log.error("a wake names no session and was dropped", { job: job.id });
      return;
    }
    // Taken just before the worker began to close.
    if (this.#isDraining) return this.#handOver(job, token);
    const leaving = lost ? AbortSignal.any([this.#leaving.signal, lost]) : this.#leaving.signal;
    try {
      await this.#deps.serve(session, leaving);
    } catch (error) {
      this.#deps.log.error("serving a session failed", { session, error });
    }
    if (lost?.aborted) {
      // Another worker may have it, or the queue was emptied and nobody has: one wake too many does no harm.
      this.#deps.queue.wake(session).catch(() => {});
      throw new WaitingError();
    }
    if (leaving.aborted) await this.#handOver(job, token);
  }

  /** Puts the job first in line, for another worker. Always throws what tells BullMQ that the job is not done. */
  async #handOver(job: Job<Wake>, token?: string): Promise<never> {
    try {
      await withTimeLimit(this.#deps.clock, HAND_OVER_MS, "a hand-over", job.moveToWait(token));
    } catch (error) {
      // The job is another's by now, who found the lease taken and ended, or the queue was emptied: one wake too many does no harm.
      this.#deps.log.warn("a session could not be handed over; it is rung for instead", { error });
      this.#deps.queue.wake(job.data.session).catch(() => {});
    }
    throw new WaitingError();
  }
}
