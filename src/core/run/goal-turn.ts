/** A run in a thread with a goal: what it leaves for the goal, and who is told that the next turn is due. */

import type { LoopProfile } from "../agent/loop-types.ts";
import type { Entry, EntryBody } from "../entry.ts";
import type { RunEvent } from "../events.ts";
import { reserveOf, type Goal } from "../goal/goal.ts";
import { BUDGET_ENDS, changedText, comeText } from "../goal/texts.ts";
import type { GoalPolicies } from "../goal/policy.ts";
import { isShownAtOnce } from "../goal/news.ts";
import { hasEffect } from "../goal/turn.ts";
import { turnFacts } from "../goal/turn-facts.ts";
import type { Hash, RunId } from "../ids.ts";
import { pause, withTimeLimit } from "../pause.ts";
import type { Clock } from "../ports/clock.ts";
import type { Goals } from "../ports/goals.ts";
import type { Log } from "../ports/log.ts";
import type { RunQueue } from "../ports/run-queue.ts";
import type { Opened, RunEnding } from "../ports/run-store.ts";
import type { RoundRecord } from "../round.ts";
import type { RunInfo } from "../run.ts";
import type { SessionId } from "../thread.ts";
import { freshTokens } from "../usage.ts";
import type { GoalCardKeeper } from "./goal-cards.ts";
import type { LoopEnd } from "./run-ending.ts";

export interface GoalTurnDeps {
  /** Names of the tools that only keep a goal's books: calls of them are no effect. */
  readonly bookkeeping: ReadonlySet<string>;
  /** Somebody wrote in the thread. Rejects as the store does: then the next claim of the run says it. */
  heard(session: SessionId, by: readonly string[]): Promise<void>;
  /** The thread's goal as it is now. */
  read(session: SessionId): Promise<Goal | undefined>;
  /** The model was told of this revision in the turn under way. */
  told(session: SessionId, revision: number): Promise<void>;
  /** A run begins in a thread with a goal. Resolves when its card is up to date, or left to others. Never rejects. */
  shown(session: SessionId): Promise<void>;
  /** Nothing can be written in the thread any more. Rejects as the store does. */
  gone(session: SessionId): Promise<void>;
  /** Least time from the end of a turn of this goal to the next one, ms. */
  gapMsOf(session: SessionId, goal: Goal): number;
  /** A run has ended in a thread that has this goal, if any. */
  ended(run: Pick<RunInfo, "session" | "cause">, goal: Goal | undefined): void;
}

export interface GoalTurns extends GoalTurnDeps {
  /**
   * Who served the session has given it back: rings for the next turn of the goal that it ended with, where that is due. Rung for
   * before, another worker would find the session taken, and leave. Where a turn of a goal's own has ended, its place in the space is free:
   * those that are due there longest are rung for as well, before it.
   * @returns whether a turn of a goal's own has ended.
   */
  released(session: SessionId): boolean;
  /**
   * Who was rung for has begun no turn of the goal's own, whatever the reason: the ring is handed on to the one that is due longest in
   * its space, while a place is free there. Never rejects.
   */
  passed(session: SessionId): Promise<void>;
}

export interface GoalTurnWorld {
  readonly goals: Pick<Goals, "read" | "apply" | "behind" | "due">;
  readonly policies: GoalPolicies;
  readonly cards: Pick<GoalCardKeeper, "changed" | "shown">;
  /** The bell of goals' own turns, which is not the one of people's messages. */
  readonly queue: RunQueue;
  readonly clock: Clock;
  readonly log: Log;
}

const RING_MS = 2_000;

/** What is due later than that is rung for by the sweeper. */
const SOON_MS = 10_000;
/** How many are rung for at most when places are free: several turns may have ended in one moment. */
const NEXT_IN_LINE = 5;

type Bell = (session: SessionId, goal: Goal) => void;

/**
 * Rings for the goal's next turn where that is due now or soon. Never rejects.
 * @param leaving ends what is still waited for.
 */
export function goalBell(
  { queue, clock, log }: Pick<GoalTurnWorld, "queue" | "clock" | "log">,
  leaving: AbortSignal,
): Bell {
  const ring = (session: SessionId): void => {
    if (leaving.aborted) return;
    withTimeLimit(clock, RING_MS, "the bell of a goal", queue.wake(session)).catch((error: unknown) => {
      log.warn("the bell of a goal could not be rung; the sweeper will", { session, error });
    });
  };
  return (session, { next, updatedAt }) => {
    if (next === undefined) return;
    // Both are of the store's clock.
    const inMs = next.dueAt - updatedAt;
    if (inMs <= 0) return ring(session);
    if (inMs <= SOON_MS)
      pause(clock, inMs, leaving).then(
        () => ring(session),
        () => {},
      );
  };
}

