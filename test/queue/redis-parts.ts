// The parts over one Redis, as the composition root makes them, with what closes them.
import { createNewId } from "../../src/adapters/ids.ts";
import { createSystemClock } from "../../src/adapters/system-clock.ts";
import type { Locker } from "../../src/core/ports/locker.ts";
import type { Log } from "../../src/core/ports/log.ts";
import type { RunWorker, Serve } from "../../src/core/ports/run-queue.ts";
import { RedisChannels } from "../../src/queue/channels.ts";
import { RedisConnections } from "../../src/queue/connection.ts";
import { createRedisLocker, type RedisLockerOptions } from "../../src/queue/locker.ts";
import { createRedisRunQueue, type RedisRunQueue } from "../../src/queue/run-queue.ts";
import { createRedisRunWorker, type RedisRunWorkerOptions } from "../../src/queue/worker.ts";
import { freshRedis } from "../support/services/redis.ts";
import { silentLog } from "../support/silent-log.ts";

export const clock = createSystemClock();

export interface RedisParts extends AsyncDisposable {
  readonly redis: RedisConnections;
  readonly queue: RedisRunQueue;
  readonly channels: RedisChannels;
  readonly worker: (serve: Serve, options?: Partial<RedisRunWorkerOptions>) => RunWorker;
  readonly locker: (options?: RedisLockerOptions) => Locker;
}

export interface RedisPartsOptions {
  readonly url: string;
  readonly prefix?: string;
  readonly log?: Log;
  readonly commandTimeoutMs?: number;
}

/** Waits until Redis answers: `commands` refuses what comes before. */
export async function openRedisParts(options: RedisPartsOptions): Promise<RedisParts> {
  const { url, prefix = "test", log = silentLog, commandTimeoutMs = 2_000 } = options;
  const redis = new RedisConnections({ clock, log }, { url, prefix: `{${prefix}}`, commandTimeoutMs });
  const queue = createRedisRunQueue({ redis, clock });
  const channels = new RedisChannels({ redis, clock, log });
  const workers: RunWorker[] = [];
  await new Promise<void>((resolve) => {
    if (redis.commands.status === "ready") resolve();
    else redis.commands.once("ready", () => resolve());
  });
  return {
    redis,
    queue,
    channels,
    worker(serve, workerOptions = {}) {
      const deps = { redis, queue, serve, clock, log };
      const worker = createRedisRunWorker(deps, { concurrency: 5, ...workerOptions });
      workers.push(worker);
      return worker;
    },
    locker: (lockerOptions = {}) =>
      createRedisLocker({ redis, clock, log, newToken: createNewId(clock) }, lockerOptions),
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker.close()));
      channels.close();
      redis.close();
    },
  };
}

/** The same in a corner of the shared Redis that is emptied afterwards. */
export async function openFreshParts(): Promise<RedisParts> {
  await using stack = new AsyncDisposableStack();
  const parts = stack.use(await openRedisParts(stack.use(await freshRedis())));
  const opened = stack.move();
  return { ...parts, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
