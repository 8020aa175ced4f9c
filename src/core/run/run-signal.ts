/**
 * The one signal of an attempt: lease lost, stop asked for, thread deleted, time over, process leaving. The reason tells the
 * loop which.
 */

import type { AbortReason } from "../agent/loop-types.ts";
import type { RunEvent } from "../events.ts";
import type { Clock } from "../ports/clock.ts";
import type { Lease } from "../ports/locker.ts";
import type { Log } from "../ports/log.ts";
import type { Fence, RunStore } from "../ports/run-store.ts";
import type { Stops } from "../ports/stops.ts";
import type { SessionId } from "../thread.ts";

export interface LeaveSignal {
  readonly signal: AbortSignal;
  close(): void;
}

export interface RunSignal extends LeaveSignal {
  /**
   * Has to hear what the loop does: a process that leaves cuts a model call at once, since that costs nothing but its tokens,
   * and gives tools their time.
   */
  on(event: RunEvent): void;
}

/** What is heard of stops from before the claim on, so that between the two nothing is missed. */
export interface StopWatch {
  /** Calls `look` for each signal from now on, and at once where one came before. */
  onHeard(look: () => void): void;
  close(): void;
}

export interface RunSignalDeps {
  readonly store: Pick<RunStore, "isStopped">;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RunEnders {
  readonly lease: Lease;
  readonly leaving: AbortSignal;
  /** How long tools may go on to the run's next border once `leaving` aborts, ms. */
  readonly graceMs: number;
  /** What is left of the time of the run, earlier attempts taken off, ms; may be negative. */
  readonly leftMs: number;
  /** There is nobody left to answer: ends the run as a stop does. */
  readonly threadGone: AbortSignal;
  readonly stopWatch: StopWatch;
}

/** A stop is signalled once: a look that failed is made again. */
const LOOK_AGAIN_MS = 1_000;

/** Aborts `graceMs` after `leaving` does. */
export function leaveSignal(clock: Clock, leaving: AbortSignal, graceMs: number): LeaveSignal {
  const controller = new AbortController();
  let cancel = (): void => {};
  const leave = (): void => {
    cancel = clock.after(graceMs, () => controller.abort("leave" satisfies AbortReason));
  };
  if (leaving.aborted) leave();
  else leaving.addEventListener("abort", leave, { once: true });
  return {
    signal: controller.signal,
    close() {
      cancel();
      leaving.removeEventListener("abort", leave);
    },
  };
}

export function watchStops(stops: Stops, session: SessionId): StopWatch {
  let wasHeard = false;
  let look = (): void => void (wasHeard = true);
  const close = stops.watch(session, () => look());
  return {
    onHeard(run) {
      look = run;
      if (wasHeard) run();
    },
    close,
  };
}

/** Without the fast signal (it cannot be heard just now) a stop still works at the next border, by the ledger. */
export function openRunSignal(
  deps: RunSignalDeps,
  fence: Fence,
  { lease, leaving, graceMs, leftMs, threadGone, stopWatch }: RunEnders,
): RunSignal {
  const controller = new AbortController();
  const closing: (() => void)[] = [];
  let isClosed = false;
  /** The model is asked: a round has begun, and its reply has not asked for tools. */
  let isAsking = false;
  const abort = (reason: AbortReason) => controller.abort(reason);
  const cutIfAsking = () => {
    if (isAsking && leaving.aborted) abort("leave");
  };
  const when = (signal: AbortSignal, run: () => void) => {
    if (signal.aborted) return run();
    signal.addEventListener("abort", run, { once: true });
    closing.push(() => signal.removeEventListener("abort", run));
  };

  when(lease.signal, () => abort("lost"));
  when(threadGone, () => abort("stopped"));
  const late = leaveSignal(deps.clock, leaving, graceMs);
  closing.push(() => late.close());
  when(late.signal, () => abort("leave"));
  when(leaving, cutIfAsking);
  if (leftMs <= 0) abort("timeout");
  else closing.push(deps.clock.after(leftMs, () => abort("timeout")));

  // The signal may be older than this run (a stop that came just before it): only the ledger says whom it means.
  const look = () => {
    deps.store.isStopped(fence).then(
      (stopped) => {
        if (stopped) abort("stopped");
      },
      (error: unknown) => {
        deps.log.warn("could not look whether the run was stopped; looking again", { run: fence.run, error });
        if (!isClosed) closing.push(deps.clock.after(LOOK_AGAIN_MS, look));
      },
    );
  };
  stopWatch.onHeard(look);
  return {
    signal: controller.signal,
    on(event) {
      if (event.kind === "round") isAsking = event.state !== "done";
      else if (event.kind === "tool_call") isAsking = false;
      else return;
      cutIfAsking();
    },
    close: () => {
      isClosed = true;
      for (const close of closing.splice(0)) close();
    },
  };
}
