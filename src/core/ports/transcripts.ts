/** The read model behind `status`, the plain transcript page and, later, the admin pages. */

import type { Entry, ToolEntry } from "../entry.ts";
import type { ErrorCode } from "../errors.ts";
import type { Fate, Inbound } from "../inbound.ts";
import type { RunId } from "../ids.ts";
import type { Platform, SessionId } from "../thread.ts";
import type { Purpose } from "../round.ts";
import type { Outcome, RunCause } from "../run.ts";
import type { SessionSettings } from "../session-settings.ts";
import type { Usage } from "../usage.ts";

export interface InboundView {
  readonly seq: number;
  readonly inbound: Inbound;
  readonly state: "waiting" | "admitted" | "done";
  readonly run?: RunId;
  readonly fate?: Fate;
  readonly reason?: string;
  /** The rule of access that let it in or refused it. */
  readonly rule?: string;
}

export interface AttemptView {
  readonly fence: number;
  readonly worker: string;
  readonly startedAt: number;
  readonly ended?: "ended" | "handed_over" | "lost" | "crashed";
}

export interface RunView {
  readonly id: RunId;
  readonly cause: RunCause;
  readonly epoch: number;
  readonly startedAt: number;
  readonly rounds: number;
  readonly reply: "open" | "settling" | "settled";
  readonly outcome?: Outcome;
  readonly usage: Usage;
  readonly attempts: readonly AttemptView[];
}

export interface SessionStatus {
  /** 1 at first; each reset raises it. */
  readonly epoch: number;
  readonly waiting: number;
  readonly running?: { readonly run: RunId; readonly startedAt: number; readonly rounds: number };
  /** The newest run of the epoch that has ended. */
  readonly last?: { readonly run: RunId; readonly outcome: Outcome };
  readonly entries: number;
  readonly usage: Usage;
}

/** What one model took; `reported` of its `calls` told their cost. */
export interface ModelUsage {
  readonly model: string;
  readonly calls: number;
  readonly reported: number;
  readonly usage: Usage;
}

export interface SessionUsage {
  /** Of the whole thread, also from before a reset; the one with most calls first. */
  readonly models: readonly ModelUsage[];
  /** Of the newest run. */
  readonly last: readonly ModelUsage[];
}

export interface ModelCallView {
  readonly round: number;
  readonly model: string;
  readonly durationMs: number;
  readonly outcome: "done" | "cut" | "failed" | "aborted";
  readonly error?: ErrorCode;
  /** Of a side call: what it was made for. */
  readonly purpose?: Purpose;
  readonly usage: Usage;
}

export interface RunDetails {
  readonly run: Omit<RunView, "attempts">;
  /** In the order in which they were made. */
  readonly modelCalls: readonly ModelCallView[];
  /** In the order in which the model asked for them. */
  readonly tools: readonly Pick<ToolEntry, "call" | "name" | "ok" | "durationMs">[];
}

export interface RecentSession {
  readonly session: SessionId;
  /** As `labelOf` gives it. */
  readonly label: string;
  readonly running: boolean;
  /** When something last happened in it, ms since 1970. */
  readonly touchedAt: number;
}

export interface Transcripts {
  /** Undefined for an unknown session. */
  status(session: SessionId): Promise<SessionStatus | undefined>;
  /** Undefined for an unknown session. */
  settings(session: SessionId): Promise<SessionSettings | undefined>;
  usage(session: SessionId): Promise<SessionUsage>;
  /** The newest run of all, which may be under way; undefined where there was none. */
  newestRun(session: SessionId): Promise<RunDetails | undefined>;
  /** The run that was shown in this message of the platform, or that read it; undefined where there is none. */
  runOf(session: SessionId, message: string): Promise<RunDetails | undefined>;
  /** Undefined for a run that the session does not have. */
  run(session: SessionId, run: RunId): Promise<RunDetails | undefined>;
  entries(session: SessionId): Promise<readonly Entry[]>;
  inbounds(session: SessionId): Promise<readonly InboundView[]>;
  runs(session: SessionId): Promise<readonly RunView[]>;
  /** The sessions of one channel, the one that was touched last first. */
  recent(
    platform: Platform,
    space: string,
    channel: string,
    limit: number,
  ): Promise<readonly RecentSession[]>;
}
