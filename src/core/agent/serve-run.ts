/** One run of the library from its lock to its `end`: lock, read, loop, store, say so, unlock. */

import type { Learnt } from "../context/gauge.ts";
import type { ContextEntry, EntryBody, UserEntry } from "../entry.ts";
import { BobbinError, toBobbinError } from "../errors.ts";
import type { EndReason, RunEvent } from "../events.ts";
import type { Lease, Locker } from "../ports/locker.ts";
import type { RoundRecord } from "../round.ts";
import { addUsage, type Usage } from "../usage.ts";
import { abortReasonOf, orAborted } from "./abort.ts";
import type { AbortReason, CommitAnswer, LoopDeps, LoopHooks, LoopProfile } from "./loop-types.ts";
import { runLoop } from "./loop.ts";
import { isCompleted, type RunLog } from "./run-log.ts";
import type { CheckedOptions } from "./session-options.ts";

export interface ServeRunDeps extends LoopDeps {
  readonly locker: Locker;
  readonly log: RunLog;
  emit(event: RunEvent): void;
}

export interface ServeRunOptions {
  readonly checked: CheckedOptions;
  readonly profile: LoopProfile;
  readonly input: readonly EntryBody[];
  readonly signal: AbortSignal;
  /** Kept by the session from run to run. */
  readonly learnt: Learnt;
  abort(reason: AbortReason): void;
}

/** What the outside sees and says of a run while it works. */
export interface ServedRun {
  /** Messages that wait to join. */
  readonly steers: UserEntry[];
  takesSteers: boolean;
}

interface End {
  readonly reason: EndReason;
  readonly error?: BobbinError;
  readonly rounds: number;
  readonly usage: Usage;
}

const NOTHING_DONE = { rounds: 0, usage: {} } as const;

/** Never rejects; emits exactly one `end`, before the lock is released. */
export async function serveRun(
  deps: ServeRunDeps,
  options: ServeRunOptions,
  served: ServedRun,
): Promise<void> {
  const { signal, checked } = options;
  const startTicks = deps.clock.ticks();
  let began = false;
  let ended = false;
  const end = ({ reason, error, rounds, usage }: End): void => {
    // After `end` nothing can be reported any more: a release that fails is the locker's to log.
    if (ended) return;
    ended = true;
    served.takesSteers = false;
    if (error !== undefined) deps.emit({ kind: "error", error });
    deps.emit({ kind: "end", reason, rounds, usage, durationMs: deps.clock.ticks() - startTicks });
  };
  const lock = async (): Promise<void> => {
    const locked = await deps.locker.withLock(checked.id, { mode: "wait", signal }, async (lease) => {
      if (ended) return;
      began = true;
      end(await serveLocked(deps, options, served, lease));
    });
    if (locked.kind === "busy") throw new BobbinError("lock_failed", "the lock is held by another");
  };
  try {
    const locking = lock();
    const raced = await orAborted(locking, signal);
    // A locker that does not hear the signal must not hold the run: a body that begins later finds it ended.
    if (raced.kind === "aborted" && began) await locking;
    else if (raced.kind === "aborted")
      end(notLocked(signal, new BobbinError("lock_failed", "the lock was not free")));
    else if (raced.kind === "threw") throw raced.error;
  } catch (thrown) {
    end(began ? failed(thrown) : notLocked(signal, toBobbinError(thrown, "lock_failed")));
  }
}

function notLocked(signal: AbortSignal, error: BobbinError): End {
  if (!signal.aborted) return { reason: "error", error, ...NOTHING_DONE };
  const isTimeout = abortReasonOf(signal) === "timeout";
  return isTimeout ? { reason: "timeout", error, ...NOTHING_DONE } : { reason: "cancelled", ...NOTHING_DONE };
}

function failed(thrown: unknown): End {
  return { reason: "error", error: toBobbinError(thrown), ...NOTHING_DONE };
}

/** Answers the end once it is durable. */
async function serveLocked(
  deps: ServeRunDeps,
  options: ServeRunOptions,
  served: ServedRun,
  lease: Lease,
): Promise<End> {
  const lose = (): void => options.abort("lost");
  lease.signal.addEventListener("abort", lose, { once: true });
  try {
    const entries: ContextEntry[] = [...(await deps.log.read()), ...options.input.map((body) => ({ body }))];
    served.takesSteers = true;
    const outcome = await untilNobodyJoins(deps, options, served, lease, entries);
    if (!lease.isLive()) return lost(outcome.end);
    return await stored(deps, served, outcome.end, outcome.round);
  } catch (thrown) {
    return failed(thrown);
  } finally {
    lease.signal.removeEventListener("abort", lose);
  }
}

