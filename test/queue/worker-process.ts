// A worker in a process of its own, for tests that kill or stop it. It says on IPC what it does; its work never ends by
// itself: `hang` waits until it is told to leave, `block` keeps the event loop busy first and then tries to answer.
import type { Serve } from "../../src/core/ports/run-queue.ts";
import { openRedisParts } from "./redis-parts.ts";

export interface WorkerOrders {
  readonly url: string;
  readonly prefix: string;
  readonly lockMs: number;
  readonly stalledMs: number;
  readonly leaseMs: number;
  readonly work: { readonly kind: "hang" } | { readonly kind: "block"; readonly blockMs: number };
}

export type WorkerReport = "ready" | "serving" | "busy" | "answered" | "lost" | "left" | "closed";

const orders = JSON.parse(process.argv[2] ?? "") as WorkerOrders;
const say = (report: WorkerReport): void => void process.send?.(report);

const parts = await openRedisParts(orders);
const locker = parts.locker({ ttlMs: orders.leaseMs });

const serve: Serve = async (session, leaving) => {
  const locked = await locker.withLock(session, { mode: "try" }, async (lease) => {
    say("serving");
    if (orders.work.kind === "hang") {
      const ends = AbortSignal.any([leaving, lease.signal]);
      await new Promise<void>((resolve) => ends.addEventListener("abort", () => resolve(), { once: true }));
      say("left");
      return;
    }
    const end = performance.now() + orders.work.blockMs;
    while (performance.now() < end);
    // What a platform write does before it starts.
    say(lease.isLive() ? "answered" : "lost");
  });
  if (locked.kind === "busy") say("busy");
};

const worker = parts.worker(serve, { lockMs: orders.lockMs, stalledMs: orders.stalledMs });
await worker.start();
say("ready");

process.on("SIGTERM", () => {
  worker.close().then(
    () => {
      say("closed");
      parts.redis.close();
      process.disconnect();
    },
    () => process.exit(1),
  );
});
