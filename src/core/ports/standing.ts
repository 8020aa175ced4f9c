/** How much there is to do just now, for those who watch. */

export interface Standing {
  /** Inbounds that nobody has taken up. */
  readonly waiting: number;
  /** For how long the oldest of them has waited, s; 0 where none does. */
  readonly oldestSeconds: number;
  /** Runs that are under way, and those whose final pages are not all written. */
  readonly open: number;
  readonly settling: number;
  /** Goals that have something to do by themselves later, by status. */
  readonly goals: Readonly<Record<string, number>>;
}
