/**
 * Keeps what admins look for threads by up to date, beside the work: a thread that was served is looked at a moment later, and now and
 * then all are, since a process may have died between the two. Nothing waits for it.
 */

import { pause } from "../pause.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { OverviewMaker } from "../ports/overviews.ts";
import type { ServeStep } from "../run/serve-session.ts";
import type { SessionId } from "../thread.ts";

export interface OverviewKeeperDeps {
  readonly maker: OverviewMaker;
  readonly clock: Clock;
  readonly log: Log;
  /** Calls `body` unless another process is in one just now. */
  exclusive(body: () => Promise<void>): Promise<void>;
}

export interface OverviewKeeperOptions {
  /** How long after a thread changed it is looked at, ms: what changes meanwhile is one look. Default 1,000. */
  readonly afterMs?: number;
  /** From one look at all threads to the next, ms. Default 60,000. */
  readonly everyMs?: number;
  /** Between two threads of a look at all, ms: nobody waits for it. Default 5. */
  readonly gapMs?: number;
}

export interface OverviewKeeper {
  /** The same step, after which the thread is looked at; also when it begins, so that what is under way can be found. */
  after(step: ServeStep): ServeStep;
  start(): void;
  /** Begins nothing more; resolves when what is under way has ended. */
  stop(): Promise<void>;
}

/** After each thread it rests for so many times as long as that took: answers come first, and a busy hour is made up for behind it. */
const RESTS = 4;
const LONGEST_REST_MS = 1_000;
const BATCH = 100;
/** So many wait at most; the look at all finds the others. */
const MOST_WAITING = 10_000;

export function createOverviewKeeper(
  deps: OverviewKeeperDeps,
  options: OverviewKeeperOptions = {},
): OverviewKeeper {
  const { maker, clock, log } = deps;
  const { afterMs = 1_000, everyMs = 60_000, gapMs = 5 } = options;
  const stopping = new AbortController();
  const waiting = new Set<SessionId>();
  let cancelSoon: (() => void) | undefined;
  let cancelAll: () => void = () => {};
  let working: Promise<void> = Promise.resolve();
  let isTroubled = false;

  async function guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      isTroubled = false;
    } catch (error) {
      // An outage of an hour is one line; the next look at all finds what was missed.
      if (!isTroubled) log.warn("the overview of threads is behind; it is made up for later", { error });
      isTroubled = true;
    }
  }

  /** One thing at a time. */
  function queue(work: () => Promise<void>): void {
    working = working.then(() => (stopping.signal.aborted ? undefined : guarded(work)));
  }

  async function makeWaiting(): Promise<void> {
    const sessions = [...waiting];
    waiting.clear();
    for (const session of sessions) {
      if (stopping.signal.aborted) return;
      const begun = clock.ticks();
      await maker.make(session);
      const restMs = Math.min(LONGEST_REST_MS, (clock.ticks() - begun) * RESTS);
      if (restMs > 0 && !(await pause(clock, restMs, stopping.signal))) return;
    }
  }

  async function makeAll(): Promise<void> {
    // A batch at a time, so that no lock is held for long.
    for (let isMore = true; isMore && !stopping.signal.aborted;) {
      isMore = false;
      await deps.exclusive(async () => {
        const sessions = await maker.behind(BATCH);
        for (const session of sessions) {
          if (!(await pause(clock, gapMs, stopping.signal))) return;
          await maker.make(session);
        }
        isMore = sessions.length === BATCH;
      });
      await makeWaiting();
    }
  }

  const planAll = (): void => {
    if (stopping.signal.aborted) return;
    queue(makeAll);
    cancelAll = clock.after(everyMs, planAll);
  };

  function changed(session: SessionId): void {
    if (waiting.size < MOST_WAITING) waiting.add(session);
    cancelSoon ??= clock.after(afterMs, () => {
      cancelSoon = undefined;
      queue(makeWaiting);
    });
  }

  return {
    after: (step) => (session, lease, leaving) => {
      changed(session);
      return step(session, lease, leaving).finally(() => changed(session));
    },
    start: planAll,
    async stop() {
      stopping.abort();
      cancelSoon?.();
      cancelAll();
      await working;
    },
  };
}
