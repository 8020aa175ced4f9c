/** The doorbell over BullMQ: a job says only "look at session S", whatever it was that happened there. */

import { Queue } from "bullmq";
import { gathered } from "../core/gather.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { RunQueue } from "../core/ports/run-queue.ts";
import type { SessionId } from "../core/thread.ts";
import type { RedisConnections } from "./connection.ts";
import { withTimeLimit } from "../core/pause.ts";

/** The wakes of people's messages. Another kind of wake gets a queue of its own, never a priority in this one. */
export const RUNS_QUEUE = "runs";
/** The wakes of goals that go on by themselves. */
export const GOALS_QUEUE = "goals";

/** All that a job holds. */
export interface Wake {
  readonly session: SessionId;
}

export interface RedisRunQueueDeps {
  readonly redis: RedisConnections;
  readonly clock: Clock;
}

export interface RedisRunQueueOptions {
  /** `RUNS_QUEUE` unless said. */
  readonly name?: string;
  /** How long a wake may take before it rejects, in ms; 2,000 unless said. */
  readonly wakeMs?: number;
}

/** Sessions whose wake failed are rung for when Redis is back; beyond so many, the sweeper does it, which takes its time. */
const MOST_UNRUNG = 100;

/** BullMQ's log of what happened to jobs: we read it nowhere, and it is 10,000 lines unless said. */
const KEPT_EVENTS = 100;
/** Wakes that come together go together. */
const MOST = 100;
const AT_ONCE = 4;

export interface RedisRunQueue extends RunQueue {
  /** Whether a wake waits that no worker has taken yet. */
  isWaiting(): Promise<boolean>;
}

/** @see RunQueue. It needs no closing of its own: it works on the connection `commands`. */
export function createRedisRunQueue(
  deps: RedisRunQueueDeps,
  options: RedisRunQueueOptions = {},
): RedisRunQueue {
  const { redis, clock } = deps;
  const { name = RUNS_QUEUE, wakeMs = 2_000 } = options;
  const queue = new Queue<Wake>(name, {
    connection: redis.commands,
    prefix: redis.prefix,
    // Its failure at the first connect would be remembered for ever; `checkRedis` looks at the version.
    skipVersionCheck: true,
    streams: { events: { maxLen: KEPT_EVENTS } },
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  // Every failed wake rejects; this is for what BullMQ does on its own.
  queue.on("error", () => {});
  const ring = gathered<SessionId, undefined>(
    async (sessions) => {
      const jobs = [...new Set(sessions)].map(jobOf);
      const [job] = jobs;
      const rung: Promise<unknown> =
        jobs.length === 1 && job !== undefined
          ? queue.add(job.name, job.data, job.opts)
          : queue.addBulk(jobs);
      await withTimeLimit(clock, wakeMs, "a wake", rung);
      return [];
    },
    { atOnce: AT_ONCE, most: MOST },
  );
  const unrung = new Set<SessionId>();
  const wake = async (session: SessionId): Promise<void> => {
    try {
      await ring(session);
      unrung.delete(session);
    } catch (error) {
      if (unrung.size < MOST_UNRUNG) unrung.add(session);
      throw error;
    }
  };
  redis.onBack(() => {
    // Who only takes messages in has no sweeper, and may be the only one whose connection was dead.
    for (const session of unrung) wake(session).catch(() => {});
  });
  return { wake, isWaiting: async () => (await redis.commands.llen(queue.toKey("wait"))) > 0 };
}

/**
 * While the session's job is active the newest wake is kept and becomes a job when that one ends. No job id (one that still
 * exists swallows the next), no priority and no delay (they hold back an urgent wake that comes later).
 */
function jobOf(session: SessionId) {
  return {
    name: "wake",
    data: { session },
    opts: { deduplication: { id: session, keepLastIfActive: true } },
  } as const;
}
