/** The read model behind `status`, the plain transcript page and, later, the admin pages. */

import type { Entry } from "../entry.ts";
import type { Fate, Inbound } from "../inbound.ts";
import type { RunId } from "../ids.ts";
import type { Platform, SessionId } from "../thread.ts";
import type { Outcome, RunCause } from "../run.ts";
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
