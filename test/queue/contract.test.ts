// The contracts of the doorbell, the leases, the stop signals and the live events, over Redis.
import { createRedisLive } from "../../src/queue/live.ts";
import { createRedisStops } from "../../src/queue/stops.ts";
import { liveContract } from "../contract/live.ts";
import { lockerContract } from "../contract/locker.ts";
import { runQueueContract } from "../contract/run-queue.ts";
import { stopsContract } from "../contract/stops.ts";
import { freshRedis } from "../support/services/redis.ts";
import { silentLog } from "../support/silent-log.ts";
import { openRedisParts, type RedisParts } from "./redis-parts.ts";

async function open<S>(make: (parts: RedisParts) => S): Promise<{ subject: S; close(): Promise<void> }> {
  await using stack = new AsyncDisposableStack();
  const parts = stack.use(await openRedisParts(stack.use(await freshRedis())));
  const opened = stack.move();
  return { subject: make(parts), close: () => opened.disposeAsync() };
}

runQueueContract("over Redis", () => open((parts) => parts));
lockerContract("over Redis", () => open((parts) => parts.locker()));
stopsContract("over Redis", () => open(({ channels }) => createRedisStops({ channels, log: silentLog })));
liveContract("over Redis", () => open(({ channels }) => createRedisLive({ channels, log: silentLog })));
