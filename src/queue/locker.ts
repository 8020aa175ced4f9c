/**
 * Leases over one Redis. They keep two workers apart as long as clocks and networks behave; what makes a late writer
 * harmless is the fence in Postgres, never this.
 */

import { BobbinError } from "../core/errors.ts";
import type { NewId } from "../core/ids.ts";
import { pause } from "../core/pause.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Locked, Locker, LockOptions } from "../core/ports/locker.ts";
import type { Log } from "../core/ports/log.ts";
import type { RedisConnections } from "./connection.ts";
import { HeldLease, momentOf, msSince, type Moment } from "./lease.ts";
import { JOB_LOCK_MS, longestLeaseMs } from "./lock-times.ts";
import { RELEASE, RENEW } from "./scripts.ts";

export interface RedisLockerDeps {
  readonly redis: RedisConnections;
  readonly clock: Clock;
  readonly log: Log;
  readonly newToken: NewId;
  /** From 0 to 1, for the pauses of who waits; `Math.random` unless said. */
  readonly random?: () => number;
}

export interface RedisLockerOptions {
  /** How long a lease lasts without a renewal, in ms; at most `longestLeaseMs` of the worker's lock, the default. */
  readonly ttlMs?: number;
  /** No body holds its key for longer, in ms; one hour unless said. Then the lease is lost, as by an outage. */
  readonly maxHoldMs?: number;
  /** How long a body may go on after its lease was lost, in ms, before it is left behind; 30 seconds unless said. */
  readonly graceMs?: number;
  /** The mean pause between two looks of who waits, in ms; 60 unless said. */
  readonly pollMs?: number;
}

/**
 * @see Locker for the contract. Every acquisition has its own token, so a late holder cannot release what another took. A
 * body that does not settle within `graceMs` of the loss of its lease is left behind, and the call rejects with `lease_lost`.
 */
export function createRedisLocker(deps: RedisLockerDeps, options: RedisLockerOptions = {}): Locker {
  const { redis, clock, log, newToken, random = Math.random } = deps;
  const {
    ttlMs = longestLeaseMs(JOB_LOCK_MS),
    maxHoldMs = 60 * 60_000,
    graceMs = 30_000,
    pollMs = 60,
  } = options;
  for (const [name, value] of Object.entries({ ttlMs, maxHoldMs, graceMs, pollMs })) {
    if (!(value > 0)) throw new RangeError(`${name} has to be above 0, got ${value}`);
  }

  const release = async (key: string, token: string): Promise<void> => {
    try {
      await redis.commands.eval(RELEASE, 1, key, token);
    } catch (error) {
      log.warn("a lease could not be released; it ends by itself", { key, error });
    }
  };

  /** @returns when the request was sent; undefined when somebody else holds the key. */
  const take = async (key: string, token: string): Promise<Moment | undefined> => {
    const sentAt = momentOf(clock);
    let answer: string | null;
    try {
      answer = await redis.commands.set(key, token, "PX", ttlMs, "NX");
    } catch (error) {
      // It may have been taken all the same: only the answer is missing.
      await release(key, token);
      throw new BobbinError("lock_failed", "Redis did not answer", { retryable: true, cause: error });
    }
    if (answer === null) return undefined;
    if (msSince(clock, sentAt) < ttlMs) return sentAt;
    await release(key, token);
    throw new BobbinError("lock_failed", "Redis answered too late", { retryable: true });
  };

  const takeInTurn = async (
    key: string,
    token: string,
    { mode, signal }: LockOptions,
  ): Promise<Moment | undefined> => {
    for (;;) {
      if (signal?.aborted) throw givenUp(signal);
      const sentAt = await take(key, token);
      if (sentAt !== undefined || mode === "try") {
        if (sentAt === undefined || !signal?.aborted) return sentAt;
        await release(key, token);
        throw givenUp(signal);
      }
      await pause(clock, pollMs * (0.5 + random()), signal);
    }
  };

  return {
    async withLock<T>(name: string, lockOptions: LockOptions, body: (lease: HeldLease) => Promise<T>) {
      const key = `${redis.prefix}:lease:${name}`;
      const token = newToken();
      const sentAt = await takeInTurn(key, token, lockOptions);
      if (sentAt === undefined) return { kind: "busy" };
      const renew = async (): Promise<boolean> =>
        (await redis.commands.eval(RENEW, 1, key, token, ttlMs)) === 1;
      const lease = new HeldLease({ clock, log, renew }, { sentAt, ttlMs, maxHoldMs });
      try {
        const value = await settledOrLeft(body, lease);
        return { kind: "done", value } satisfies Locked<T>;
      } finally {
        lease.end();
        await release(key, token);
      }
    },
  };

  /** The body's outcome, or `lease_lost` when it goes on for too long after the loss. */
  async function settledOrLeft<T>(body: (lease: HeldLease) => Promise<T>, lease: HeldLease): Promise<T> {
    const left = Promise.withResolvers<never>();
    let cancel = (): void => {};
    lease.signal.addEventListener(
      "abort",
      () => {
        cancel = clock.after(graceMs, () => {
          log.error("work goes on though its lease was lost; it is left behind", { afterMs: graceMs });
          left.reject(lease.signal.reason as Error);
        });
      },
      { once: true },
    );
    try {
      return await Promise.race([body(lease), left.promise]);
    } finally {
      cancel();
    }
  }
}

function givenUp(signal: AbortSignal): BobbinError {
  return new BobbinError("lock_failed", "the wait for the lock was ended", { cause: signal.reason });
}
