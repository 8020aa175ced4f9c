/** Reads threads for a file, a page at a time, the oldest first. Nothing is held between two pages: a reader may be slow. */

import type { Overview, OverviewFilter, Space } from "./overviews.ts";
import type { Remark } from "./remarks.ts";
import type { GoalStep, ReviewedCall, ReviewedEntry, ReviewedInbound, ReviewedRun } from "./review.ts";
import type { SessionId } from "../thread.ts";

/** So many of a kind, and whether there are more behind them. */
export interface Piece<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

export interface ExportedCall extends ReviewedCall {
  /** SHA-256 of the body that was sent, hex; absent where none was. */
  readonly bodyHash?: string;
}

export interface ExportedRun extends Omit<ReviewedRun, "calls"> {
  readonly calls: readonly ExportedCall[];
}

export interface ExportedEntry extends ReviewedEntry {
  /** A tool's result is stored that is longer than what the model received, of so many letters. */
  readonly fullLength?: number;
}

/** Where the pieces of a thread begin, and what else is of it. Bytes of images are left out: an image has no data here. */
export interface ExportedThread {
  readonly remarks: readonly Remark[];
  readonly goals: readonly GoalStep[];
  readonly inbounds: Piece<ReviewedInbound>;
  readonly runs: Piece<ExportedRun>;
  readonly entries: Piece<ExportedEntry>;
}

export interface Exports {
  /** How many threads a filter finds, and how many runs they have. */
  count(space: Space, filter: OverviewFilter): Promise<{ readonly threads: number; readonly runs: number }>;
  /** In the order of their ids, which does not change while one reads. */
  threads(
    space: Space,
    filter: OverviewFilter,
    page: { readonly after?: SessionId; readonly limit: number },
  ): Promise<readonly Overview[]>;
  open(session: SessionId): Promise<ExportedThread>;
  /** Those behind it, in the order in which they came. */
  inbounds(session: SessionId, after: ReviewedInbound): Promise<Piece<ReviewedInbound>>;
  runs(session: SessionId, after: ExportedRun): Promise<Piece<ExportedRun>>;
  entries(session: SessionId, after: ExportedEntry): Promise<Piece<ExportedEntry>>;
  /** A tool's result as it was before it was capped. */
  result(session: SessionId, run: string, round: number, call: string): Promise<string | undefined>;
}
