/** Which processes are there just now, for those who watch. */

/** What a process did last, of its own kind of work. */
export interface Doings {
  /** Since it last looked whether sessions have work that nobody rang for, ms; absent where it never did. */
  readonly sweptMsAgo?: number;
  /** Since it last looked whether the list of threads is behind, ms; absent where it never did. */
  readonly overviewsMsAgo?: number;
  /** Threads that changed here and wait for their line in the list. */
  readonly overviewsWaiting?: number;
}

export interface Attender {
  /** Of this start of the process. */
  readonly id: string;
  readonly role: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
}

/** Ages are as of the moment of asking. */
export interface Attending extends Attender, Doings {
  readonly upMs: number;
  /** Since it last said that it is there, ms. */
  readonly seenMsAgo: number;
}

export interface AttendanceBook {
  /** Says that a process is there. Rejects when the store cannot be reached. */
  sign(who: Attender, doings: Doings): Promise<void>;
  /** It ends. */
  leave(id: string): Promise<void>;
  /** Those that were there within the last minutes, whoever was started last first. */
  list(): Promise<readonly Attending[]>;
}