export function createGoalTurns(
  { goals, policies, cards, queue, clock, log, ring }: GoalTurnWorld & { readonly ring: Bell },
  bookkeeping: ReadonlySet<string>,
): GoalTurns {
  const ended = new Map<SessionId, { readonly goal: Goal | undefined; readonly isOwn: boolean }>();

  async function ringInLine(session: SessionId, most: number): Promise<void> {
    try {
      for (const next of await goals.due(most, session))
        if (next !== session) await withTimeLimit(clock, RING_MS, "the bell of a goal", queue.wake(next));
    } catch (error) {
      log.warn("those next in line could not be rung for; the sweeper will", { session, error });
    }
  }

  return {
    bookkeeping,
    async heard(session, by) {
      await goals.apply(session, { kind: "heard", by });
    },
    read: (session) => goals.read(session),
    async told(session, revision) {
      await goals.apply(session, { kind: "told", revision });
    },
    shown: (session) => cards.shown(session),
    async gone(session) {
      await goals.apply(session, { kind: "gone" });
    },
    gapMsOf: (session, { where }) => policies.at(session, where).gapMs,
    ended({ session, cause }, goal) {
      const isOwn = cause === "continuation";
      if (goal !== undefined || isOwn) ended.set(session, { goal, isOwn });
      if (goal !== undefined) cards.changed(session);
    },
    released(session) {
      const { goal, isOwn = false } = ended.get(session) ?? {};
      ended.delete(session);
      const inLine = isOwn ? ringInLine(session, NEXT_IN_LINE) : Promise.resolve();
      if (goal !== undefined)
        inLine.then(
          () => ring(session, goal),
          () => {},
        );
      return isOwn;
    },
    async passed(session) {
      try {
        await goals.behind(session);
      } catch (error) {
        log.warn("a goal that could not begin stays the first in line", { session, error });
        return;
      }
      // One for one: a ring never becomes two, and where all are stuck it ends with the last of them.
      await ringInLine(session, 1);
    },
  };
}

export interface OpenGoalTurn {
  /** As the loop needs it in this turn: the last one of a budget begins nothing. */
  readonly profile: LoopProfile;
  /** @param entries that joined: whoever wrote them may be who the goal waits for. */
  heard(entries: readonly Entry[]): Promise<void>;
  /** Resolves when the goal's card is up to date, or left to others. Never rejects. */
  shown(): Promise<void>;
  /** Has to hear what the loop does: what its model calls took is known here first. */
  on(event: RunEvent): void;
  /**
   * Asked before a round is stored. `round`: what is stored in its place: with what the model has to know before its next call, each
   * once: that the objective has changed, that the goal's budget is used up but for what a last reply needs. `isOver`: that reply was
   * made. `stored` is called once it is.
   */
  before(round: RoundRecord): Promise<BeforeNext>;
  /**
   * Whether people see the reply as it is written: where somebody waits for it, and else once the turn had an effect.
   * @param entries of the session, as far as they are stored.
   */
  isShown(entries: readonly Entry[]): boolean;
  /** The ending with what the goal is told of the turn. @param entries of the session, as far as they are stored. */
  ending(ending: RunEnding, entries: readonly Entry[], outcome: LoopEnd): RunEnding;
}

export interface BeforeNext {
  readonly round: RoundRecord;
  readonly isOver: boolean;
  stored(): Promise<void>;
}

type Claimed = Extract<Opened, { kind: "run" }> & { readonly goal: Goal };

