/**
 * The bot's store, cut along what a run does, so that each step is one statement and fenced.
 * Every write with a fence that is no longer the newest rejects with `stale_fence` and changes nothing.
 */

import type { Gauge } from "../context/gauge.ts";
import type { Entry, EntryBody } from "../entry.ts";
import type { EndReason } from "../events.ts";
import type { Goal } from "../goal/goal.ts";
import type { TurnNews } from "../goal/news.ts";
import type { GoalTurn } from "../goal/turn.ts";
import type { InboundId, RunId } from "../ids.ts";
import type { LaidOutAs } from "../reply/laid-out-as.ts";
import type { Shown } from "../reply/view.ts";
import type { Frozen, ModelCallRecord, RoundRecord } from "../round.ts";
import type { Outcome, RunError, RunInfo } from "../run.ts";
import type { ChosenModel } from "../session-settings.ts";
import type { SessionId } from "../thread.ts";
import type { Work } from "./work.ts";

/** Permission to write for one attempt. `number` is raised by Postgres at each claim of the session. */
export interface Fence {
  readonly session: SessionId;
  readonly run: RunId;
  readonly number: number;
}

export interface Committed {
  /** The round's entries as stored. */
  readonly stored: readonly Entry[];
  /** Inbounds that were admitted just now as user entries (never after `state: "calls"` or `isLast`), in platform-time order. */
  readonly steered: readonly Entry[];
  /** A stop or reset that is newer than everything admitted has been stored: end the run as `cancelled`. */
  readonly stopped: boolean;
}

export interface RunEnding {
  readonly reason: EndReason;
  readonly error?: RunError;
  /** The last round: the answer, or what there was of it (cancelled: the text that was shown, calls closed as cancelled). */
  readonly round?: RoundRecord;
  /** Stored as a note entry after it; given for every reason but `stop` and `waiting`. */
  readonly note?: string;
  /** Model calls that belong to no stored round. */
  readonly modelCalls: readonly ModelCallRecord[];
  /** The run may make no model call any more: nobody joins it, and what waits is left for the next run. */
  readonly isLast?: true;
  /** For the thread's goal, where the run was opened with one: it counts, and plans the next turn, in the same write. */
  readonly turn?: GoalTurn;
  /** What the session has learnt of its model, where that is new and came with no round before. */
  readonly gauge?: Gauge;
}

export type Ended =
  /**
   * Outcome, fates, usage and `reply = settling` are durable. `goal`: the thread's, as it stands now; absent where it has none. `news`:
   * what people are told of it with this end, as it is stored. `entries`: those of the round that came with it, where they are not stored
   * as they were given.
   */
  | {
      readonly kind: "ended";
      readonly goal?: Goal;
      readonly news?: TurnNews;
      readonly entries?: readonly EntryBody[];
    }
  /**
   * Reason `stop` with a round only: a stop or reset that is newer than everything admitted was stored before that round was.
   * Nothing has changed: end the run as `cancelled`, with the round.
   */
  | { readonly kind: "stopped" }
  /** Reason `stop` without `isLast` only: messages had come in meanwhile and were admitted; the run goes on. */
  | { readonly kind: "steered"; readonly stored: readonly Entry[]; readonly steered: readonly Entry[] };

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
      /** What the model is told; absent where it is to be composed anew. Of a run that is resumed what it was told so far. */
      readonly frozen?: Frozen;
      readonly chosen: ChosenModel;
      readonly shown: Shown;
      /** The model that a resumed run has asked so far, and with which effort. */
      readonly begunWith?: ChosenModel;
      /** What the session has learnt of its model in earlier rounds. */
      readonly gauge?: Gauge;
      /** The thread's open goal. */
      readonly goal?: Goal;
      readonly resumed: boolean;
      readonly stopped: boolean;
      /** An attempt before, now or a short while ago, never said how it left: a write of it may still be under way to the platform. */
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
      readonly shown: Shown;
      readonly afterCrash: boolean;
    };

export interface Beginning {
  readonly id: InboundId;
  /** The platform's id of the message. */
  readonly message: string;
  /** Its platform time, ms since 1970. */
  readonly at: number;
  /** When it was stored, ms since 1970: long after its time where the platform had to send it again. */
  readonly receivedAt: number;
}

/** A run that has ended, with all that its reply says. */
export interface EndedRun {
  readonly run: RunInfo;
  readonly outcome: Outcome;
  readonly entries: readonly Entry[];
  /** As `settled` was told. */
  readonly laidOut?: LaidOutAs;
}

/** How an attempt ends that does not end its run. */
export type Left = "handed_over" | "lost" | "crashed";

export interface RunStore extends Work {
  /**
   * Claims the session for `worker`: raises the fence; then the reply that is settling, else the unfinished run, else a
   * new run for what waits (messages, or a `retry` of the last failed run, which takes its inbounds back). The attempt
   * before that did not say how it left counts as `crashed`; a stored round resets the count; at the eighth the run ends
   * with `attempts_used_up`, and a reply that eight attempts could not settle is left as it stands. `messages` that were
   * only stopped or reset become `cancelled` here.
   * `goals`: where there is none of that to do, the turn that the thread's goal has planned, once it is due.
   */
  open(session: SessionId, worker: string, goals?: "goals"): Promise<Opened>;
  /**
   * The first message that waits in a session whose history is still empty, was never reset and has no note waiting: what
   * its thread said before is not known yet. Undefined otherwise.
   */
  beginning(session: SessionId): Promise<Beginning | undefined>;
  /** The run that a `retry` is for; undefined for a run that is none. Reads only. */
  triedAgain(fence: Fence): Promise<EndedRun | undefined>;
  /** @param frozen prompt and tools, kept with it for the session's epoch: over deploys too, until `reset` or `reload`. */
  commitRound(fence: Fence, round: RoundRecord, frozen?: Frozen): Promise<Committed>;
  /** @param frozen as for `commitRound`. */
  end(fence: Fence, ending: RunEnding, frozen?: Frozen): Promise<Ended>;
  /**
   * The final pages are written: `reply = settled`. Only now has the attempt ended: who dies before it may still be writing.
   * @param laidOut how they stand there; absent where that is not known.
   */
  settled(fence: Fence, laidOut?: LaidOutAs): Promise<void>;
  /**
   * The attempt still works on its run: the session counts as touched. Said every few seconds, so that `due` does not name
   * what someone holds. Cheap, and changes nothing else.
   */
  touch(fence: Fence): Promise<void>;
  /** The attempt leaves, the run stays. Not fenced: a loser may say so late, and then it changes only its own row. */
  leave(fence: Fence, how: Left): Promise<void>;
  /** Whether a stop or reset came that is newer than everything the run admitted. */
  isStopped(fence: Fence): Promise<boolean>;
  /** Whether a message waits that would join the run at its next border. Reads only. */
  isSteered(fence: Fence): Promise<boolean>;
}
