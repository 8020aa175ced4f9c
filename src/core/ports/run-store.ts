/**
 * The bot's store, cut along what a run does, so that each step is one statement and fenced.
 * Every write with a fence that is no longer the newest rejects with `stale_fence` and changes nothing.
 */

import type { Entry, EntryBody } from "../entry.ts";
import type { EndReason } from "../events.ts";
import type { ErrorCode } from "../errors.ts";
import type { RunId } from "../ids.ts";
import type { Author } from "../inbound.ts";
import type { SessionId } from "../thread.ts";
import type { CallUsage, Usage } from "../usage.ts";

/** Permission to write for one attempt. `number` is raised by Postgres at each claim of the session. */
export interface Fence {
  readonly session: SessionId;
  readonly run: RunId;
  readonly number: number;
}

export type RunCause = "message" | "retry";

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
  /** Who asked: the author of the newest admitted inbound; a turn has its requester's rights. */
  readonly requester: Author;
}

/** A text that is stored once by its hash. */
export interface Blob {
  readonly hash: string;
  readonly text: string;
}

/** The composed system prompt and tool list of a session's epoch; kept over deploys until `reset` or `reload`. */
export interface Frozen {
  readonly prompt: Blob;
  /** JSON text of ToolSpec[]. */
  readonly tools: Blob;
}

/** One model call, so that the request can be rebuilt byte for byte from stored entries. */
export interface ModelCallRecord {
  readonly id: string;
  /** Round that it was made for, from 1. */
  readonly round: number;
  readonly model: string;
  readonly prompt: Blob;
  readonly tools: Blob;
  /** Entries that were sent: those of the epoch from `firstSeq` to `lastSeq` without `excluded`. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly excluded: readonly number[];
  /** JSON text of everything else that shapes the request (`context/request`). */
  readonly params: string;
  /** Hash of the body that was sent; absent when it was never sent. */
  readonly bodyHash?: string;
  /** One per try that reported. */
  readonly usage: readonly CallUsage[];
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: "done" | "cut" | "failed" | "aborted";
  readonly error?: ErrorCode;
}

/** A tool's result before it was capped for the model (at most 1 MB is kept). */
export interface FullResult {
  readonly call: string;
  readonly name: string;
  readonly ok: boolean;
  readonly content: string;
}

export interface RoundRecord {
  /** From 1. */
  readonly round: number;
  /**
   * `calls`: the reply alone, stored before a tool with side effects starts, so that a crash inside it is known;
   * `complete`: what is still missing of the round (the reply too, where `calls` was not stored).
   */
  readonly state: "calls" | "complete";
  readonly entries: readonly EntryBody[];
  readonly results: readonly FullResult[];
  readonly modelCalls: readonly ModelCallRecord[];
}

export interface Committed {
  /** The round's entries as stored. */
  readonly stored: readonly Entry[];
  /** Inbounds that were admitted just now as user entries (never after `state: "calls"`), in platform-time order. */
  readonly steered: readonly Entry[];
  /** A stop or reset that is newer than everything admitted has been stored: end the run as `cancelled`. */
  readonly stopped: boolean;
}

export interface RunEnding {
  readonly reason: EndReason;
  readonly error?: { readonly code: ErrorCode; readonly message: string };
  /** A last, perhaps interrupted round (stop: the text that was shown, calls closed as cancelled). */
  readonly round?: RoundRecord;
  /** Stored as a note entry after it; given for every reason but `stop` and `waiting`. */
  readonly note?: string;
  /** Model calls that belong to no stored round. */
  readonly modelCalls: readonly ModelCallRecord[];
}

export type Ended =
  /** Outcome, fates, usage and `reply = settling` are durable. */
  | { readonly kind: "ended" }
  /** Reason `stop` only: messages had come in meanwhile and were admitted; the run goes on. */
  | { readonly kind: "steered"; readonly stored: readonly Entry[]; readonly steered: readonly Entry[] };

export interface Outcome {
  readonly reason: EndReason;
  readonly error?: { readonly code: ErrorCode; readonly message: string };
  readonly endedAt: number;
}

export type Opened =
  /** Nothing waits and nothing is unfinished. */
  | { readonly kind: "nothing" }
  /**
   * A new run for the waiting inbounds, or an unfinished one from its last stored round. `tail`: the newest entries of
   * the epoch, ascending, beginning at a user turn. `stopped`: a stop or reset came: end it as `cancelled`.
   */
  | {
      readonly kind: "run";
      readonly run: RunInfo;
      readonly fence: Fence;
      readonly tail: readonly Entry[];
      readonly frozen?: Frozen;
      readonly resumed: boolean;
      readonly stopped: boolean;
      /** The attempt before never said how it left: a write of it may still be under way to the platform. */
      readonly afterCrash: boolean;
    }
  /**
   * A run that has ended but whose final pages may be missing (`reply = settling`): deliver them without a model call.
   * Also what `open` answers when it ended the run itself because its attempts were used up. `entries`: those of the run.
   */
  | {
      readonly kind: "settle";
      readonly run: RunInfo;
      readonly fence: Fence;
      readonly outcome: Outcome;
      readonly entries: readonly Entry[];
      readonly afterCrash: boolean;
    };

export interface Beginning {
  /** The platform's id of the message. */
  readonly message: string;
  /** Its platform time, ms since 1970. */
  readonly at: number;
}

/** How an attempt ends that does not end its run. */
export type Left = "handed_over" | "lost" | "crashed";

export interface RunStore {
  /**
   * Claims the session for `worker`: raises the fence; then the reply that is settling, else the unfinished run, else a
   * new run for what waits (messages, or a `retry` of the last failed run, which takes its inbounds back). The attempt
   * before that did not say how it left counts as `crashed`; a stored round resets the count; at the eighth the run ends
   * with `attempts_used_up`, and a reply that eight attempts could not settle is left as it stands. `messages` that were
   * only stopped or reset become `cancelled` here.
   */
  open(session: SessionId, worker: string): Promise<Opened>;
  /**
   * The first message that waits in a session whose history is still empty, was never reset and has no note waiting: what
   * its thread said before is not known yet. Undefined otherwise.
   */
  beginning(session: SessionId): Promise<Beginning | undefined>;
  /** Freezes prompt and tools for the session's epoch. */
  freeze(fence: Fence, frozen: Frozen): Promise<void>;
  commitRound(fence: Fence, round: RoundRecord): Promise<Committed>;
  end(fence: Fence, ending: RunEnding): Promise<Ended>;
  /** The final pages are written: `reply = settled`. */
  settled(fence: Fence): Promise<void>;
  /**
   * The attempt still works on its run: the session counts as touched. Said every few seconds, so that `due` does not name
   * what someone holds. Cheap, and changes nothing else.
   */
  touch(fence: Fence): Promise<void>;
  /** The attempt leaves, the run stays. Not fenced: a loser may say so late, and then it changes only its own row. */
  leave(fence: Fence, how: Left): Promise<void>;
  /** Whether a stop or reset came that is newer than everything the run admitted. */
  isStopped(fence: Fence): Promise<boolean>;
  /**
   * Sessions with an inbound that has waited, a run that is unfinished or a reply that is settling for `idleMs`, and in which
   * no attempt did anything for as long; the one that was touched longest ago first.
   */
  due(idleMs: number, limit: number): Promise<readonly SessionId[]>;
  /** Whether anything waits, is unfinished or is settling in the session: the look after the lease was released. */
  hasWork(session: SessionId): Promise<boolean>;
}
