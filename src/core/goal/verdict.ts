/** What the model said of a goal's end, and what was found by whoever looked. */

export interface Verdict {
  /** `neutral`: nobody could judge, and it counts as without a look. */
  readonly kind: "accepted" | "rejected" | "neutral";
  /** For people and the model; of `neutral`, why nobody could. */
  readonly reason: string;
}

export interface Proposal {
  /** The call that it was made by: told again after a crash it is the same. */
  readonly of: string;
  readonly as: "complete" | "blocked";
  readonly evidence: string;
  /** Of the look that was taken. */
  readonly verdict?: Verdict;
}
