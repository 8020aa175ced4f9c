/** Threads as admins look for them: a list that is made beside the work, and what can be searched for. */

import type { EndReason } from "../events.ts";
import type { RunCause } from "../run.ts";
import type { SessionId, Thread } from "../thread.ts";
import type { Snippet, Wanted } from "../admin/words.ts";
import type { Person } from "./sign-ins.ts";

export type Space = Pick<Person, "platform" | "space">;

/** Whether the address itself says that it is of one person and the bot alone: also a thread that no message began, as a branch. */
export type IsDirectAddress = (thread: Thread) => boolean;

export interface OverviewMaker {
  /** Makes a thread's overview from what is stored now, and lets its new entries be found. Done twice it changes nothing. */
  make(session: SessionId): Promise<void>;
  /** Threads whose overview is older than they are. */
  behind(limit: number): Promise<readonly SessionId[]>;
}

/** How far the review of a thread is. Something that happens after it makes the thread unreviewed again. */
export interface ReviewState {
  readonly assigneeName?: string;
  readonly reviewedAt?: number;
  readonly reviewedName?: string;
}

export interface Overview {
  readonly session: SessionId;
  readonly channel: string;
  readonly label: string;
  /** ms since 1970. */
  readonly startedAt: number;
  readonly touchedAt: number;
  readonly isRunning: boolean;
  readonly waiting: number;
  /** Who began it. */
  readonly firstName?: string;
  readonly people: number;
  readonly isDirect: boolean;
  /** Its channel is for some people only, or is not known to be for all. */
  readonly isPrivate: boolean;
  readonly runs: number;
  readonly rounds: number;
  readonly model?: string;
  readonly cause?: RunCause;
  readonly reason?: EndReason;
  readonly hasError: boolean;
  readonly hasGoal: boolean;
  readonly tokens?: number;
  readonly cost?: number;
  readonly contextTokens?: number;
  readonly contextWindow?: number;
  /** The thread that it was branched from. */
  readonly source?: SessionId;
  readonly flags: number;
  readonly review: ReviewState;
}

/** Threads to look through: those in which something failed, and one in a hundred of the others, the same for everybody. */
export type Queue = "failures" | "sample";

/** What is left out filters nothing. */
export interface OverviewFilter {
  readonly channel?: string;
  /** The platform's id of somebody who wrote in it. */
  readonly person?: string;
  readonly model?: string;
  readonly reason?: string;
  readonly hasError?: true;
  readonly hasGoal?: true;
  readonly isFlagged?: true;
  readonly queue?: Queue;
  /** Nobody has reviewed it since something last happened in it. */
  readonly isUnreviewed?: true;
  /** The platform's id of somebody who has to look through it, or after an open flag of it. */
  readonly reviewer?: string;
  /** US dollars. */
  readonly costOver?: number;
  /** ms since 1970: touched at or after, and before. */
  readonly from?: number;
  readonly to?: number;
}

/** Where a page ends: the next one begins behind it. */
export interface Mark {
  readonly touchedAt: number;
  readonly session: string;
}

export interface Hit extends Pick<Overview, "session" | "label" | "isDirect" | "isPrivate" | "firstName"> {
  readonly epoch: number;
  readonly seq: number;
  readonly at: number;
  readonly snippet: Snippet;
}

/** Where a page of hits ends: the next one begins behind that entry. */
export interface HitMark {
  /** ms since 1970. */
  readonly at: number;
  readonly session: string;
  readonly seq: number;
}

export interface Found {
  readonly hits: readonly Hit[];
  /** What is behind it was not looked through; absent where there is nothing more. */
  readonly older?: HitMark;
  /** It was given up before the page was full. */
  readonly isOutOfTime: boolean;
}

export interface Overviews {
  /** The one that was touched last first. */
  list(
    space: Space,
    filter: OverviewFilter,
    page: { readonly after?: Mark; readonly limit: number },
  ): Promise<readonly Overview[]>;
  /** Undefined for a thread that is unknown, or of another space. */
  get(space: Space, session: SessionId): Promise<Overview | undefined>;
  /**
   * Entries that hold what is wanted, the newest first, one for each thread, until there are `limit`, or nothing is left, or 5 s are over.
   * @param before only those that are older, and of no thread that a page before has shown. @param filter of their threads. @param opened
   * those that need a reason and are looked through as well: whether a word is in another one would be told by the search.
   * @throws TooBusy where the time is over and nothing that may be read was found.
   */
  search(
    space: Space,
    wanted: Wanted,
    options: {
      readonly limit: number;
      readonly before?: HitMark;
      readonly filter?: OverviewFilter;
      readonly opened: ReadonlySet<SessionId>;
    },
  ): Promise<Found>;
  /** Threads that an id means: a run's, or one of which these are parts, as a person copied them. */
  find(space: Space, parts: readonly string[], limit: number): Promise<readonly Overview[]>;
}
