/** How processes work together over Redis. */

import { createLocalPacer } from "../adapters/local/pacer.ts";
import { BobbinError } from "../core/errors.ts";
import { afterPeople } from "../core/run/after-people.ts";
import { RedisChannels } from "../queue/channels.ts";
import { RedisConnections } from "../queue/connection.ts";
import { createRedisLive } from "../queue/live.ts";
import { GOALS_BLOCK_S, GOALS_STALLED_CHECK_MS, JOB_LOCK_MS, longestLeaseMs } from "../queue/lock-times.ts";
import { createRedisLocker } from "../queue/locker.ts";
import { checkRedis } from "../queue/redis-check.ts";
import { createRedisPacer } from "../queue/pacer.ts";
import { createRedisRunQueue, GOALS_QUEUE } from "../queue/run-queue.ts";
import { createRedisStops } from "../queue/stops.ts";
import { watchRedis } from "../queue/watched.ts";
import { createRedisRunWorker } from "../queue/worker.ts";
import type { Coordination, CoordinationDeps, CoordinationTimes } from "./coordination.ts";
import { untilThere } from "./until-there.ts";

/** Without Redis nobody knows how many others write: each process takes so much of what all of them may. */
const ALONE_SHARE = 1 / 4;

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
