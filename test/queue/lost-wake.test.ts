import { expect, test } from "vitest";
import type { Serve } from "../../src/core/ports/run-queue.ts";
import type { SessionId } from "../../src/core/thread.ts";
import { sessionNamed } from "../contract/run-queue.ts";
import { freshRedis } from "../support/services/redis.ts";
import { until } from "../support/until.ts";
import { clock, openRedisParts } from "./redis-parts.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));

test("of 200 sessions with 25 messages each, over two workers, none is left with an unseen message and none is served twice at once", async () => {
  await using redis = await freshRedis();
  await using one = await openRedisParts(redis);
  await using two = await openRedisParts(redis);
  const inbox = new Map<SessionId, number>();
  const seen = new Map<SessionId, number>();
  const inside = new Set<SessionId>();
  let overlaps = 0;
  let services = 0;

  // Reads its inbox early and ends later: in between is where a wake gets lost.
  const serve: Serve = async (session) => {
    services += 1;
    if (inside.has(session)) overlaps += 1;
    inside.add(session);
    await pause(1);
    seen.set(session, inbox.get(session) ?? 0);
    await pause(Math.random() * 4);
    inside.delete(session);
  };
  await one.worker(serve, { concurrency: 50 }).start();
  await two.worker(serve, { concurrency: 50 }).start();

  const talk = async (session: SessionId): Promise<void> => {
    for (let message = 1; message <= 25; message++) {
      inbox.set(session, message);
      await (message % 2 === 0 ? one : two).queue.wake(session);
      await pause(Math.random() * 12);
    }
  };
  const sessions = Array.from({ length: 200 }, (_, place) => sessionNamed(`171.${place}`));
  await Promise.all(sessions.map(talk));

  const unseen = (): number => sessions.filter((session) => seen.get(session) !== inbox.get(session)).length;
  await until(() => unseen() === 0, { what: "every session has seen its last message" });
  expect(overlaps).toBe(0);
  expect(services).toBeLessThanOrEqual(5_000);
});
