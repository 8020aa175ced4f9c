/**
 * Whether a write to the platform may happen now. All processes share what the platform counts together, such as the edits of a
 * workspace. There is no queue of writes: who may not write yet has a place in a line, and brings the newest text when its turn comes.
 */

/** What comes first when there is not enough for all. */
export type Urgency = "final" | "reply" | "progress";

/** What the platform counts together, and how much of it it takes. */
export interface Budget {
  /** Of all platforms and spaces: begins with both. */
  readonly key: string;
  /** One in so long, ms. */
  readonly everyMs: number;
  /** So many at once after a pause. */
  readonly burst: number;
  /**
   * The platform says that it takes at least so much, and may take more: only progress keeps to it, and everything for a while
   * after the platform has refused a write (`hold`).
   */
  readonly isLeast?: true;
}

export interface Asking {
  /** Has one place in the line, whatever it is to write by now: who speaks in a thread, and nobody else there. */
  readonly who: string;
  readonly urgency: Urgency;
}

export interface Pacer {
  /**
   * Takes a write and answers 0; or takes none, keeps a place in the line, and answers in how many ms to ask again. A more urgent
   * one comes before all that are less so; within a kind it is first come, first served. A place is lost when nobody asks
   * again within a moment of that time. Never rejects.
   */
  take(budget: Budget, asking: Asking): Promise<number>;
  /** There is nothing to write any more: gives the place in the line to the next. Never rejects. */
  leave(budget: Budget, who: string): Promise<void>;
  /** The platform has refused a write: nobody writes for so long, and everything keeps to the budget for a while. Never rejects. */
  hold(budget: Budget, forMs: number): Promise<void>;
}
