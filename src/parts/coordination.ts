/** How processes work together (wake-ups, leases, stop signals, live events, pacing): over Redis where a URL is set, else within this process. */

import { createLocalLive } from "../adapters/local/live.ts";
import { createLocalPacer } from "../adapters/local/pacer.ts";
import { createLocalRunQueue } from "../adapters/local/run-queue.ts";
import { createLocalRunWorker } from "../adapters/local/run-worker.ts";
import { createLocalStops } from "../adapters/local/stops.ts";
import { createLocalLocker } from "../core/agent/local-locker.ts";
import type { NewId } from "../core/ids.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Live } from "../core/ports/live.ts";
import type { Locker } from "../core/ports/locker.ts";
import type { Log } from "../core/ports/log.ts";
import type { Pacer } from "../core/ports/pacer.ts";
import type { RunQueue, RunWorker, Serve } from "../core/ports/run-queue.ts";
import type { Stops } from "../core/ports/stops.ts";
import type { Watched } from "../core/ports/watched.ts";
import { isBudgetOf } from "../core/reply/pacing.ts";
import { afterPeople } from "../core/run/after-people.ts";
import { leaseOf } from "../core/run/serve-session.ts";
import type { Board } from "../queue/watched.ts";

export interface Coordination extends Watched {
  /** The bell of people's messages. */
  readonly queue: RunQueue;
  /** The bell of what goals begin by themselves: beside the other one, so that no person waits behind a goal. */
  readonly goalQueue: RunQueue;
  readonly locker: Locker;
  /** For what one of several processes does for as long as it lives: its leases have no longest time. */
  readonly leadership: Locker;
  readonly stops: Stops;
  readonly live: Live;
  readonly pacer: Pacer;
  /** How long a write of an attempt that lost its lease may still land, ms; 0 within one process. */
  readonly lateWritesMs: number;
  workerFor(serve: Serve, concurrency: number): RunWorker;
  /** The same for `goalQueue`, behind whatever waits in `queue`. */
  goalWorkerFor(serve: Serve, concurrency: number): RunWorker;
  /** The queues in detail. Absent where they are in this process alone. */
  readonly board?: Board;
  /** Calls `heard` each time that others can be reached again after they could not. */
  onBack(heard: () => void): void;
  /** One sentence on what is missing, or nothing. Absent where there is nothing that could be missing. */
  readonly check?: () => Promise<string | undefined>;
  close(): Promise<void>;
}

export interface CoordinationDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: NewId;
}

/** Internal: shorter in tests, so that recovery from a kill takes two seconds and not fifteen. */
export interface CoordinationTimes {
  readonly jobLockMs?: number;
  readonly stalledCheckMs?: number;
  readonly commandTimeoutMs?: number;
}

export function localCoordination({ clock, log }: CoordinationDeps): Coordination {
  const queue = createLocalRunQueue();
  const goalQueue = createLocalRunQueue();
  const locker = createLocalLocker();
  const pacer = createLocalPacer(clock);
  return {
    queue,
    goalQueue,
    locker,
    leadership: createLocalLocker(),
    stops: createLocalStops(),
    live: createLocalLive(),
    pacer,
    lateWritesMs: 0,
    workerFor: (serve, concurrency) => createLocalRunWorker({ queue, serve, clock, log }, { concurrency }),
    goalWorkerFor: (serve, concurrency) =>
      createLocalRunWorker(
        { queue: goalQueue, serve: afterPeople(serve, { ...queue, clock }), clock, log },
        { concurrency },
      ),
    depth: async () => ({ runs: queue.depth(), goals: goalQueue.depth() }),
    leases: async (sessions) =>
      sessions.map((session) => (locker.forget(leaseOf(session)) ? undefined : Infinity)),
    budgets: async (space) => pacer.states().filter((state) => isBudgetOf(state, space)),
    onBack: () => {},
    close: () => Promise.resolve(),
  };
}
