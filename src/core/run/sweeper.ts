/**
 * Rings for sessions that have something to do and that nobody rang for: a wake that failed, a Redis that was emptied, a
 * process that died between storing and ringing. It reads the ledger, and only rings.
 */

import { pause } from "../pause.ts";
import type { Clock } from "../ports/clock.ts";
import type { Goals } from "../ports/goals.ts";
import type { Log } from "../ports/log.ts";
import type { RunQueue } from "../ports/run-queue.ts";
import type { Work } from "../ports/work.ts";
import type { SessionId } from "../thread.ts";

export interface SweeperDeps {
  readonly store: Pick<Work, "due">;
  readonly queue: RunQueue;
  /** The goals that have something to do by themselves, and their own bell. */
  readonly goals?: { readonly store: Pick<Goals, "due">; readonly queue: RunQueue };
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to 1. */
  random(): number;
  /**
   * Calls `body` unless another process is in one just now; resolves after it either way. Rejects when `body` does or
   * when it cannot tell.
   */
  exclusive(body: () => Promise<void>): Promise<void>;
}

export interface SweeperOptions {
  /** From the end of one sweep to the begin of the next, in ms; 15,000 unless said. */
  readonly everyMs?: number;
  /** The same after one that failed, and the first pause after trouble, in ms; 1,000 unless said. */
  readonly soonMs?: number;
  /** How long a session has to be untouched before it is rung for, in ms; 10,000 unless said. */
  readonly idleMs?: number;
  /** At most so many sessions in one sweep; 200 unless said. */
  readonly batch?: number;
  /** Between two rings of one sweep beyond the first ten, in ms; 20 unless said. */
  readonly gapMs?: number;
  /** Over how long goals that are due are spread after a start or an outage, in ms; 10,000 unless said. */
  readonly spreadMs?: number;
}

export interface Sweeper {
  /** Since the end of its last sweep that succeeded, ms; undefined before, and where others have swept all the time. */
  readonly sweptMsAgo: number | undefined;
  /** Sweeps at once, and then again and again. The first sweep rings for everything, however fresh: we may be what died. */
  start(): void;
  /**
   * Something was away: sweeps soon, and rings for everything, however fresh. Until all is well for the usual time again,
   * each further call waits twice as long, up to that time. May be called before `start` and after `stop`, and does nothing.
   */
  lookSoon(): void;
  /** Begins no more sweeps and resolves when the one under way has ended, which it does at its next ring. */
  stop(): Promise<void>;
}

/** With few goals they are spread over less: so long for each, ms. */
const SPREAD_EACH_MS = 250;

/** So few are rung for at once: the usual case, and nobody should wait in it. */
const AT_ONCE = 10;

export function createSweeper(deps: SweeperDeps, options: SweeperOptions = {}): Sweeper {
  const { store, queue, clock, log } = deps;
  const {
    everyMs = 15_000,
    soonMs = 1_000,
    idleMs = 10_000,
    batch = 200,
    gapMs = 20,
    spreadMs = 10_000,
  } = options;
  for (const [name, value] of Object.entries({ everyMs, soonMs, batch })) {
    if (!(value > 0)) throw new RangeError(`${name} has to be above 0, got ${value}`);
  }
  const stopping = new AbortController();
  let cancel: () => void = () => {};
  let sweep: Promise<void> | undefined;
  let isSweeping = false;
  let isUrgent = false;
  let isAway = false;
  let pauseMs = soonMs;
  let sweptAt: number | undefined;

  const ring = async (bell: RunQueue, sessions: readonly SessionId[]): Promise<void> => {
    for (const [place, session] of sessions.entries()) {
      // After a long outage thousands are due: rung for in one moment they would all ask the model in one moment.
      if (place >= AT_ONCE) await pause(clock, gapMs, stopping.signal);
      if (stopping.signal.aborted) return;
      await bell.wake(session);
    }
  };

  /** After a start or an outage many goals are due: nobody waits for one of them, so they do not all begin in one moment. */
  const spread = (bell: RunQueue, sessions: readonly SessionId[]): void => {
    const overMs = Math.min(spreadMs, sessions.length * SPREAD_EACH_MS);
    for (const session of sessions) {
      pause(clock, deps.random() * overMs, stopping.signal)
        .then((isOver) => (isOver ? bell.wake(session) : undefined))
        .catch((error: unknown) => log.debug("a goal could not be rung for; it will be", { session, error }));
    }
  };

  const look = async (untouchedMs: number): Promise<void> => {
    isSweeping = true;
    try {
      await deps.exclusive(async () => {
        const sessions = await store.due(untouchedMs, batch);
        if (sessions.length > 0) log.info("ringing for sessions with work", { sessions: sessions.length });
        await ring(queue, sessions);
        // After people's messages.
        if (deps.goals !== undefined) {
          const due = await deps.goals.store.due(batch);
          if (untouchedMs > 0) await ring(deps.goals.queue, due);
          else spread(deps.goals.queue, due);
        }
        sweptAt = clock.ticks();
      });
      isAway = false;
    } catch (error) {
      // An outage of an hour is one line.
      if (!isAway) log.warn("a sweep failed; it is tried again until one succeeds", { error });
      isAway = true;
    }
    isSweeping = false;
    plan();
  };

  /** A look at the ledger costs nothing, so one that failed is soon made again; what rings may cost a model call. */
  const plan = (): void => {
    if (stopping.signal.aborted) return;
    cancel();
    const isAfterTrouble = isUrgent || isAway;
    let waitMs = isAway ? Math.min(soonMs, everyMs) : everyMs;
    if (isUrgent && !isAway) {
      waitMs = pauseMs;
      pauseMs = Math.min(2 * pauseMs, everyMs);
    }
    cancel = clock.after(waitMs, () => {
      if (!isAfterTrouble) pauseMs = soonMs;
      isUrgent = false;
      sweep = look(isAfterTrouble ? 0 : idleMs);
    });
  };

  return {
    get sweptMsAgo() {
      return sweptAt === undefined ? undefined : clock.ticks() - sweptAt;
    },
    start() {
      if (sweep === undefined && !stopping.signal.aborted) sweep = look(0);
    },
    lookSoon() {
      if (sweep === undefined || isUrgent) return;
      isUrgent = true;
      if (!isSweeping) plan();
    },
    async stop() {
      stopping.abort();
      cancel();
      await sweep;
    },
  };
}
