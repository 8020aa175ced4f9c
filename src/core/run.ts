/** What is known of a run: who asked for it, how far it is, how it ended. */

import type { ErrorCode } from "./errors.ts";
import type { EndReason } from "./events.ts";
import type { RunId } from "./ids.ts";
import type { Author } from "./inbound.ts";
import type { SessionId } from "./thread.ts";
import type { Usage } from "./usage.ts";

export type RunCause = "message" | "retry" | "continuation";

export interface RunInfo {
  readonly id: RunId;
  readonly session: SessionId;
  readonly cause: RunCause;
  readonly epoch: number;
  /** Rounds that are complete and stored. */
  readonly rounds: number;
  /** Summed over the stored model calls. */
  readonly usage: Usage;
  /** ms since 1970. */
  readonly startedAt: number;
  /** The model that was asked last; absent before the first call, and where nobody needs it. */
  readonly model?: string;
  /** Who asked: the author of the newest admitted inbound; a turn has its requester's rights. */
  readonly requester: Author;
}

/** An error as it is stored with a run; people read the sentence of its code. */
export interface RunError {
  readonly code: ErrorCode;
  readonly message: string;
}

export interface Outcome {
  readonly reason: EndReason;
  readonly error?: RunError;
  /** ms since 1970. */
  readonly endedAt: number;
  /** What people are told of the thread's goal at this end. */
  readonly goal?: string;
  /** It began by itself and has no news: nothing of it is shown. */
  readonly isQuiet?: true;
}
