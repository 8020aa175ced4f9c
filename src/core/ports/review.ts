/** Everything that a thread holds, for people who review it: what was said, what the model was told, and who did what. */

import type { Entry } from "../entry.ts";
import type { ErrorCode } from "../errors.ts";
import type { FeedbackValue } from "../feedback.ts";
import type { Verdict } from "../goal/verdict.ts";
import type { RunId } from "../ids.ts";
import type { ModelRequest } from "./model.ts";
import type { InboundView, RunView } from "./transcripts.ts";
import type { Purpose } from "../round.ts";
import type { SessionId } from "../thread.ts";
import type { CallUsage, Usage } from "../usage.ts";

export interface ReviewedEntry {
  readonly entry: Entry;
  /** When it was stored, ms since 1970. */
  readonly at: number;
}

/** An emoji that somebody gave to a message. */
export interface ReviewedReaction {
  /** The platform's id of the message. */
  readonly message: string;
  readonly person: string;
  /** As others saw them; their id where that is not known. */
  readonly name: string;
  /** As it is shown: a sign, or a name between colons. */
  readonly emoji: string;
  /** When it was last given, ms since 1970. */
  readonly at: number;
  /** Absent while it stands there. */
  readonly takenAt?: number;
}

/** One request to the model, with how it went. */
export interface ReviewedCall {
  readonly id: string;
  readonly run: RunId;
  /** 0 for a side call. */
  readonly round: number;
  /** What a side call was made for; absent for one that the run's reply came of. */
  readonly purpose?: Purpose;
  readonly model: string;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: "done" | "cut" | "failed" | "aborted";
  readonly error?: ErrorCode;
  /** Summed over its tries. */
  readonly usage: Usage;
  readonly tries: readonly Pick<CallUsage, "firstTokenMs">[];
}

export interface ReviewedRun extends RunView {
  /** Its place among the runs of all threads: what a page goes on from. */
  readonly n: number;
  readonly requester: string;
  /** Ids of the messages on the platform in which people saw it. */
  readonly messages: readonly string[];
  /** What people said of it with its buttons. */
  readonly feedback: readonly {
    readonly person: string;
    readonly name: string;
    readonly value: FeedbackValue;
    readonly at: number;
  }[];
  /** To the messages in which people saw it, in the order in which they were given. */
  readonly reactions: readonly ReviewedReaction[];
  readonly calls: readonly ReviewedCall[];
}

export interface ReviewedInbound extends InboundView {
  /** When it came in, ms since 1970. */
  readonly receivedAt: number;
  /** What the model was told of it, where it is no message. */
  readonly note?: string;
  /** To the message that it is, in the order in which they were given. */
  readonly reactions: readonly ReviewedReaction[];
}

/** A tool's result that is longer than what the model received. */
export interface LongResult {
  readonly run: RunId;
  readonly round: number;
  readonly call: string;
  /** Letters of all of it. */
  readonly length: number;
}

export interface GoalStep {
  readonly goal: string;
  readonly at: number;
  readonly kind: string;
  readonly who?: string;
  readonly status: string;
  /** As it was then. */
  readonly objective: string;
  /** What the model named as proof, and what was found by whoever looked; as it stood then. */
  readonly evidence?: string;
  readonly verdict?: Verdict;
  /** To the card of the goal, in the order in which they were given; of all that happened to a goal the newest has them. */
  readonly reactions: readonly ReviewedReaction[];
}

export interface ReviewedThread {
  /** Ascending. */
  readonly runs: readonly ReviewedRun[];
  /** Of those runs, and of none: what a branch began with. Ascending. */
  readonly entries: readonly ReviewedEntry[];
  /** In the order in which they came: the newest 2,000. */
  readonly inbounds: readonly ReviewedInbound[];
  /** There are older ones that would belong to this page. */
  readonly hasMoreInbounds: boolean;
  readonly results: readonly LongResult[];
  readonly hasEarlier: boolean;
}

export interface StoredRequest {
  readonly call: ReviewedCall;
  readonly request: ModelRequest;
  /** SHA-256 of the body that was sent, hex; absent where none was. */
  readonly bodyHash?: string;
}

export interface Review {
  /**
   * The newest runs with all that belongs to them.
   * @param before only runs with a smaller `n`.
   */
  thread(
    session: SessionId,
    page: { readonly before?: number; readonly limit: number },
  ): Promise<ReviewedThread>;
  /** What to give as `before` for a page that holds this entry; undefined where the newest page does. */
  beforeOf(session: SessionId, epoch: number, seq: number, limit: number): Promise<number | undefined>;
  goals(session: SessionId): Promise<readonly GoalStep[]>;
  /** Undefined for a call of another thread. `forgotten`: it is older than requests are kept. */
  request(session: SessionId, call: string): Promise<StoredRequest | "forgotten" | undefined>;
  /** A tool's result as it was before it was capped, else as it is in its entry. Undefined for one of another thread. */
  result(session: SessionId, run: string, round: number, call: string): Promise<string | undefined>;
  entry(session: SessionId, epoch: number, seq: number): Promise<ReviewedEntry | undefined>;
  /** Another text as soon as anything of the thread is another one. */
  state(session: SessionId): Promise<string>;
}
