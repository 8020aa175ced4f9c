// Redis stops, restarts, is emptied, stands still: the process lives, nothing hangs, and afterwards everything goes on.
import { expect, test } from "vitest";
import type { Facts, Log } from "../../src/core/ports/log.ts";
import type { SessionId } from "../../src/core/thread.ts";
import { createRedisLive } from "../../src/queue/live.ts";
import { GOALS_BLOCK_S, GOALS_STALLED_CHECK_MS } from "../../src/queue/lock-times.ts";
import { createRedisStops } from "../../src/queue/stops.ts";
import { sessionNamed } from "../contract/run-queue.ts";
import { ownRedis } from "../support/services/redis.ts";
import { silentLog } from "../support/silent-log.ts";
import { until } from "../support/until.ts";
import { clock, openRedisParts, type RedisParts } from "./redis-parts.ts";

const A = sessionNamed("1700000000.000100");

async function isReady({ redis }: RedisParts): Promise<void> {
  await until(() => redis.isConnected, { what: "the connection is back" });
}

test("Q9: the process lives over restarts of Redis while idle, goes on serving, and says so once in a while", async () => {
  await using server = await ownRedis();
  const lines: string[] = [];
  const keep = (message: string, _facts?: Facts): void => void lines.push(message);
  const log: Log = { debug: () => {}, info: keep, warn: keep, error: keep, with: () => log };
  await using parts = await openRedisParts({ url: server.url, log });
  const served: SessionId[] = [];
  await parts.worker(async (session) => void served.push(session)).start();
  const live = createRedisLive({ channels: parts.channels, log });
  const heard: unknown[] = [];
  await live.subscribe("t", (event) => heard.push(event));
  await parts.queue.wake(A);
  await until(() => served.length === 1, { what: "it was served before" });

  for (let round = 0; round < 2; round++) {
    await server.stop("kill");
    await server.start();
    await isReady(parts);
  }
  await parts.queue.wake(A);
  await until(() => served.length === 2, { what: "it was served after" });
  await until(
    async () => {
      await live.publish("t", "after");
      return heard.length > 0;
    },
    { what: "live events are heard again" },
  );
  // Four connections, two outages; each attempt to connect would be a line otherwise.
  expect(lines.filter((line) => /cannot be reached/.test(line)).length).toBeLessThanOrEqual(4);
  expect(lines).toContain("Redis is back");
});

test("a Redis that was emptied while idle: the next wake is served", async () => {
  await using server = await ownRedis();
  await using parts = await openRedisParts({ url: server.url });
  const served: SessionId[] = [];
  await parts.worker(async (session) => void served.push(session)).start();
  await parts.queue.wake(A);
  await until(() => served.length === 1, { what: "it was served before" });
  await server.flush();
  await parts.queue.wake(A);
  await until(() => served.length === 2, { what: "it was served after" });
});

test("a worker that waits for a minute in one request hears each wake at once, also after Redis was emptied or was away", async () => {
  await using server = await ownRedis();
  await using parts = await openRedisParts({ url: server.url });
  const served: SessionId[] = [];
  const waits = { blockS: GOALS_BLOCK_S, stalledMs: GOALS_STALLED_CHECK_MS };
  await parts.worker(async (session) => void served.push(session), waits).start();
  const isHeard = async (times: number): Promise<void> => {
    await parts.queue.wake(A);
    // Far less than the wait.
    await until(() => served.length === times, { timeoutMs: 25_000, what: `it was served ${times} times` });
  };
  await isHeard(1);
  await server.flush();
  await isHeard(2);
  await server.stop("kill");
  await server.start();
  await isReady(parts);
  await isHeard(3);
});

test("a Redis that was emptied during a service: the service is told to leave, and its session is rung for again", async () => {
  await using server = await ownRedis();
  await using parts = await openRedisParts({ url: server.url });
  let services = 0;
  const serve = async (_session: SessionId, leaving: AbortSignal): Promise<void> => {
    services += 1;
    if (services > 1) return;
    await server.flush();
    await new Promise<void>((resolve) => leaving.addEventListener("abort", () => resolve(), { once: true }));
  };
  await parts.worker(serve, { lockMs: 600, stalledMs: 200 }).start();
  await parts.queue.wake(A);
  await until(() => services === 2, { what: "the session was served again" });
});

test("a process that ends and cannot give its job back, since Redis was emptied, rings for the session", async () => {
  await using server = await ownRedis();
  await using parts = await openRedisParts({ url: server.url });
  let services = 0;
  const emptied = Promise.withResolvers<void>();
  const leaver = parts.worker(async (_session, leaving) => {
    services += 1;
    await server.flush();
    emptied.resolve();
    await new Promise<void>((resolve) => leaving.addEventListener("abort", () => resolve(), { once: true }));
  });
  await leaver.start();
  await parts.queue.wake(A);
  await emptied.promise;
  await leaver.close();
  await parts.worker(async () => void (services += 1)).start();
  await until(() => services === 2, { what: "the session was served again" });
});

/** What has no bound ends only when Redis is back; the rest is room for a busy machine. */
const BOUND_MS = 10_000;

