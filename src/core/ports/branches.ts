/** Branches, from the moment they are asked for until both threads tell of them. */

import type { Border, BorderAt, BorderLine } from "../branch/border.ts";
import type { CommandInbound, Where } from "../inbound.ts";
import type { InboundId, RunId } from "../ids.ts";
import type { SessionId } from "../thread.ts";
import type { Admission, Stored } from "./inbox.ts";

/** What there is to branch from: the history of the session's epoch. */
export interface Trunk {
  readonly epoch: number;
  /** Ascending. */
  readonly lines: readonly BorderLine[];
  /** The run that is under way. */
  readonly unfinished?: RunId;
  /** What the thread is called. */
  readonly label: string;
  /**
   * Where the message stands that was asked about: in the newest run that read or wrote it, or, where it opened a thread that is
   * a branch itself, behind what was copied; absent where the bot had nothing to do with it.
   */
  readonly asked?: BorderAt;
}

export interface Branch {
  /** The command's identity. */
  readonly id: InboundId;
  readonly from: SessionId;
  readonly entries: number;
  readonly label: string;
  /** Name of who asked for it. */
  readonly by: string;
  readonly where?: Where;
  /** When it was asked for, ms since 1970. */
  readonly askedAt: number;
  /** Who set out to finish it before may have got further than is known. */
  readonly isAgain: boolean;
  /** The new thread, once it is there. */
  readonly to?: SessionId;
  /** The new thread has the history. */
  readonly isCopied: boolean;
  /** Why there will be no new thread, in one sentence. */
  readonly refusal?: string;
}

export interface Branches {
  /** Undefined for an unknown session. @param message the platform's id of the one that is asked about. */
  look(session: SessionId, message?: string): Promise<Trunk | undefined>;
  /**
   * As `Inbox.put`, and the branch is owed with it, or neither. What it is told of the model beside the conversation is kept as
   * it is at this moment.
   */
  put(command: CommandInbound, admission: Admission, from: BranchFrom): Promise<Stored>;
  /**
   * One that is not done, the oldest of the last day first, or the one with this id; whoever hears of it finishes it, and no one else hears of it
   * for `idleMs`.
   */
  take(idleMs: number, id?: InboundId): Promise<Branch | undefined>;
  /** The new thread is there. False where it is another branch's already, and then nothing changes. */
  opened(id: InboundId, to: SessionId): Promise<boolean>;
  /** There will be no new thread. */
  refused(id: InboundId, why: string): Promise<void>;
  /**
   * All or nothing, and once: the new session has the entries up to the border with their order, what its model is told beside
   * them, and the title, model and effort; what waits to correct the entries comes with them. Where somebody was quicker and the session has begun, they stand before what it has.
   */
  copy(id: InboundId): Promise<void>;
  done(id: InboundId): Promise<void>;
}

export interface BranchFrom extends Border {
  readonly epoch: number;
  readonly label: string;
}
