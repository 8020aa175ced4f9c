import { expect, test } from "vitest";
import { createLocalLive } from "../../../src/adapters/local/live.ts";
import { createLocalRunQueue } from "../../../src/adapters/local/run-queue.ts";
import { createLocalRunWorker } from "../../../src/adapters/local/run-worker.ts";
import { createLocalStops } from "../../../src/adapters/local/stops.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { RunWorker } from "../../../src/core/ports/run-queue.ts";
import { liveContract } from "../../contract/live.ts";
import { runQueueContract, sessionNamed, type RunQueueSubject } from "../../contract/run-queue.ts";
import { stopsContract } from "../../contract/stops.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { until } from "../../support/until.ts";

function open(): RunQueueSubject & AsyncDisposable {
  const queue = createLocalRunQueue();
  const workers: RunWorker[] = [];
  return {
    queue,
    worker(serve, options = {}) {
      const deps = { queue, serve, clock: createSystemClock(), log: silentLog };
      const worker = createLocalRunWorker(deps, { concurrency: 5, ...options });
      workers.push(worker);
      return worker;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}

const nothing: AsyncDisposable = { [Symbol.asyncDispose]: async () => {} };

runQueueContract("in one process", open);
stopsContract("in one process", () => ({ ...createLocalStops(), ...nothing }));
liveContract("in one process", () => ({ ...createLocalLive(), ...nothing }));

test("closing waits as long as it may and no longer, by the clock", async () => {
  const clock = manualClock();
  const queue = createLocalRunQueue();
  let begun = false;
  const serve = (): Promise<void> => {
    begun = true;
    return new Promise(() => {});
  };
  const worker = createLocalRunWorker(
    { queue, serve, clock, log: silentLog },
    { concurrency: 1, closeMs: 5_000 },
  );
  await worker.start();
  await queue.wake(sessionNamed("a"));
  await until(() => begun, { what: "the service began" });
  let closed = false;
  const closing = worker.close().then(() => (closed = true));
  await clock.advance(4_999);
  expect(closed).toBe(false);
  await clock.advance(1);
  await closing;
});

test("a worker that may serve nobody is refused by name", () => {
  const deps = { queue: createLocalRunQueue(), serve: async () => {}, clock: manualClock(), log: silentLog };
  expect(() => createLocalRunWorker(deps, { concurrency: 0 })).toThrow(/concurrency/);
});
