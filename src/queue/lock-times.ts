/** How long a job's lock, the leases, the waits and the checks between them last; one place, because they only work together. */

/** A job whose worker does not renew for so long is taken for stalled. With the check, a kill costs 10 to 14 seconds. */
export const JOB_LOCK_MS = 10_000;

/** How often each worker looks for stalled jobs. */
export const STALLED_CHECK_MS = 5_000;

/** How long a worker waits for a job in one request, s. */
export const BLOCK_S = 5;

/**
 * The same two of the worker for goals, which is idle nearly always and would double what an idle process asks of Redis. A wake ends
 * the wait at once, as in the other one. What a dead worker left of a goal is taken up by the sweeper, like any unfinished run; this
 * only frees its place in the queue, so that the turn after that one may be up to a minute late.
 */
export const GOALS_BLOCK_S = 60;
export const GOALS_STALLED_CHECK_MS = 30_000;

/** BullMQ renews a job's lock after between half of this and the whole of it. */
export function jobRenewMs(jobLockMs: number): number {
  return Math.floor(jobLockMs / 4);
}

/**
 * The longest lease that has certainly ended when the job of a dead worker is taken up again: the job's lock may have been
 * renewed a whole renewal time before the lease. With a longer one the successor would find it taken, end, and leave the
 * session to the sweeper. The last part is room for a timer that is late.
 */
export function longestLeaseMs(jobLockMs: number): number {
  return jobLockMs - jobRenewMs(jobLockMs) - Math.floor(jobLockMs / 20);
}
