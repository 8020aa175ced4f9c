/** How processes work together (wake-ups, leases, stop signals, live events, pacing): over Redis where a URL is set, else within this process. */

import { createLocalLive } from "../adapters/local/live.ts";
import { createLocalPacer } from "../adapters/local/pacer.ts";
import { createLocalRunQueue } from "../adapters/local/run-queue.ts";
import { createLocalRunWorker } from "../adapters/local/run-worker.ts";
import { createLocalStops } from "../adapters/local/stops.ts";
import { createLocalLocker } from "../core/agent/local-locker.ts";
import { BobbinError } from "../core/errors.ts";
import type { NewId } from "../core/ids.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Live } from "../core/ports/live.ts";
import type { Locker } from "../core/ports/locker.ts";
import type { Log } from "../core/ports/log.ts";
import type { Pacer } from "../core/ports/pacer.ts";
import type { RunQueue, RunWorker, Serve } from "../core/ports/run-queue.ts";
import type { Stops } from "../core/ports/stops.ts";
import type { Watched } from "../core/ports/watched.ts";
import { isBudgetOf } from "../core/reply/pacing.ts";
import { afterPeople } from "../core/run/after-people.ts";
import { leaseOf } from "../core/run/serve-session.ts";
import { RedisChannels } from "../queue/channels.ts";
import { RedisConnections } from "../queue/connection.ts";
import { createRedisLive } from "../queue/live.ts";
import { GOALS_BLOCK_S, GOALS_STALLED_CHECK_MS, JOB_LOCK_MS, longestLeaseMs } from "../queue/lock-times.ts";
import { createRedisLocker } from "../queue/locker.ts";
import { checkRedis } from "../queue/redis-check.ts";
import { createRedisPacer } from "../queue/pacer.ts";
import { createRedisRunQueue, GOALS_QUEUE, RUNS_QUEUE } from "../queue/run-queue.ts";
import { createRedisStops } from "../queue/stops.ts";
import { watchRedis, type Board } from "../queue/watched.ts";
import { createRedisRunWorker } from "../queue/worker.ts";
import { untilThere } from "./until-there.ts";

/** Without Redis nobody knows how many others write: each process takes so much of what all of them may. */
const ALONE_SHARE = 1 / 4;

export interface Coordination extends Watched {
  /** The bell of people's messages. */
  readonly queue: RunQueue;
  /** The bell of what goals begin by themselves: beside the other one, so that no person waits behind a goal. */
  readonly goalQueue: RunQueue;
  readonly locker: Locker;
  /** For what one of several processes does for as long as it lives: its leases have no longest time. */
  readonly leadership: Locker;
  readonly stops: Stops;
  readonly live: Live;
  readonly pacer: Pacer;
  /** How long a write of an attempt that lost its lease may still land, ms; 0 within one process. */
  readonly lateWritesMs: number;
  workerFor(serve: Serve, concurrency: number): RunWorker;
  /** The same for `goalQueue`, behind whatever waits in `queue`. */
  goalWorkerFor(serve: Serve, concurrency: number): RunWorker;
  /** The queues in detail. Absent where they are in this process alone. */
  readonly board?: Board;
  /** Calls `heard` each time that others can be reached again after they could not. */
  onBack(heard: () => void): void;
  /** One sentence on what is missing, or nothing. Absent where there is nothing that could be missing. */
  readonly check?: () => Promise<string | undefined>;
  close(): Promise<void>;
}

export interface CoordinationDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: NewId;
}

/** Internal: shorter in tests, so that recovery from a kill takes two seconds and not fifteen. */
export interface CoordinationTimes {
  readonly jobLockMs?: number;
  readonly stalledCheckMs?: number;
  readonly commandTimeoutMs?: number;
}

export function localCoordination({ clock, log }: CoordinationDeps): Coordination {
  const queue = createLocalRunQueue();
  const goalQueue = createLocalRunQueue();
  const locker = createLocalLocker();
  const pacer = createLocalPacer(clock);
  return {
    queue,
    goalQueue,
    locker,
    leadership: createLocalLocker(),
    stops: createLocalStops(),
    live: createLocalLive(),
    pacer,
    lateWritesMs: 0,
    workerFor: (serve, concurrency) => createLocalRunWorker({ queue, serve, clock, log }, { concurrency }),
    goalWorkerFor: (serve, concurrency) =>
      createLocalRunWorker(
        { queue: goalQueue, serve: afterPeople(serve, { ...queue, clock }), clock, log },
        { concurrency },
      ),
    depth: async () => ({ [RUNS_QUEUE]: queue.depth(), [GOALS_QUEUE]: goalQueue.depth() }),
    leases: async (sessions) =>
      sessions.map((session) => (locker.forget(leaseOf(session)) ? undefined : Infinity)),
    budgets: async (space) => pacer.states().filter((state) => isBudgetOf(state, space)),
    onBack: () => {},
    close: () => Promise.resolve(),
  };
}

/** Waits for a Redis that is not there yet. @throws BobbinError when it is unfit (too old, evicts keys). */
export async function redisCoordination(
  deps: CoordinationDeps,
  url: string,
  signal: AbortSignal,
  times: CoordinationTimes = {},
): Promise<Coordination> {
  const { clock, log, newId } = deps;
  await untilThere("Redis", () => fit(url), deps, signal);
  const lockMs = times.jobLockMs ?? JOB_LOCK_MS;
  const leaseMs = longestLeaseMs(lockMs);
  const { commandTimeoutMs } = times;
  const redis = new RedisConnections(
    { clock, log },
    { url, ...(commandTimeoutMs === undefined ? {} : { commandTimeoutMs }) },
  );
  await redis.connected(signal);
  const channels = new RedisChannels({ redis, clock, log });
  const queue = createRedisRunQueue({ redis, clock });
  const goalQueue = createRedisRunQueue({ redis, clock }, { name: GOALS_QUEUE });
  const { stalledCheckMs } = times;
  const lasting = { lockMs, ...(stalledCheckMs === undefined ? {} : { stalledMs: stalledCheckMs }) };
  return {
    queue,
    goalQueue,
    locker: createRedisLocker({ redis, clock, log, newToken: newId }, { ttlMs: leaseMs }),
    leadership: createRedisLocker(
      { redis, clock, log, newToken: newId },
      { ttlMs: leaseMs, maxHoldMs: Infinity },
    ),
    stops: createRedisStops({ channels, clock, log }),
    live: createRedisLive({ channels, log }),
    pacer: createRedisPacer({ redis, alone: createLocalPacer(clock, { share: ALONE_SHARE }), log }),
    lateWritesMs: leaseMs,
    workerFor: (serve, concurrency) =>
      createRedisRunWorker({ redis, queue, serve, clock, log }, { concurrency, ...lasting }),
    goalWorkerFor: (serve, concurrency) =>
      createRedisRunWorker(
        { redis, queue: goalQueue, serve: afterPeople(serve, { ...queue, clock }), clock, log },
        {
          name: GOALS_QUEUE,
          concurrency,
          stalledMs: GOALS_STALLED_CHECK_MS,
          blockS: GOALS_BLOCK_S,
          ...lasting,
        },
      ),
    ...watchRedis(redis),
    onBack: (heard) => redis.onBack(heard),
    check: async () => {
      await redis.commands.ping();
      return undefined;
    },
    async close() {
      channels.close();
      redis.close();
    },
  };
}

async function fit(url: string): Promise<void> {
  const found = await checkRedis(url);
  if (found.kind === "fit") return;
  throw new BobbinError("lock_failed", `${found.sentence} ${found.fix}`, {
    retryable: found.kind === "unreachable",
  });
}
