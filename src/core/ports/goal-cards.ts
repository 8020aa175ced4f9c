/**
 * The cards of goals: one message for each, edited in place. A card is owed while it shows an older version of its goal. Whoever takes
 * one is alone with it for a while, so two never write it at once.
 */

import type { Goal } from "../goal/goal.ts";
import type { SessionId } from "../thread.ts";

/** What is known of the message. */
export interface CardState {
  /** Posts that were begun. */
  readonly posts: number;
  /** Of the newest post; absent where none was begun, or the message was deleted. */
  readonly key?: string;
  /** Absent while it is not known whether a post landed. */
  readonly message?: string;
  /** What it said of the goal's standing last, in a word. */
  readonly said?: string;
  /** Of what it shows. */
  readonly hash?: string;
}

export interface OwedCard {
  readonly session: SessionId;
  readonly goal: Goal;
  /** The version of the goal. */
  readonly version: number;
  readonly fence: number;
  readonly state: CardState;
}

/** Somebody has it, or it was written just now: not before this. */
export interface CardLater {
  readonly dueInMs: number;
}

export interface GoalCards {
  /**
   * A card that is owed: of this session, else of all the one that is due longest. Whoever hears of it has it alone for `idleMs`.
   * Undefined where none is owed; without a session also where none is due.
   */
  take(idleMs: number, session?: SessionId): Promise<OwedCard | CardLater | undefined>;
  /** Kept before and after a post. False where another has taken the card since, and then nothing changes. */
  keep(card: OwedCard, state: CardState): Promise<boolean>;
  /**
   * The version is shown. Where a newer one is there, it is taken for another `idleMs` and given back; else nobody takes the card for
   * `quietMs`. `all`: and no other card of its session is owed.
   */
  shown(
    card: OwedCard,
    state: CardState,
    times: { readonly idleMs: number; readonly quietMs: number },
  ): Promise<OwedCard | "all" | undefined>;
  /** It stays owed, and is due after so long. */
  leave(card: OwedCard, afterMs: number): Promise<void>;
  /** Nothing of this goal is shown any more, whatever becomes of it. */
  over(card: OwedCard): Promise<void>;
}
