/** How fast something may be done that all processes do together, such as posts in one channel. */

export interface Rate {
  /** One in so long, ms. */
  readonly everyMs: number;
  /** So many at once after a pause. */
  readonly burst: number;
}

export interface Pace {
  /**
   * Takes a place and answers 0, or answers how many ms to wait and takes none. Never rejects: where the others cannot be asked
   * the place is given, since whoever is paced has limits of its own.
   */
  take(key: string, rate: Rate): Promise<number>;
  /** Nobody gets a place for so long: the platform said so. Never rejects. */
  hold(key: string, rate: Rate, forMs: number): Promise<void>;
}
