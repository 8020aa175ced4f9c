// The contracts of the doorbell, the leases, the stop signals and the live events, over Redis.
import type { Serve } from "../../src/core/ports/run-queue.ts";
import { createRedisLive } from "../../src/queue/live.ts";
import { GOALS_BLOCK_S, GOALS_STALLED_CHECK_MS } from "../../src/queue/lock-times.ts";
import { createRedisStops } from "../../src/queue/stops.ts";
import { liveContract } from "../contract/live.ts";
import { lockerContract } from "../contract/locker.ts";
import { runQueueContract } from "../contract/run-queue.ts";
import { stopsContract } from "../contract/stops.ts";
import { silentLog } from "../support/silent-log.ts";
import { clock, openFreshParts, type RedisParts } from "./redis-parts.ts";

async function open<S>(make: (parts: RedisParts) => S): Promise<{ subject: S; close(): Promise<void> }> {
  const parts = await openFreshParts();
  return { subject: make(parts), close: async () => parts[Symbol.asyncDispose]() };
}

runQueueContract("over Redis", () => open((parts) => parts));
runQueueContract("over Redis, with the long waits of the queue for goals", () =>
  open((parts) => ({
    ...parts,
    worker: (serve: Serve, options?: { readonly concurrency?: number }) =>
      parts.worker(serve, { blockS: GOALS_BLOCK_S, stalledMs: GOALS_STALLED_CHECK_MS, ...options }),
  })),
);
lockerContract("over Redis", () => open((parts) => parts.locker()));
stopsContract("over Redis", () =>
  open(({ channels }) => createRedisStops({ channels, clock, log: silentLog })),
);
liveContract("over Redis", () => open(({ channels }) => createRedisLive({ channels, log: silentLog })));
