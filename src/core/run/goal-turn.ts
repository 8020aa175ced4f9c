/** A run in a thread with a goal: what it leaves for the goal, and who is told that the next turn is due. */

import type { LoopProfile } from "../agent/loop-types.ts";
import type { Entry } from "../entry.ts";
import type { Goal } from "../goal/goal.ts";
import { turnFacts } from "../goal/turn-facts.ts";
import type { Hash } from "../ids.ts";
import { withTimeLimit } from "../pause.ts";
import type { Clock } from "../ports/clock.ts";
import type { Goals } from "../ports/goals.ts";
import type { Log } from "../ports/log.ts";
import type { RunQueue } from "../ports/run-queue.ts";
import type { Opened, RunEnding } from "../ports/run-store.ts";
import type { SessionId } from "../thread.ts";
import type { Usage } from "../usage.ts";
import type { LoopEnd } from "./run-ending.ts";

export interface GoalTurnDeps {
  /** Names of the tools that only keep a goal's books: calls of them are no effect. */
  readonly bookkeeping: ReadonlySet<string>;
  /** Somebody wrote in the thread. Never rejects. */
  heard(session: SessionId): Promise<void>;
  /** A run has ended in a thread that has this goal, if any: rings for its next turn where that is due. */
  ended(session: SessionId, goal: Goal | undefined): void;
}

export interface GoalTurnWorld {
  readonly goals: Pick<Goals, "apply">;
  /** The bell of goals' own turns, which is not the one of people's messages. */
  readonly queue: RunQueue;
  readonly clock: Clock;
  readonly log: Log;
}

const RING_MS = 2_000;

/** Rings for the goal's next turn where that is due now. Never rejects. */
export function goalBell({
  queue,
  clock,
  log,
}: Pick<GoalTurnWorld, "queue" | "clock" | "log">): (session: SessionId, goal: Goal) => void {
  return (session, { next, updatedAt }) => {
    // Both are of the store's clock. What is due later is rung for by the sweeper.
    if (next === undefined || next.dueAt > updatedAt) return;
    withTimeLimit(clock, RING_MS, "the bell of a goal", queue.wake(session)).catch((error: unknown) => {
      log.warn("the bell of a goal could not be rung; the sweeper will", { session, error });
    });
  };
}

export function createGoalTurns(
  { goals, queue, clock, log }: GoalTurnWorld,
  bookkeeping: ReadonlySet<string>,
): GoalTurnDeps {
  const ring = goalBell({ queue, clock, log });
  return {
    bookkeeping,
    async heard(session) {
      try {
        await goals.apply(session, { kind: "heard" });
      } catch (error) {
        // The end of the run is stored or fails by itself; a goal that waits on is woken by its clock.
        log.warn("a goal that waits could not be told that somebody wrote", { session, error });
      }
    },
    ended(session, goal) {
      if (goal !== undefined) ring(session, goal);
    },
  };
}

export interface OpenGoalTurn {
  heard(): Promise<void>;
  /** The ending with what the goal is told of the turn. @param entries of the session, as far as they are stored. */
  ending(ending: RunEnding, entries: readonly Entry[], outcome: LoopEnd): RunEnding;
}

/** @param claimed the run, which was opened with a goal. */
export function openGoalTurn(
  deps: GoalTurnDeps,
  { run }: Extract<Opened, { kind: "run" }>,
  profile: Pick<LoopProfile, "tools">,
  hash: Hash,
): OpenGoalTurn {
  let tokens = freshTokens(run.usage);
  let activeMs = 0;
  let counted: LoopEnd | undefined;
  const effectOf = (name: string) =>
    deps.bookkeeping.has(name) ? undefined : profile.tools.find((tool) => tool.name === name)?.effect;
  return {
    heard: () => deps.heard(run.session),
    ending(ending, entries, outcome) {
      // The loop plays once more for who joined at the end: what it took before counts as well.
      if (counted !== outcome) {
        counted = outcome;
        tokens += freshTokens(outcome.usage);
        activeMs += outcome.durationMs;
      }
      const { calls, said } = turnFacts(run.id, entries, ending.round?.entries ?? [], effectOf, hash);
      const { reason, error } = ending;
      const retryAfterMs = outcome.error?.facts["retryAfterMs"];
      return {
        ...ending,
        turn: {
          cause: run.cause,
          reason,
          ...(error === undefined ? {} : { error }),
          ...(typeof retryAfterMs === "number" ? { retryAfterMs } : {}),
          tokens,
          activeMs: Math.round(activeMs),
          calls,
          said,
        },
      };
    },
  };
}

/** What came from the provider's cache is free. */
function freshTokens({ input = 0, cacheWrite = 0, output = 0, reasoning = 0 }: Usage): number {
  return input + cacheWrite + output + reasoning;
}
