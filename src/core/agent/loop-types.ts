/** The contract between the loop and its two shells (`agent/session` and `run/run-session`). */

import type { Learnt } from "../context/gauge.ts";
import type { ContextEntry } from "../entry.ts";
import type { BobbinError } from "../errors.ts";
import type { EndReason, RunEvent } from "../events.ts";
import type { Hash, NewId } from "../ids.ts";
import type { Author } from "../inbound.ts";
import type { Clock } from "../ports/clock.ts";
import type { Model, ModelRecord, Thinking } from "../ports/model.ts";
import type { Frozen, ModelCallRecord, RoundRecord } from "../round.ts";
import type { Usage } from "../usage.ts";
import type { Tool, ToolGate } from "./tool.ts";

/** Limits of a run; `Infinity` is allowed only where "no cap" makes sense and is said so. */
export interface Limits {
  /** Model calls with a complete reply per run. Default 20. */
  readonly maxTurns: number;
  /** Whole run, ms. Default 10 min. */
  readonly runMs: number;
  /** One model call, ms. Default 180 s. */
  readonly modelCallMs: number;
  /** One tool call, ms; Infinity: no cap. Default 2 min. */
  readonly toolCallMs: number;
  /** UTF-8 bytes of a tool's result as the model sees it; Infinity: no cap. Default 40,000. */
  readonly toolResultBytes: number;
}

export interface LoopDeps {
  readonly model: Model;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly hash: Hash;
}

/** What the model is told apart from the entries; the same for every call of a run. */
export interface LoopProfile {
  readonly model: ModelRecord;
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly gate: ToolGate;
  readonly limits: Limits;
  readonly temperature?: number;
  readonly thinking?: Thinking;
  /** Prompt caching on. */
  readonly caching: boolean;
  /** `system` and `tools` as they are stored; made from them where it is absent. */
  readonly frozen?: Frozen;
}

export interface LoopInput {
  readonly session: string;
  readonly run: string;
  /** Who asked; whoever joins in mid-run takes their place. */
  readonly requester?: Author;
  /** Ends with the user turn to answer, or (resume) with a stored round, or with calls whose results are missing. */
  readonly entries: readonly ContextEntry[];
  /** Rounds that are stored already (resume); counts against `maxTurns`. */
  readonly roundsDone: number;
  /** What the session knows of how much its model takes. The loop puts a newer gauge into it; the shell keeps it. Default: nothing. */
  readonly learnt?: Learnt;
}

export interface LoopHooks {
  /**
   * Awaited after each round and, with `state: "calls"`, before the first tool of a round that is not `read` starts.
   * What it rejects with ends the run: `stale_fence` and `lease_lost` as `left: "lost"`, anything else as `error`.
   */
  commitRound(round: RoundRecord): Promise<CommitAnswer>;
  /** Asked before each tool starts; false ends the attempt as lost. */
  isLive(): boolean;
  /**
   * The shell stores the last round of a run that ends with `stop` together with the end: it is then not committed, and
   * stands in the outcome. The shell says that the round is done.
   */
  readonly endsWithRound?: true;
  /**
   * Asked between the calls of one reply: whether someone wrote meanwhile. Then those that have not begun are skipped, so that
   * the model hears of it first. Where it rejects or is absent nothing is skipped.
   */
  isSteered?(): Promise<boolean>;
  /**
   * Asked before a call that is not `read`: whether the process has to end, which then stays so. Such a call is not begun any more, nor
   * is what stands behind it, with results that say so: the abort with "leave" that follows could cut it half-way. Default: never.
   */
  isLeaving?(): boolean;
  /**
   * Never throws and never waits. The loop sends every kind but `error` and `end`: those are said by the shell from the
   * outcome, once it is durable.
   */
  emit(event: RunEvent): void;
}

/** What `RunStore.commitRound` answers fits; a shell that stores later answers entries without `seq`. */
export interface CommitAnswer {
  /** The round's entries as stored: what the next request is made of. Empty: they are not stored yet. */
  readonly stored: readonly ContextEntry[];
  /** User entries that join before the next model call (never after `state: "calls"`). */
  readonly steered: readonly ContextEntry[];
  /** End the run as `cancelled`. */
  readonly stopped: boolean;
  /** No model call may be made any more, unless somebody joins: end the run as one that made all that it may. */
  readonly isOver?: true;
  /**
   * Hand the run over at this round border. After `state: "calls"` it waits for the border, and where the run ends here
   * anyway it ends. With an empty `stored` it says that nothing could be stored: the attempt leaves at once, no tool
   * starts, and the round does not count.
   */
  readonly leave?: boolean;
}

/**
 * Why the signal was aborted: given as `AbortController.abort(reason)`; any other reason counts as "cancelled". With "leave" while tools
 * run the round is still committed where what came of them is known here alone; then nothing of the loop is stored any more.
 */
export type AbortReason = "stopped" | "lost" | "leave" | "timeout";

export type LoopOutcome =
  | {
      readonly kind: "ended";
      readonly reason: EndReason;
      readonly error?: BobbinError;
      /**
       * Not committed. `cancelled`, `timeout` or `error` in mid-reply: the text that was shown, as interrupted. `cancelled` or `timeout` while
       * tools ran: the reply (where `calls` was not committed), the results that came, and the other calls as cancelled.
       * `stop` with `endsWithRound`: the answer.
       */
      readonly round?: RoundRecord;
      /** Model calls that belong to no committed round (nor to `round`). */
      readonly modelCalls: readonly ModelCallRecord[];
      /** Complete rounds of the run, those of earlier attempts included. */
      readonly rounds: number;
      /** Of this call of the loop. */
      readonly usage: Usage;
      readonly durationMs: number;
    }
  /** The attempt leaves and the run stays unfinished. */
  | { readonly kind: "left"; readonly how: "handed_over" | "lost" };
