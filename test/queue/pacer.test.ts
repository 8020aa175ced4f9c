import { expect, test } from "vitest";
import { createLocalPacer } from "../../src/adapters/local/pacer.ts";
import type { Budget } from "../../src/core/ports/pacer.ts";
import { createRedisPacer } from "../../src/queue/pacer.ts";
import { pacerContract } from "../contract/pacer.ts";
import { manualClock } from "../support/manual-clock.ts";
import { silentLog } from "../support/silent-log.ts";
import { freshRedis } from "../support/services/redis.ts";
import { clock, openFreshParts, openRedisParts, type RedisParts } from "./redis-parts.ts";

pacerContract("over Redis", async () => {
  const parts = await openFreshParts();
  const time = manualClock();
  const alone = createLocalPacer(time);
  const pacer = createRedisPacer({ redis: parts.redis, alone, log: silentLog }, { now: () => time.now() });
  const subject = { pacer, pass: (ms: number) => time.advance(ms) };
  return { subject, close: async () => parts[Symbol.asyncDispose]() };
});

const BUDGET: Budget = { key: "p:a:posts", everyMs: 60_000, burst: 4 };

function pacerOver({ redis }: RedisParts) {
  return createRedisPacer({ redis, alone: createLocalPacer(clock, { share: 1 / 4 }), log: silentLog });
}

test("two processes share one budget by the server's time, and each has a part of it while Redis is away", async () => {
  await using corner = await freshRedis();
  await using one = await openRedisParts(corner);
  await using two = await openRedisParts(corner);
  const pacers = [pacerOver(one), pacerOver(two)] as const;
  const take = (pacer: (typeof pacers)[number], who: string) => pacer.take(BUDGET, { who, urgency: "final" });
  const waits = await Promise.all(
    pacers.flatMap((pacer, at) => [1, 2, 3].map((n) => take(pacer, `${at}${n}`))),
  );
  expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(4);
  two.redis.close();
  expect([await take(pacers[1], "a"), await take(pacers[1], "b")]).toEqual([0, 5_000]);
  expect(await take(pacers[0], "c")).toBe(5_000);
  // Neither a hold nor a place that is given up needs a Redis.
  await pacers[1].hold(BUDGET, 1_000);
  await pacers[1].leave(BUDGET, "b");
});

test("what one process is told by the platform all keep to, also after the scripts of Redis are gone", async () => {
  await using corner = await freshRedis();
  await using one = await openRedisParts(corner);
  await using two = await openRedisParts(corner);
  const asking = { who: "a", urgency: "final" } as const;
  const least: Budget = { ...BUDGET, isLeast: true };
  expect(await pacerOver(two).take(least, asking)).toBe(0);
  await one.redis.commands.script("FLUSH");
  await pacerOver(one).hold(least, 30_000);
  await one.redis.commands.script("FLUSH");
  expect(await pacerOver(two).take(least, asking)).toBe(5_000);
});

test("nothing of a budget stays in Redis when it has been quiet", async () => {
  await using corner = await freshRedis();
  await using parts = await openRedisParts(corner);
  const pacer = pacerOver(parts);
  const one: Budget = { ...BUDGET, burst: 1 };
  await pacer.take(one, { who: "a", urgency: "final" });
  await pacer.take(one, { who: "b", urgency: "final" });
  const keys = await parts.redis.commands.keys(`${parts.redis.prefix}:pacer:*`);
  expect(keys).toHaveLength(3);
  for (const key of keys) {
    const ttlMs = await parts.redis.commands.pttl(key);
    expect(ttlMs).toBeGreaterThan(0);
    expect(ttlMs).toBeLessThanOrEqual(60_001);
  }
});

test("a clock that goes back holds up finals no longer than a full budget does", async () => {
  await using corner = await freshRedis();
  await using parts = await openRedisParts(corner);
  let now = 10_000_000_000;
  const alone = createLocalPacer(clock);
  const pacer = createRedisPacer({ redis: parts.redis, alone, log: silentLog }, { now: () => now });
  const take = (who: string) => pacer.take({ ...BUDGET, everyMs: 1_000 }, { who, urgency: "final" });
  expect(await take("a")).toBe(0);
  now -= 3_600_000;
  expect(await take("b")).toBe(1_000);
  now += 1_000;
  expect(await take("b")).toBe(0);
});
