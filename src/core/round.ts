/** One round as it is stored: the reply, its results, and the model calls that it took, with all that they were told. */

import type { Gauge } from "./context/gauge.ts";
import type { EntryBody } from "./entry.ts";
import type { ErrorCode } from "./errors.ts";
import type { CallUsage } from "./usage.ts";

/** A text that is stored once by its hash. */
export interface Blob {
  readonly hash: string;
  readonly text: string;
}

/** What a model is told beside the conversation: the composed system prompt and the tool list. */
export interface Frozen {
  readonly prompt: Blob;
  /** JSON text of ToolSpec[]. */
  readonly tools: Blob;
}

/** What a model is asked for beside the reply of a run: a side call. `verify`: whether a goal is reached; `title`: what the thread is called. */
export type Purpose = "verify" | "title";

/** One model call, so that the request can be rebuilt byte for byte from stored entries. */
export interface ModelCallRecord extends Frozen {
  readonly id: string;
  /** Round that it was made for, from 1; 0 for a side call. */
  readonly round: number;
  /** Absent for a call that the run's reply came of. */
  readonly purpose?: Purpose;
  readonly model: string;
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

/** The bytes of a picture that stands in an entry of the round. */
export interface PictureData {
  readonly hash: string;
  readonly mimeType: string;
  /** Base64, no line breaks. */
  readonly data: string;
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
  /** Of the pictures in `entries`. Absent for none. */
  readonly pictures?: readonly PictureData[];
  readonly modelCalls: readonly ModelCallRecord[];
  /** The run may make no model call after it: who writes now is left for the next run, since this one could not answer. */
  readonly isLast?: true;
  /** What the session has learnt of its model, where that is new: kept for its next runs. */
  readonly gauge?: Gauge;
}
