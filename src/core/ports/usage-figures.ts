/** What the threads of a space took in a time: runs, model calls, tokens, cost, and how long answers were waited for. */

import type { Space } from "./overviews.ts";

export interface UsageFigures {
  /** Runs and model calls that began at or after `from` and before `to`, ms since 1970. */
  of(space: Space, range: { readonly from: number; readonly to: number }): Promise<UsageTables>;
}

export interface UsageTables {
  readonly total: UsageLine;
  /** By day, in UTC, `2026-11-30`; in their order, days without anything left out. */
  readonly days: readonly UsageLine[];
  /** These by what they used, the most first. Runs belong to no model: of one the calls are told by themselves. */
  readonly models: readonly UsageLine[];
  readonly channels: readonly UsageLine[];
  readonly people: readonly UsageLine[];
}

export interface UsageLine {
  /** The day, the model, the platform's id of the channel or of who asked; empty for the total. */
  readonly key: string;
  /** How a person is called. */
  readonly name?: string;
  readonly runs: number;
  /** Of them those that ended with an error. */
  readonly failed: number;
  /** From the first claim of a run to its end, ms; absent where none has ended. */
  readonly medianMs?: number;
  readonly p95Ms?: number;
  readonly calls: number;
  /** Of them those that failed; nobody stopped these. */
  readonly failedCalls: number;
  /** How long one took that gave an answer, ms; of models only, and absent where none did. */
  readonly callMedianMs?: number;
  readonly callP95Ms?: number;
  /** Tokens that were read anew, and those that came from the provider's cache. */
  readonly input: number;
  readonly cached: number;
  /** With reasoning. */
  readonly output: number;
  /** US dollars, of the calls whose provider says it; absent where none does. */
  readonly cost?: number;
}
