/**
 * A statement reads with the snapshot of its beginning, also when it then waits for a row that another is writing. So every
 * statement that takes a session's row also asks that the row's `rev` is the one of its snapshot, and takes nothing when
 * it is not: then everything else that it read may be old as well, and it is begun anew.
 */

import { BobbinError } from "../../core/errors.ts";

/** Each round of the contest is won by someone; nobody loses this often unless something is broken. */
const TRIES = 200;

/** Runs the statement until it answers something else than "stale". */
export async function snapshotRetry<T>(attempt: () => Promise<T | "stale">): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const outcome = await attempt();
    if (outcome !== "stale") return outcome;
  }
  throw new BobbinError("store_unavailable", "a session's row was contested for too long", {
    retryable: true,
  });
}
