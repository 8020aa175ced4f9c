/** What processes share beside the ledger, for those who watch. It is asked seldom, changes nothing, and rejects where it cannot be known. */

import type { SessionId } from "../thread.ts";

export interface QueueDepth {
  /** Wakes that nobody has taken yet. */
  readonly waiting: number;
  /** Those that are being served. */
  readonly active: number;
}

/** How it stands with one budget of writes to a platform. */
export interface BudgetState {
  /** As the budget's own: begins with the platform, and with the space where it is of one. */
  readonly key: string;
  /** Until all places are free again, ms; 0 where they are. */
  readonly fullInMs: number;
  /** For how long yet everything keeps to it, since the platform refused a write, ms; 0 where nothing was refused. */
  readonly bindsForMs: number;
  /** Who waits for a turn. */
  readonly line: number;
}

export interface Watched {
  /** By the queue's name. */
  depth(): Promise<Readonly<Record<string, QueueDepth>>>;
  /** For each of these sessions how long its lease lasts without a renewal, ms: Infinity where it never ends by itself, undefined where nobody holds it. */
  leases(sessions: readonly SessionId[]): Promise<readonly (number | undefined)[]>;
  /** Budgets of a space, and those that its platform has for all spaces together, of which something is remembered. */
  budgets(space: { readonly platform: string; readonly space: string }): Promise<readonly BudgetState[]>;
}
