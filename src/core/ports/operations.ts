/** What is being done just now, what waits and what failed: read from the ledger, for admins who look after it. */

import type { ErrorCode } from "../errors.ts";
import type { Where } from "../inbound.ts";
import type { RunId } from "../ids.ts";
import type { RunCause } from "../run.ts";
import type { SessionId } from "../thread.ts";
import type { Space } from "./overviews.ts";
import type { Standing } from "./standing.ts";

/** Of all spaces together: figures, and nothing of whom. */
export interface Load extends Standing {
  /** For how long people's messages of the last hour waited until their run began, ms; absent where there were none. */
  readonly waited?: { readonly medianMs: number; readonly p95Ms: number; readonly messages: number };
}

/** A thread as it may be named. */
export interface NamedThread {
  readonly session: SessionId;
  readonly label: string;
  readonly isDirect: boolean;
  /** As in an overview: what is not known to be public is private. */
  readonly isPrivate: boolean;
  readonly firstName?: string;
}

export interface OpenRun extends NamedThread {
  readonly run: RunId;
  readonly cause: RunCause;
  /** Its answer is stored, and its final pages are still to be written. */
  readonly isSettling: boolean;
  readonly requester: string;
  readonly sinceMs: number;
  readonly rounds: number;
  /** The newest claim of it. */
  readonly attempt: {
    readonly n: number;
    readonly fence: number;
    readonly worker: string;
    readonly sinceMs: number;
    readonly hasEnded: boolean;
  };
}

export interface WaitingThread extends NamedThread {
  readonly waiting: number;
  readonly sinceMs: number;
}

/** An answer that failed and that nobody has tried again. */
export interface ParkedRun extends NamedThread {
  readonly run: RunId;
  readonly error?: ErrorCode;
  readonly requester: string;
  /** ms since 1970. */
  readonly endedAt: number;
  /** What the platform said of the place, when it was asked. */
  readonly where?: Where;
}

export interface SpaceWork {
  /** The oldest first. */
  readonly runs: readonly OpenRun[];
  /** The one that waits longest first. */
  readonly waiting: readonly WaitingThread[];
  /** The newest first. */
  readonly parked: readonly ParkedRun[];
}

export interface Operations {
  load(): Promise<Load>;
  /** At most fifty of each kind. */
  of(space: Space): Promise<SpaceWork>;
  /** One that may be tried again; undefined where it is of another space, or not the newest of its thread any more. */
  parked(space: Space, run: string): Promise<ParkedRun | undefined>;
}
