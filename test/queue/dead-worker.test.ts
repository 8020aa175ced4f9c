// Workers that die, stand still or leave, as real processes.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Serve } from "../../src/core/ports/run-queue.ts";
import { longestLeaseMs } from "../../src/queue/lock-times.ts";
import { sessionNamed } from "../contract/run-queue.ts";
import { freshRedis, type FreshRedis } from "../support/services/redis.ts";
import { until } from "../support/until.ts";
import { clock, openRedisParts } from "./redis-parts.ts";
import type { WorkerOrders, WorkerReport } from "./worker-process.ts";

const times = { lockMs: 1_000, stalledMs: 250 };
const leaseMs = longestLeaseMs(times.lockMs);
/** So long that who would wait for a lock to run out waits for ever. */
const longLocks = { lockMs: 600_000, stalledMs: 600_000, leaseMs: longestLeaseMs(600_000) };
const A = sessionNamed("1700000000.000100");

interface Child extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly reports: WorkerReport[];
  said(report: WorkerReport): Promise<void>;
}

async function startWorker(
  { url, prefix }: FreshRedis,
  work: WorkerOrders["work"],
  locks = { ...times, leaseMs },
): Promise<Child> {
  const orders: WorkerOrders = { url, prefix, ...locks, work };
  const child = fork(join(import.meta.dirname, "worker-process.ts"), [JSON.stringify(orders)], {
    execArgv: [],
  });
  const reports: WorkerReport[] = [];
  child.on("message", (report) => reports.push(report as WorkerReport));
  const said = async (report: WorkerReport): Promise<void> => {
    await until(() => reports.includes(report), { what: `the worker said ${report}` });
  };
  await said("ready");
  return {
    process: child,
    reports,
    said,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

test("a worker killed in the middle of a service: another takes the session up within lock and check time, and finds the lease free", async () => {
  await using redis = await freshRedis();
  await using parts = await openRedisParts(redis);
  for (let round = 0; round < 3; round++) {
    await using child = await startWorker(redis, { kind: "hang" });
    await parts.queue.wake(A);
    await child.said("serving");
    // At another point of the renewals each time.
    await until(ticksFromNow(round * 170), { what: "some renewals have passed" });
    child.process.kill("SIGKILL");
    const killed = clock.ticks();

    const outcomes: string[] = [];
    const locker = parts.locker({ ttlMs: leaseMs });
    const serve: Serve = async (session) => {
      outcomes.push((await locker.withLock(session, { mode: "try" }, async () => {})).kind);
    };
    const next = parts.worker(serve, times);
    await next.start();
    await until(() => outcomes.length > 0, { what: "the session was taken up", everyMs: 2 });
    expect(outcomes).toEqual(["done"]);
    expect(clock.ticks() - killed).toBeLessThan(times.lockMs + 2 * times.stalledMs + 500);
    await next.close();
  }
});

test("Q1: an event loop blocked for twice the lock: another answers, and the first finds that it may not", async () => {
  await using redis = await freshRedis();
  await using parts = await openRedisParts(redis);
  await using child = await startWorker(redis, { kind: "block", blockMs: 3_000 });
  await parts.queue.wake(A);
  await child.said("serving");

  const answered: number[] = [];
  const locker = parts.locker({ ttlMs: leaseMs });
  const serve: Serve = async (session) => {
    await locker.withLock(session, { mode: "try" }, async (lease) => {
      if (lease.isLive()) answered.push(clock.ticks());
    });
  };
  await parts.worker(serve, times).start();
  await until(() => answered.length > 0, { what: "the other answered" });
  await child.said("lost");
  expect(child.reports).not.toContain("answered");
});

test("a worker that is told to end hands its session over at once, and its process ends", async () => {
  await using redis = await freshRedis();
  await using parts = await openRedisParts(redis);
  await using child = await startWorker(redis, { kind: "hang" }, longLocks);
  await parts.queue.wake(A);
  await child.said("serving");
  let isTaken = false;
  const locker = parts.locker({ ttlMs: longLocks.leaseMs });
  const serve: Serve = async (session) => {
    const locked = await locker.withLock(session, { mode: "try" }, async () => {});
    isTaken ||= locked.kind === "done";
  };
  await parts.worker(serve, longLocks).start();
  const exit = once(child.process, "exit");
  child.process.kill("SIGTERM");
  await until(() => isTaken, { what: "the session was taken up" });
  expect(await exit).toEqual([0, null]);
  expect(child.reports).toEqual(["ready", "serving", "left", "closed"]);
});

test("a worker that closes again and again under load never keeps a session for itself", async () => {
  await using redis = await freshRedis();
  await using parts = await openRedisParts(redis);
  const sessions = Array.from({ length: 8 }, (_, place) => sessionNamed(`s${place}`));
  const finished = new Set<string>();
  const hang: Serve = (_session, leaving) =>
    new Promise((resolve) => leaving.addEventListener("abort", () => resolve(), { once: true }));
  for (const session of sessions) await parts.queue.wake(session);
  for (let round = 0; round < 5; round++) {
    const leaver = parts.worker(hang, { concurrency: 8 });
    await leaver.start();
    await until(ticksFromNow(20 * round), { what: "it has taken some" });
    await leaver.close();
  }
  const last = parts.worker(async (session) => void finished.add(session), { concurrency: 2 });
  await last.start();
  await until(() => finished.size === sessions.length, { what: "all were finished by the last one" });
});

function ticksFromNow(ms: number): () => boolean {
  const end = clock.ticks() + ms;
  return () => clock.ticks() >= end;
}