test("a wake rejects within its bound while Redis is away, and while it stands still", async () => {
  await using server = await ownRedis();
  await using parts = await openRedisParts({ url: server.url, commandTimeoutMs: 300 });
  await parts.queue.wake(A);
  server.freeze();
  const frozen = clock.ticks();
  await expect(parts.queue.wake(A)).rejects.toThrow();
  expect(clock.ticks() - frozen).toBeLessThan(BOUND_MS);
  server.thaw();
  await server.stop("kill");
  await until(() => !parts.redis.isConnected, { what: "the connection is lost" });
  const away = clock.ticks();
  await expect(parts.queue.wake(A)).rejects.toThrow();
  expect(clock.ticks() - away).toBeLessThan(BOUND_MS);
  await server.start();
  await isReady(parts);
  await parts.queue.wake(A);
});

test("a process that starts before Redis serves once it is there", async () => {
  await using server = await ownRedis();
  await using elsewhere = await openRedisParts({ url: server.url });
  await elsewhere.queue.wake(A);
  await server.stop("kill");
  const opening = openRedisParts({ url: server.url });
  await until(() => !elsewhere.redis.isConnected, { what: "Redis is away" });
  await server.start();
  await using parts = await opening;
  const served: SessionId[] = [];
  await parts.worker(async (session) => void served.push(session)).start();
  await parts.queue.wake(A);
  await until(() => served.length === 1, { what: "it was served" });
});

test("Q7: closing ends within its bound though Redis is gone, and the service was told to leave", async () => {
  await using server = await ownRedis();
  await using parts = await openRedisParts({ url: server.url, commandTimeoutMs: 300 });
  const begun = Promise.withResolvers<void>();
  let left = false;
  const worker = parts.worker(
    async (_session, leaving) => {
      begun.resolve();
      await new Promise<void>((resolve) =>
        leaving.addEventListener("abort", () => resolve(), { once: true }),
      );
      left = true;
    },
    { closeMs: 1_000 },
  );
  await worker.start();
  await parts.queue.wake(A);
  await begun.promise;
  await server.stop("kill");
  const since = clock.ticks();
  await worker.close();
  expect(clock.ticks() - since).toBeLessThan(BOUND_MS);
  expect(left).toBe(true);
});

test("Q7: after such a close and the return of a Redis that kept its data, the job is taken up once", async () => {
  await using server = await ownRedis({ keeps: "everything" });
  await using parts = await openRedisParts({ url: server.url, commandTimeoutMs: 300 });
  const times = { lockMs: 600, stalledMs: 200, closeMs: 500 };
  const begun = Promise.withResolvers<void>();
  const first = parts.worker(async (_session, leaving) => {
    begun.resolve();
    await new Promise<void>((resolve) => leaving.addEventListener("abort", () => resolve(), { once: true }));
  }, times);
  await first.start();
  await parts.queue.wake(A);
  await begun.promise;
  await server.stop("shutdown");
  await first.close();
  await server.start();

  await using next = await openRedisParts({ url: server.url });
  const served: SessionId[] = [];
  await next.worker(async (session) => void served.push(session), times).start();
  await until(() => served.length === 1, { what: "it was taken up" });
  const other = sessionNamed("other");
  await next.queue.wake(other);
  await until(() => served.includes(other), { what: "the next one was served" });
  expect(served).toEqual([A, other]);
});

test("a stop signal never rejects while Redis is away, and who watches is told to look when signals are heard again", async () => {
  await using server = await ownRedis();
  await using parts = await openRedisParts({ url: server.url, commandTimeoutMs: 300 });
  const stops = createRedisStops({ channels: parts.channels, clock, log: silentLog });
  const live = createRedisLive({ channels: parts.channels, log: silentLog });
  const heard: string[] = [];
  stops.watch(A, () => heard.push("a"));
  await until(() => heard.length > 0, { what: "signals are heard" });
  heard.length = 0;
  await server.stop("kill");
  await stops.signal(A);
  await live.publish("t", 1);
  stops.watch(sessionNamed("b"), () => heard.push("b"));
  expect(heard).toEqual([]);
  await server.start();
  await until(() => heard.length === 2, { what: "both are told to look, though nobody signals" });
  expect(heard.toSorted()).toEqual(["a", "b"]);
  await until(
    async () => {
      await stops.signal(A);
      return heard.includes("a");
    },
    { what: "the watch is made again by itself" },
  );
});

test("who watches before Redis was ever heard is told to look once it is", async () => {
  await using server = await ownRedis();
  await using parts = await openRedisParts({ url: server.url, commandTimeoutMs: 300 });
  const stops = createRedisStops({ channels: parts.channels, clock, log: silentLog });
  const heard: string[] = [];
  await server.stop("kill");
  stops.watch(A, () => heard.push("a"));
  await server.start();
  await until(() => heard.length > 0, { what: "it is told to look" });
  // What sends has a connection of its own, which may come back later than the one that hears.
  await until(
    async () => {
      await stops.signal(A);
      return heard.length > 1;
    },
    { what: "signals are heard" },
  );
});
