/**
 * A goal: what a thread works on by itself until it is done, waits, or runs out. A plain record; how it changes stands in
 * `reduce` (what people and the model ask for) and `turn` (what a turn leaves).
 */

import type { Author, Where } from "../inbound.ts";
import type { Proposal } from "./verdict.ts";

export type GoalStatus =
  | "active"
  | "waiting"
  | "paused"
  | "blocked"
  /** A window is used up; one last turn may still say how far it came. */
  | "budget_limited"
  /** The provider limits us. */
  | "usage_limited"
  | "complete";

/** Why a goal is paused, where nobody asked for it. */
export type PauseReason =
  | "no_progress"
  | "interrupted"
  | "error"
  /** Whose goal it is was deactivated, or is not in the channel any more. */
  | "owner_left"
  /** Whose goal it is may not use the bot there any more. */
  | "no_access"
  /** Goals were switched off there. */
  | "not_allowed"
  /** A person has closed the thread. */
  | "archived";

/** How a goal left its thread. */
export type Closing = "complete" | "cleared" | "replaced" | "reset" | "left" | "gone";

export interface Window {
  readonly used: number;
  readonly limit: number;
}

/** Tokens of every turn, turns that the goal began by itself, and time in which a turn ran, ms. */
export interface Windows {
  readonly tokens: Window;
  readonly turns: Window;
  readonly activeMs: Window;
}

/** The next turn that the goal begins by itself. It is begun only while all of it still holds. */
export interface NextTurn {
  readonly revision: number;
  readonly generation: number;
  /** Counts the turns that the goal began. */
  readonly n: number;
  /** ms since 1970. */
  readonly dueAt: number;
  /** The last one: a window is used up. */
  readonly isWrapUp?: true;
}

export type WaitKind = "time" | "reply" | "reaction" | "webhook";

export interface Wait {
  readonly kind: WaitKind;
  /** ms since 1970: who is heard later ends it. Absent where an earlier version stored it. */
  readonly since?: number;
  /** ms since 1970; the goal goes on then, whether somebody answered or not. */
  readonly until: number;
  /** Of a reply or a reaction: only this person's counts. */
  readonly from?: string;
  /** Of a webhook: the hash of its token, which is stored nowhere. It counts only as long as this wait does. */
  readonly token?: string;
  /** The run in which it was said. Absent where an earlier version stored it. */
  readonly of?: string;
  /** Read by people: what is waited for. */
  readonly reason: string;
}

export interface Blocker {
  readonly key: string;
  /** Turns in a row that named this one. */
  readonly streak: number;
  /** The newest of them. */
  readonly turn: number;
}

export interface Goal {
  readonly v: 1;
  readonly id: string;
  /** It works with this person's rights. */
  readonly owner: Author;
  /** What the platform said of the place where it was set; absent where that says all, or where an earlier version stored it. */
  readonly where?: Where;
  readonly objective: string;
  /** What has to hold, each by itself, before it counts as reached; absent where nothing was said. */
  readonly doneWhen?: readonly string[];
  /** Raised by each edit. */
  readonly revision: number;
  /** Raised by whatever makes void what was planned: pause, resume, stop, clear, replace, reset. */
  readonly generation: number;
  readonly status: GoalStatus;
  readonly reason?: PauseReason;
  /** Present from then on: nothing changes it any more. */
  readonly closed?: Closing;
  readonly windows: Windows;
  /** Turns that ended while it was open, whoever began them. */
  readonly turns: number;
  /** Turns in a row that it began and that had no effect. */
  readonly noEffect: number;
  /** Turns in a row that failed. */
  readonly failures: number;
  readonly blocker?: Blocker;
  readonly wait?: Wait;
  readonly next?: NextTurn;
  /** How often its last turn was begun and has not ended yet; absent while none is under way. */
  readonly lastTurns?: number;
  /** How its newest turn began: from which standing, and whether as the answer to what a person had set or changed. */
  readonly begun?: { readonly from: GoalStatus; readonly isAsked?: true };
  /** What ended its wait besides a message and the clock: told to the model with the turn that follows. */
  readonly woken?: string;
  /** The revision that the model was told. */
  readonly told: number;
  /** What the newest turns called and what came back, as hashes: the same result again is no effect. */
  readonly seen: readonly (readonly [call: string, result: string])[];
  /** The beginning of what the newest turn said. */
  readonly said?: string;
  /** What the model named as proof that it is done, or that it cannot go on. */
  readonly evidence?: string;
  /** What the model said of its end, where that is looked at by somebody else first. */
  readonly proposal?: Proposal;
  /** Refusals of that in a row; absent for none. */
  readonly rejections?: number;
  /** Why it was refused, until the next turn is told. */
  readonly objection?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const OBJECTIVE_CHARACTERS = 4_000;

/** What a window holds where nobody says otherwise. */
export const DEFAULT_LIMITS = { tokens: 500_000, turns: 20, minutes: 60 } as const;

export const MINUTE_MS = 60_000;

/** Turns in a row that failed, or had no effect, behind which a goal is paused. */
export const MOST_IN_A_ROW = 3;

/** Something follows by itself, unless a window is used up. */
export function goesOn({ status, next }: Pick<Goal, "status" | "next">): boolean {
  return status === "active" || status === "waiting" || (status === "usage_limited" && next !== undefined);
}

/** So long after its newest step an active goal for which nothing is planned, and no run is under way, counts as left by its turn. */
const LEFT_MS = 5 * MINUTE_MS;

/** When something is to be done for it by itself; undefined when never. */
export function dueAtOf(goal: Goal): number | undefined {
  const { closed, next, status, wait } = goal;
  if (closed !== undefined) return undefined;
  return next?.dueAt ?? (status === "waiting" ? wait?.until : leftAt(goal));
}

/** When its turn counts as lost: its run was given up, or ended where nobody told the goal. Undefined while something is planned. */
export function leftAt({ next, status, lastTurns, updatedAt }: Goal): number | undefined {
  const hasTurn = status === "active" || (status === "budget_limited" && lastTurns !== undefined);
  return next === undefined && hasTurn ? updatedAt + LEFT_MS : undefined;
}

/** The window that is used up, if one is. @param reserve tokens that a last turn has to be left. */
export function exhausted({ windows }: Pick<Goal, "windows">, reserve = 0): keyof Windows | undefined {
  if (windows.tokens.used + reserve >= windows.tokens.limit) return "tokens";
  if (windows.turns.used >= windows.turns.limit) return "turns";
  return windows.activeMs.used >= windows.activeMs.limit ? "activeMs" : undefined;
}

/** Tokens that are kept for the last turn, in which the model says how far it came. */
export function reserveOf({ windows }: Pick<Goal, "windows">): number {
  return Math.min(20_000, Math.floor(windows.tokens.limit / 10));
}
