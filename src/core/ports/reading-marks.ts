/** How far the channels of a platform were read, for one that sends nothing again: what was said while nobody listened is fetched from there. */

export interface ReadingMark {
  readonly space: string;
  readonly channel: string;
  /** The newest message that was taken in. Ids are whole numbers that rise with time. */
  readonly seen: string;
}

/**
 * The channel of the mark that a space has as a whole: up to it every channel of the space has a mark of its own. No channel is called
 * so; the first one of an old server on Discord has the server's very id.
 */
export function markOfWhole(space: string): string {
  return `all:${space}`;
}

export interface Term {
  /** Rises with each. */
  readonly number: number;
  /** How many terms in a row began within ten minutes of the one before: whoever reads keeps failing. */
  readonly restarts: number;
  /** How long before it the one before it began, or asked the platform to be let in, ms; absent for the first. */
  readonly gapMs?: number;
  /** When the first term of all began, ms since 1970 by the store's clock: before it nobody has listened. */
  readonly sinceMs: number;
}

export interface ReadingMarks {
  /** Begins a reader's term: from now on what an earlier reader moves changes nothing. */
  begin(platform: string): Promise<Term>;
  /** The reader of this term asks the platform to be let in now: the next term's gap counts from here. Nothing once a later one has begun. */
  entering(platform: string, term: number): Promise<void>;
  /** Those that are newer than `since`, and those of a space as a whole, however old. */
  list(platform: string, since: string): Promise<readonly ReadingMark[]>;
  /**
   * Never backwards. What is named was taken in durably, and everything before it in its channel.
   * @returns false when a later term has begun; then nothing was changed.
   */
  move(platform: string, term: number, marks: readonly ReadingMark[]): Promise<boolean>;
  /** Forgets a space: whoever comes there again begins anew. Nothing when a later term has begun. */
  drop(platform: string, term: number, space: string): Promise<void>;
}