/** @param claimed the run, which was opened with a goal. */
export function openGoalTurn(
  deps: GoalTurnDeps,
  { run, goal, stopped, tail }: Claimed,
  given: LoopProfile,
  hash: Hash,
): OpenGoalTurn {
  const isOwn = run.cause === "continuation";
  // The stop that this run was claimed with has paused the goal already, or an earlier one: who resumed it did so behind that.
  const of = { id: goal.id, generation: stopped ? 0 : goal.generation };
  const isLastTurn = isOwn && goal.status === "budget_limited";
  // An attempt before this one may have told it, and had the last reply too before it died: then nothing is asked any more.
  const toldAt = isOwn ? tail.findIndex((entry) => isNote(entry, run.id, BUDGET_ENDS)) : -1;
  const hasLastReply = toldAt >= 0 && isAnswered(tail.slice(toldAt), run.id);
  /** The budget ended in the middle of this turn. */
  let isTold = toldAt >= 0;
  let isComeTold = false;
  let revision = goal.told;
  let soFar = freshTokens(run.usage);
  const most = hasLastReply ? 1 : isLastTurn ? LAST_CALLS : Infinity;
  const profile = isOwn ? limited(given, deps.bookkeeping, most, () => isLastTurn || isTold) : given;
  let tokens = freshTokens(run.usage);
  let activeMs = 0;
  let counted: LoopEnd | undefined;
  let isSeen = false;
  const toolOf = (name: string) =>
    deps.bookkeeping.has(name) ? undefined : profile.tools.find((tool) => tool.name === name);

  function budgetBefore({ state }: RoundRecord): "go on" | "tell" | "over" {
    // A person who asks is answered; what that takes only counts.
    if (!isOwn || isLastTurn || state === "calls") return "go on";
    if (isTold) return "over";
    const { used, limit } = goal.windows.tokens;
    isTold = used + soFar + reserveOf(goal) >= limit;
    return isTold ? "tell" : "go on";
  }

  /** The goal, where its text is another one than the model knows. */
  async function changedBefore({ state }: RoundRecord): Promise<Goal | undefined> {
    if (!isOwn || state === "calls") return undefined;
    const now = await deps.read(run.session);
    const isSame = now?.id === goal.id && now.closed === undefined;
    return isSame && now.revision > revision ? now : undefined;
  }

  /** What came before a person wrote, and no turn of the goal's own was told yet: their answer shall know it, once. */
  function comeBefore({ state }: RoundRecord): string | undefined {
    if (isOwn || isComeTold || goal.woken === undefined || state === "calls") return undefined;
    isComeTold = true;
    return comeText(goal.woken);
  }

  return {
    profile,
    async heard(entries) {
      const by = entries.flatMap(({ body }) => (body.kind === "user" && body.author ? [body.author.id] : []));
      if (by.length > 0) await deps.heard(run.session, by);
    },
    shown: () => deps.shown(run.session),
    on(event) {
      if (event.kind === "usage") soFar += freshTokens(event.usage);
    },
    async before(round) {
      const changed = await changedBefore(round);
      const budget = budgetBefore(round);
      const text = changed && changedText(changed);
      const come = comeBefore(round);
      const notes = [
        // An attempt before may have told it, and died before that was kept.
        ...(text === undefined || isNoted(tail, run.id, text) ? [] : [text]),
        ...(budget === "tell" ? [BUDGET_ENDS] : []),
        ...(come === undefined || isNoted(tail, run.id, come) ? [] : [come]),
      ];
      return {
        round: notes.reduce(withNote, round),
        isOver: budget === "over",
        async stored() {
          if (changed === undefined) return;
          revision = changed.revision;
          await deps.told(run.session, revision);
        },
      };
    },
    isShown(entries) {
      isSeen ||=
        !isOwn ||
        isShownAtOnce(goal) ||
        isHeardIn(run.id, entries) ||
        hasEffect(goal, turnFacts(run.id, entries, [], toolOf, hash).calls);
      return isSeen;
    },
    ending(ending, entries, outcome) {
      // The loop plays once more for who joined at the end: what it took before counts as well.
      if (counted !== outcome) {
        counted = outcome;
        tokens += freshTokens(outcome.usage);
        activeMs += outcome.durationMs;
      }
      const { calls, said } = turnFacts(run.id, entries, ending.round?.entries ?? [], toolOf, hash);
      const { reason, error } = ending;
      const retryAfterMs = outcome.error?.facts["retryAfterMs"];
      return {
        ...ending,
        turn: {
          of,
          cause: run.cause,
          from: goal.status,
          reason,
          ...(error === undefined ? {} : { error }),
          ...(typeof retryAfterMs === "number" ? { retryAfterMs } : {}),
          gapMs: deps.gapMsOf(run.session, goal),
          tokens,
          activeMs: Math.round(activeMs),
          calls,
          said,
          ...(isHeardIn(run.id, entries) ? { isHeard: true as const } : {}),
          ...(isTold ? { isWrappedUp: true as const } : {}),
        },
      };
    },
  };
}

/** Whether a person wrote in the run. */
function isHeardIn(run: RunId, entries: readonly Entry[]): boolean {
  return entries.some(
    (entry) => entry.run === run && entry.body.kind === "user" && entry.body.author !== undefined,
  );
}

/** Model calls of a last turn: one to look where it stands, one to say that it is reached, one to tell. */
const LAST_CALLS = 3;

function limited(
  profile: LoopProfile,
  bookkeeping: ReadonlySet<string>,
  mostCalls: number,
  isEnding: () => boolean,
): LoopProfile {
  const { limits, gate } = profile;
  return {
    ...profile,
    limits: { ...limits, maxTurns: Math.min(mostCalls, limits.maxTurns) },
    gate: {
      decide: (call, tool, context) =>
        isEnding() && tool.effect !== "read" && !bookkeeping.has(tool.name)
          ? Promise.resolve({ kind: "deny", reason: "the goal's budget is used up, so nothing new is begun" })
          : gate.decide(call, tool, context),
    },
  };
}

function withNote(round: RoundRecord, text: string): RoundRecord {
  // A turn of its own: a note alone waits for the words of a person.
  const noted: EntryBody = { v: 1, kind: "user", parts: [{ kind: "note", text }] };
  return { ...round, entries: [...round.entries, noted] };
}

function isNoted(entries: readonly Entry[], run: RunId, text: string): boolean {
  return entries.some((entry) => isNote(entry, run, text));
}

function isNote({ run: of, body }: Entry, run: RunId, text: string): boolean {
  return (
    of === run &&
    body.kind === "user" &&
    body.parts.some((part) => part.kind === "note" && part.text === text)
  );
}

function isAnswered(entries: readonly Entry[], run: RunId): boolean {
  return entries.some(({ run: of, body }) => of === run && body.kind === "assistant");
}
