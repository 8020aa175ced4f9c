// What those who watch are told of queues, leases and budgets: the same within one process and over Redis.
import { describe, expect, test } from "vitest";
import { createSystemClock } from "../../src/adapters/system-clock.ts";
import type { Budget } from "../../src/core/ports/pacer.ts";
import { leaseOf } from "../../src/core/run/serve-session.ts";
import { localCoordination, type Coordination } from "../../src/parts/coordination.ts";
import { redisCoordination } from "../../src/parts/redis-coordination.ts";
import { ownRedis } from "../support/services/redis.ts";
import { silentLog } from "../support/silent-log.ts";
import { sessionNamed } from "../support/stored-threads.ts";

const clock = createSystemClock();
let ids = 0;
const deps = { clock, log: silentLog, newId: () => `id${++ids}` };
const [held, free] = [sessionNamed("slack:T1:C1:1.1"), sessionNamed("slack:T1:C1:2.2")];
const edits: Budget = { key: "slack:T1:chat.update", everyMs: 1_200, burst: 4 };
const posts: Budget = { key: "slack:T2:chat.postMessage:C1", everyMs: 1_000, burst: 4 };
const all: Budget = { key: "discord:requests", everyMs: 25, burst: 10 };

async function tellsHowItStands(coordination: Coordination): Promise<void> {
  expect(await coordination.depth()).toEqual({
    runs: { waiting: 0, active: 0 },
    goals: { waiting: 0, active: 0 },
  });
  await coordination.queue.wake(held);
  await coordination.goalQueue.wake(held);
  await coordination.queue.wake(free);
  expect(await coordination.depth()).toEqual({
    runs: { waiting: 2, active: 0 },
    goals: { waiting: 1, active: 0 },
  });

  await coordination.locker.withLock(leaseOf(held), { mode: "try" }, async () => {
    const [ofHeld, ofFree] = await coordination.leases([held, free]);
    expect(ofHeld).toBeGreaterThan(0);
    expect(ofFree).toBeUndefined();
  });
  expect(await coordination.leases([held])).toEqual([undefined]);

  const asking = { who: "a", urgency: "final" } as const;
  const { pacer } = coordination;
  await pacer.hold(posts, 1);
  await pacer.take(all, asking);
  for (let n = 0; n < 8; n++) await pacer.take(edits, { ...asking, who: `w${n}` });
  await pacer.hold(edits, 60_000);
  const [state, ...others] = await coordination.budgets({ platform: "slack", space: "T1" });
  expect(others).toEqual([]);
  expect(state).toMatchObject({ key: edits.key, line: 4 });
  expect(state?.fullInMs).toBeGreaterThan(59_000);
  expect(state?.bindsForMs).toBeGreaterThan(60_000);
  expect((await coordination.budgets({ platform: "slack", space: "T2" })).map(({ key }) => key)).toEqual([
    posts.key,
  ]);
  // What a platform counts for the whole bot is of each of its spaces.
  await pacer.hold(all, 60_000);
  expect((await coordination.budgets({ platform: "discord", space: "G1" })).map(({ key }) => key)).toEqual([
    all.key,
  ]);
  expect(await coordination.budgets({ platform: "web", space: "local" })).toEqual([]);
}

describe("those who watch are told of wakes, leases and budgets", () => {
  test("within one process", async () => {
    await tellsHowItStands(localCoordination(deps));
  });

  test("over Redis, and at once that it cannot be known where Redis is away", async () => {
    await using redis = await ownRedis();
    const coordination = await redisCoordination(deps, redis.url, AbortSignal.timeout(60_000));
    try {
      await tellsHowItStands(coordination);
      await redis.stop();
      const asked = [
        coordination.depth(),
        coordination.leases([held]),
        coordination.budgets({ platform: "slack", space: "T1" }),
      ];
      const begun = clock.ticks();
      for (const each of await Promise.allSettled(asked)) expect(each.status).toBe("rejected");
      expect(clock.ticks() - begun).toBeLessThan(5_000);
    } finally {
      await coordination.close();
    }
  });
});
