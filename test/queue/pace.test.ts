import { expect, test } from "vitest";
import { createRedisPace } from "../../src/queue/pace.ts";
import { paceContract } from "../contract/pace.ts";
import { silentLog } from "../support/silent-log.ts";
import { freshRedis } from "../support/services/redis.ts";
import { openFreshParts, openRedisParts } from "./redis-parts.ts";

paceContract("over Redis", async () => {
  const parts = await openFreshParts();
  const subject = createRedisPace({ redis: parts.redis, log: silentLog });
  return { subject, close: async () => parts[Symbol.asyncDispose]() };
});

const RATE = { everyMs: 60_000, burst: 3 };

test("two processes share one pace, and without Redis nobody is held up", async () => {
  await using corner = await freshRedis();
  await using one = await openRedisParts(corner);
  await using two = await openRedisParts(corner);
  const paces = [one, two].map(({ redis }) => createRedisPace({ redis, log: silentLog }));
  const waits = await Promise.all(paces.flatMap((pace) => [1, 2, 3].map(() => pace.take("a", RATE))));
  expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(3);
  two.redis.close();
  expect(await paces[1]?.take("a", RATE)).toBe(0);
  expect(await paces[0]?.take("a", RATE)).toBeGreaterThan(0);
});
