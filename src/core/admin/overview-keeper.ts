/**
 * Keeps what admins look for threads by up to date, beside the work: a thread that was served is looked at a moment later, and now and
 * then all are, since a process may have died between the two. Nothing waits for it.
 */

import { isStoreAway } from "../errors.ts";
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
  /** The same of a thread that is still under way so long after it began. Most have ended by then, and are looked at once. Default 5,000. */
  readonly underWayMs?: number;
  /** From one look at all threads to the next, ms. Default 60,000. */
  readonly everyMs?: number;
  /** Between two threads of a look at all, ms: nobody waits for it. Default 5. */
  readonly gapMs?: number;
}

export interface OverviewKeeper {
  /** Since its last look at all threads ended, ms; undefined before. */
  readonly lookedMsAgo: number | undefined;
  /** Threads that changed here and are still to be made. */
  readonly waiting: number;
  /** The same step, after which the thread is looked at; also while it takes long, so that what is under way can be found. */
  after(step: ServeStep): ServeStep;
  start(): void;
  /** Begins nothing more; resolves when what is under way has ended. */
  stop(): Promise<void>;
}

/** After each thread it rests for so many times as long as that took: answers come first, and a busy hour is made up for behind it. */
const RESTS = 9;
const LONGEST_REST_MS = 1_000;
/** The same thread is made again only after so many times as long: a very long one that never rests is read now and then. */
const AGAIN = 20;
const LONGEST_AGAIN_MS = 60_000;
const BATCH = 100;
/** The lock stands in an open transaction, and none is to be open for long. */
const LONGEST_BATCH_MS = 5_000;
/** So many wait at most; the look at all finds the others. */
const MOST_WAITING = 10_000;

export function createOverviewKeeper(
  deps: OverviewKeeperDeps,
  options: OverviewKeeperOptions = {},
): OverviewKeeper {
  const { maker, clock, log } = deps;
  const { afterMs = 1_000, underWayMs = 5_000, everyMs = 60_000, gapMs = 5 } = options;
  const stopping = new AbortController();
  const waiting = new Set<SessionId>();
  /** Those that took long, with the ticks from which on they may be made again. */
  const notBefore = new Map<SessionId, number>();
  let cancelSoon: (() => void) | undefined;
  let cancelAll: () => void = () => {};
  let working: Promise<void> = Promise.resolve();
  let isTroubled = false;
  let isPlanned = false;
  let lookedAt: number | undefined;

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

  /**
   * A thread that cannot be made is passed over, and stands in no other's way.
   * @returns whether it was made. Rejects when the store cannot be asked: then none can be.
   */
  async function isMade(session: SessionId): Promise<boolean> {
    try {
      await maker.make(session);
      return true;
    } catch (error) {
      if (isStoreAway(error)) throw error;
      log.warn("the overview of a thread cannot be made", { session, error });
      return false;
    }
  }

  /** One thing at a time. */
  function queue(work: () => Promise<void>): void {
    working = working.then(() => (stopping.signal.aborted ? undefined : guarded(work)));
  }

  async function makeWaiting(): Promise<void> {
    const sessions = [...waiting];
    waiting.clear();
    const later: SessionId[] = [];
    const now = clock.ticks();
    for (const [session, due] of notBefore) if (due <= now) notBefore.delete(session);
    for (const session of sessions) {
      if (stopping.signal.aborted) return;
      const begun = clock.ticks();
      if ((notBefore.get(session) ?? begun) > begun) {
        later.push(session);
        continue;
      }
      await isMade(session);
      const tookMs = clock.ticks() - begun;
      const againMs = Math.min(LONGEST_AGAIN_MS, tookMs * AGAIN);
      if (againMs > afterMs) notBefore.set(session, clock.ticks() + againMs);
      else notBefore.delete(session);
      const restMs = Math.min(LONGEST_REST_MS, tookMs * RESTS);
      if (restMs > 0 && !(await pause(clock, restMs, stopping.signal))) return;
    }
    for (const session of later) changed(session);
  }

  async function makeAll(): Promise<void> {
    isPlanned = false;
    // They stay behind, and come up again in the next look at all.
    const failed = new Set<SessionId>();
    // A batch at a time, so that no lock is held for long.
    for (let isMore = true; isMore && !stopping.signal.aborted;) {
      isMore = false;
      await deps.exclusive(async () => {
        const most = BATCH + failed.size;
        const begun = clock.ticks();
        const sessions = await maker.behind(most);
        isMore = sessions.length === most;
        for (const session of sessions.filter((each) => !failed.has(each))) {
          if (clock.ticks() - begun >= LONGEST_BATCH_MS) {
            isMore = true;
            return;
          }
          if (!(await pause(clock, gapMs, stopping.signal))) return;
          if (!(await isMade(session))) failed.add(session);
        }
      });
      await makeWaiting();
    }
    lookedAt = clock.ticks();
  }

  const planAll = (): void => {
    if (stopping.signal.aborted) return;
    // One that takes longer than a minute is not begun again behind itself.
    if (!isPlanned) queue(makeAll);
    isPlanned = true;
    cancelAll = clock.after(everyMs, planAll);
  };

  function changed(session: SessionId): void {
    if (stopping.signal.aborted) return;
    if (waiting.size < MOST_WAITING) waiting.add(session);
    cancelSoon ??= clock.after(afterMs, () => {
      cancelSoon = undefined;
      queue(makeWaiting);
    });
  }

  return {
    get lookedMsAgo() {
      return lookedAt === undefined ? undefined : clock.ticks() - lookedAt;
    },
    get waiting() {
      return waiting.size;
    },
    after: (step) => (session, lease, leaving) => {
      const cancel = clock.after(underWayMs, () => changed(session));
      return step(session, lease, leaving).finally(() => {
        cancel();
        changed(session);
      });
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
