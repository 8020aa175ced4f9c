// What a job in Redis is, told by the real library.
import { Queue } from "bullmq";
import { expect, test } from "vitest";
import type { SessionId } from "../../src/core/thread.ts";
import { createRedisRunQueue, RUNS_QUEUE, type Wake } from "../../src/queue/run-queue.ts";
import { createRedisRunWorker } from "../../src/queue/worker.ts";
import { sessionNamed } from "../contract/run-queue.ts";
import { silentLog } from "../support/silent-log.ts";
import { until } from "../support/until.ts";
import { clock, openFreshParts } from "./redis-parts.ts";

test("Q4: sessions whose ids hold colons are rung for and served, and the job's own id holds none", async () => {
  await using parts = await openFreshParts();
  const sessions = [
    "slack:T1:C1:1700000000.000100",
    "discord:G1:C1",
    "web:local:general:k3f9",
  ] as SessionId[];
  for (const session of sessions) await parts.queue.wake(session);
  const look = new Queue<Wake>(RUNS_QUEUE, { connection: parts.redis.commands, prefix: parts.redis.prefix });
  const jobs = await look.getJobs(["waiting"]);
  expect(jobs.map((job) => job.data).toReversed()).toEqual(sessions.map((session) => ({ session })));
  for (const job of jobs) {
    expect(job.id).not.toContain(":");
    expect(job.opts).toMatchObject({ deduplication: { id: job.data.session, keepLastIfActive: true } });
    expect(job.opts.priority ?? 0).toBe(0);
    expect(job.opts.delay ?? 0).toBe(0);
  }
  const served: SessionId[] = [];
  await parts.worker(async (session) => void served.push(session)).start();
  await until(() => served.length === 3, { what: "all were served" });
});

test("Q6: a session that was served, or whose service threw, is served again at its next wake, and no job is kept", async () => {
  await using parts = await openFreshParts();
  let services = 0;
  await parts
    .worker(async () => {
      services += 1;
      if (services === 2) throw new Error("a service that throws");
    })
    .start();
  const look = new Queue<Wake>(RUNS_QUEUE, { connection: parts.redis.commands, prefix: parts.redis.prefix });
  for (let turn = 1; turn <= 4; turn++) {
    await parts.queue.wake(sessionNamed("a"));
    await until(() => services === turn, { what: `service ${turn} began` });
    await until(async () => (await look.getJobCountByTypes()) === 0, { what: "no job is left" });
  }
});

test("wakes of another queue are apart: the same session may wait in both", async () => {
  await using parts = await openFreshParts();
  const { redis, queue } = parts;
  const seen: string[] = [];
  const second = createRedisRunQueue({ redis, clock }, { name: "continuations" });
  const worker = createRedisRunWorker(
    { redis, queue: second, clock, log: silentLog, serve: async () => void seen.push("continuation") },
    { name: "continuations", concurrency: 1 },
  );
  try {
    await second.wake(sessionNamed("a"));
    await queue.wake(sessionNamed("a"));
    await parts.worker(async () => void seen.push("message")).start();
    await until(() => seen.length === 1, { what: "the message was served" });
    await worker.start();
    await until(() => seen.length === 2, { what: "the continuation was served" });
    expect(seen).toEqual(["message", "continuation"]);
  } finally {
    await worker.close();
  }
});

test("a wake that names no session is dropped, and the next one is served", async () => {
  await using parts = await openFreshParts();
  const served: SessionId[] = [];
  await parts.queue.wake("not a session" as SessionId);
  await parts.worker(async (session) => void served.push(session)).start();
  await parts.queue.wake(sessionNamed("a"));
  await until(() => served.length === 1, { what: "the next one was served" });
  expect(served).toEqual([sessionNamed("a")]);
});

test("Q16: a service that hangs is given up with its lease, and the next wake of the thread is served", async () => {
  await using parts = await openFreshParts();
  const locker = parts.locker({ ttlMs: 200, maxHoldMs: 250, graceMs: 50 });
  const outcomes: string[] = [];
  let begun = 0;
  await parts
    .worker(async (session) => {
      begun += 1;
      const body = begun === 1 ? () => new Promise<void>(() => {}) : async () => {};
      outcomes.push((await locker.withLock(session, { mode: "try" }, body)).kind);
    })
    .start();
  await parts.queue.wake(sessionNamed("a"));
  await until(() => begun === 1, { what: "the first service began" });
  await parts.queue.wake(sessionNamed("a"));
  await until(() => outcomes.length === 1, { what: "the second service ended" });
  expect(outcomes).toEqual(["done"]);
});

test("wakes that come at once are one job for each session, also where Redis has forgotten its scripts", async () => {
  await using parts = await openFreshParts();
  await parts.queue.wake(sessionNamed("before"));
  await parts.redis.commands.script("FLUSH");
  const names = ["a", "b", "a", "c", "b"];
  await Promise.all(names.map((name) => parts.queue.wake(sessionNamed(name))));
  const look = new Queue<Wake>(RUNS_QUEUE, { connection: parts.redis.commands, prefix: parts.redis.prefix });
  const jobs = await look.getJobs(["waiting"]);
  expect(jobs.map((job) => job.data.session).toReversed()).toEqual(
    ["before", "a", "b", "c"].map((name) => sessionNamed(name)),
  );
  for (const { opts, data } of jobs) {
    expect(opts).toMatchObject({ deduplication: { id: data.session, keepLastIfActive: true } });
  }
});
