// What happens outside of the workers: people, the processes that take messages in, the queue, Redis, the sweeper.
import { hasWork, putStop } from "./ledger.ts";
import type { Rules } from "./rules.ts";
import { copyOf, type Setting, type State, type WorkerId } from "./state.ts";
import type { Step } from "./step.ts";

/** `RunQueue.wake` over BullMQ (`queue/run-queue`): merged with a job that waits, kept while one is active. */
export function wake(state: State, rules: Rules): void {
  if (state.isWaking) return;
  if (state.job === "none") state.isWaking = true;
  else if (rules.keepsWake) state.isKept = true;
}

/** `Intake.receive` (`core/run/intake`): a position is drawn, the row is seen, the bell is rung, the platform is told. */
export function* person(state: State, setting: Setting, rules: Rules): Generator<Step> {
  for (const [at, message] of state.messages.entries()) {
    const isNext =
      at === 0 || (setting.isParallel ? state.messages[at - 1] !== "unsent" : isRung(state, at - 1));
    if (!isNext) return;
    const next = copyOf(state);
    if (message === "unsent") {
      next.messages[at] = "drawn";
      if (!rules.storeBeforeAck) next.rung |= 1 << at;
      if (!rules.storeBeforeWake) wake(next, rules);
      // The position matters only to a stop that comes before the row is seen.
      const isSeen = state.stop === "told" && rules.storeBeforeAck && rules.storeBeforeWake;
      // Of these only what comes again was said before the stop.
      const isLate = rules.stopHasTime && at < state.saidBefore;
      if (isLate) next.messages[at] = "cancelled";
      else if (isSeen) next.messages[at] = "waiting";
      yield { name: `message ${at + 1} ${isLate || isSeen ? "is stored" : "arrives"}`, next };
    } else if (message === "drawn") {
      next.messages[at] = "waiting";
      if (!rules.storeBeforeAck) wake(next, rules);
      if (!rules.storeBeforeWake) next.rung |= 1 << at;
      yield { name: `message ${at + 1} is stored`, next };
    } else if (!isRung(state, at)) {
      next.rung |= 1 << at;
      wake(next, rules);
      yield { name: `the bell is rung for message ${at + 1}`, next };
    }
  }
}

function isRung(state: State, at: number): boolean {
  return (state.rung & (1 << at)) !== 0;
}

/** The stop of a person: stored, then told to whoever runs, then rung for (`core/run/intake`, `core/run/run-signal`). */
export function* stop(state: State, rules: Rules): Generator<Step> {
  if (state.stop === "told") return;
  const next = copyOf(state);
  if (state.stop === "not yet") {
    putStop(next);
    // Told in the same step where that makes no difference: who hears it looks at the ledger.
    if (rules.stopIsPosition) {
      next.stop = "told";
      wake(next, rules);
    }
    yield { name: "a stop is stored", next };
    return;
  }
  next.stop = "told";
  wake(next, rules);
  if (!rules.stopIsPosition) {
    for (const worker of next.workers) {
      if (worker.next !== "answer") continue;
      worker.ending = "cancelled";
      worker.next = "end";
    }
  }
  yield { name: "the stop is told", next };
}

/** `core/run/sweeper` over `Work.due`: rings for what nobody has touched. */
export function* sweep(state: State, rules: Rules): Generator<Step> {
  if (!rules.sweeper || !hasWork(state) || state.isWaking || state.isKept) return;
  if (state.workers.some((worker) => worker.run !== 0 && worker.isLive && !worker.isStale)) return;
  const next = copyOf(state);
  wake(next, rules);
  yield { name: "the sweeper rings", next };
}

/** What the death of a worker ends by itself: its lease, and then its job's lock (`queue/lock-times`). */
export function* timeouts(state: State, rules: Rules): Generator<Step> {
  if (state.lease === "dead") {
    const next = copyOf(state);
    next.lease = "none";
    yield { name: "the dead worker's lease runs out", next };
  }
  if (state.job === "dead" && (state.lease !== "dead" || !rules.leaseIsShorter)) {
    const next = copyOf(state);
    next.job = "none";
    next.isWaking = true;
    yield { name: "the dead worker's job is taken for stalled", next };
  }
}

/** Redis is emptied: no wake, no job, no lease. Who held them notices within a lease time. */
export function flush(state: State): Step {
  const next = copyOf(state);
  Object.assign(next, { isWaking: false, isKept: false, job: "none", lease: "none" });
  for (const id of [0, 1] satisfies WorkerId[]) {
    const worker = next.workers[id];
    worker.hasJob = false;
    worker.isDoomed = worker.isLive;
  }
  return { name: "Redis is emptied", next };
}

/** The bell cannot be rung; the platform is told all the same. */
export function* mute(state: State): Generator<Step> {
  for (const [at, message] of state.messages.entries()) {
    if (message === "unsent" || message === "drawn" || isRung(state, at)) continue;
    const next = copyOf(state);
    next.rung |= 1 << at;
    yield { name: `the bell cannot be rung for message ${at + 1}`, next };
  }
}

/** A process that takes messages in is killed before it stored one: the platform sends it again, if it was not told. */
export function* gateway(state: State, rules: Rules): Generator<Step> {
  const at = state.messages.indexOf("drawn");
  if (at === -1) return;
  const next = copyOf(state);
  next.messages[at] = rules.storeBeforeAck ? "unsent" : "lost";
  // It draws another position when it comes again.
  if (state.stopAt === at + 1) next.stopAt = at;
  const wrong = rules.storeBeforeAck ? {} : { wrong: "a message was acknowledged and never stored" };
  yield { name: `the gateway is killed with message ${at + 1}`, next, ...wrong };
}
