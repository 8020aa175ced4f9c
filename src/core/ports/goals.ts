/**
 * The goals of threads. Each change is one step of `core/goal/reduce` and is stored only where the goal is still what the step
 * was made from; else the step is made anew. The steps that go with a run (its begin and its end) are the run store's.
 */

import type { Entry } from "../entry.ts";
import type { Goal } from "../goal/goal.ts";
import type { GoalEvent } from "../goal/event.ts";
import type { Where } from "../inbound.ts";
import type { SessionId, Thread } from "../thread.ts";

export type Applied =
  /** `isRepeat`: an earlier delivery did it. `replaced`: the goal that it took the place of. */
  | { readonly kind: "changed"; readonly goal: Goal; readonly replaced?: Goal; readonly isRepeat?: true }
  | { readonly kind: "refused"; readonly why: string };

export interface Goals {
  /** The thread's open goal, else its newest; undefined where it never had one. */
  read(session: SessionId): Promise<Goal | undefined>;
  /**
   * A goal that is set opens the session where none is. Rejects when nothing could be stored.
   * @param key the same for every delivery of what a person asked for: only the first one changes anything.
   * @param run the run whose model sets it: refused once that has ended, as when the thread was erased meanwhile.
   */
  apply(session: SessionId, event: GoalEvent, key?: string, run?: string): Promise<Applied>;
  /** Whether what came with this key was done. */
  isDone(key: string): Promise<boolean>;
  /** The newest entries of the session since its reset, ascending: what is looked at when its goal is said to be reached. */
  record(session: SessionId, limit: number): Promise<readonly Entry[]>;
  /** What the platform said of the place of the newest message that this run answers; undefined where its address says all. */
  whereOf(run: string): Promise<Where | undefined>;
  /** The session whose goal waits for a call with the token of this hash; undefined where none does. */
  waitingForCall(token: string): Promise<SessionId | undefined>;
  /** The same for a reaction to this message of the bot's. @param near the place of the message; without a root all threads of its channel. */
  waitingForReaction(near: Thread, message: string): Promise<SessionId | undefined>;
  /** Whether one more turn may run in the space of this session, or something else is to be done in it. Takes nothing. */
  hasPlace(session: SessionId): Promise<boolean>;
  /**
   * The goal of this session has begun nothing though it is due and there is a place: those that wait have their turn before it is
   * named again. Changes nothing where no place is free, since then it may have been about to begin.
   */
  behind(session: SessionId): Promise<void>;
  /**
   * The sessions whose goal has something to do by itself now, the one that is due longest first. Where they are too many each space has
   * its share, and one in which no more turns may run has none.
   * @param like only those of the space of this one, and only as many as may begin there now.
   */
  due(limit: number, like?: SessionId): Promise<readonly SessionId[]>;
}