interface Looped {
  readonly end: End;
  readonly round?: RoundRecord;
}

async function untilNobodyJoins(
  deps: ServeRunDeps,
  options: ServeRunOptions,
  served: ServedRun,
  lease: Lease,
  entries: ContextEntry[],
): Promise<Looped> {
  const { checked, profile, signal, learnt } = options;
  const { requester, id: session } = checked;
  const input = { session, run: deps.newId(), learnt, ...(requester === undefined ? {} : { requester }) };
  const hooks = hooksOf(deps, served, lease, entries);
  let usage: Usage = {};
  let roundsDone = 0;
  for (;;) {
    const outcome = await runLoop(
      deps,
      profile,
      { ...input, entries: [...entries], roundsDone },
      hooks,
      signal,
    );
    if (outcome.kind === "left") {
      const gone = { reason: "cancelled", rounds: roundsDone, usage } as const;
      return { end: outcome.how === "lost" ? lost(gone) : gone };
    }
    usage = addUsage(usage, outcome.usage);
    roundsDone = outcome.rounds;
    // A blank last reply is not stored, so nobody could join after it.
    const mayGoOn = outcome.rounds < profile.limits.maxTurns;
    if (outcome.reason === "stop" && mayGoOn && served.steers.length > 0) {
      const joined = await joinThem(deps, served);
      entries.push(...joined);
      deps.emit({
        kind: "steer",
        messages: joined.flatMap(({ body }) => (body.kind === "user" ? [body] : [])),
      });
      continue;
    }
    const { reason, error, rounds, round } = outcome;
    const end = { reason, ...(error === undefined ? {} : { error }), rounds, usage };
    return round === undefined ? { end } : { end, round };
  }
}

function hooksOf(deps: ServeRunDeps, served: ServedRun, lease: Lease, entries: ContextEntry[]): LoopHooks {
  return {
    emit: (event) => deps.emit(event),
    isLive: () => lease.isLive(),
    isSteered: () => Promise.resolve(served.steers.length > 0),
    async commitRound(record): Promise<CommitAnswer> {
      if (!lease.isLive())
        throw new BobbinError("lease_lost", "the lock was lost before the round was stored");
      const stored = await deps.log.round(record);
      entries.push(...(stored.length > 0 ? stored : record.entries.map((body) => ({ body }))));
      if (record.state === "calls") return { stored, steered: [], stopped: false };
      const isFinal = record.entries.some((body) => body.kind === "assistant" && body.calls.length === 0);
      // In one step with the look: a message is either taken in now or refused.
      if (record.isLast || (isFinal && served.steers.length === 0)) served.takesSteers = false;
      if (record.isLast) return { stored, steered: [], stopped: false };
      const steered = await joinThem(deps, served);
      entries.push(...steered);
      return { stored, steered, stopped: false };
    },
  };
}

async function joinThem(deps: ServeRunDeps, served: ServedRun): Promise<readonly ContextEntry[]> {
  const messages = served.steers.splice(0);
  if (messages.length === 0) return [];
  const stored = await deps.log.joined(messages);
  return stored.length > 0 ? stored : messages.map((body) => ({ body }));
}

async function stored(
  deps: ServeRunDeps,
  served: ServedRun,
  end: End,
  round: RoundRecord | undefined,
): Promise<End> {
  served.takesSteers = false;
  try {
    // Taken in but not answered: the next run answers them.
    if (isCompleted(end.reason)) await joinThem(deps, served);
    const isStored = await deps.log.end(end.reason, round);
    if (isStored && round !== undefined) {
      deps.emit({ kind: "round", round: round.round, state: "done", entries: round.entries });
    }
    return end;
  } catch (thrown) {
    return { ...end, reason: "error", error: end.error ?? toBobbinError(thrown, "history_failed") };
  }
}

function lost(end: End): End {
  const error = new BobbinError("lease_lost", "the lock was lost while the run worked");
  return { ...end, reason: "error", error: end.error ?? error };
}
