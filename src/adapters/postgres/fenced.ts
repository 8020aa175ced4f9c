/** What the answer of a fenced statement means: it wrote, another attempt is newer, or its snapshot was old. */

import { BobbinError } from "../../core/errors.ts";
import type { Fence } from "../../core/ports/run-store.ts";

/** The first columns of every fenced statement that takes the session's row. */
export interface HeldRow {
  /** As the snapshot had it. */
  readonly fence: number;
  /** Whether the run was unfinished; null when there is no such run. */
  readonly open: boolean | null;
  readonly rounds: number | null;
  /** Whether the row was taken, and so everything written. */
  readonly held: boolean;
}

/**
 * @param round the round that the statement stores, if any; it has to follow the stored ones.
 * @throws BobbinError `stale_fence` when another attempt is newer, or the run has ended.
 */
export function judgeHeld<R extends HeldRow>(
  row: R | undefined,
  fence: Fence,
  round: number | undefined,
): R | "stale" {
  if (row === undefined || row.fence !== fence.number || row.open !== true) throw staleFence(fence);
  if (row.held) return row;
  if (round !== undefined && row.rounds !== round - 1) {
    throw new BobbinError("panic", "a round does not follow the stored ones", {
      facts: { run: fence.run, round, stored: row.rounds ?? -1 },
    });
  }
  return "stale";
}

export function staleFence(fence: Fence): BobbinError {
  return new BobbinError("stale_fence", "another attempt has taken over this run", {
    facts: { session: fence.session, run: fence.run, fence: fence.number },
  });
}
