// What a worker does, step by step, and what can happen to it.
import { commitRound, end, endWithAnswer, hasWork, isStopped, open, settled, type Wrong } from "./ledger.ts";
import { wake } from "./people.ts";
import type { Fault, Rules } from "./rules.ts";
import { copyOf, idleWorker, type State, type Worker, type WorkerId, type Write } from "./state.ts";
import type { Step } from "./step.ts";

const NAMES = ["A", "B"] as const;
const IN_RUN = new Set<Worker["next"]>(["answer", "end", "deliver", "again", "settle", "leave"]);

/** The steps of one worker: `queue/worker`, `core/run/serve-session`, `core/run/run-session`, `core/reply/writer`. */
export function* work(state: State, id: WorkerId, rules: Rules): Generator<Step> {
  const worker = state.workers[id];
  const step = (what: string, change: (next: State, worker: Worker) => Wrong | void): Step => {
    const next = copyOf(state);
    const wrong = change(next, next.workers[id]);
    return { name: `${NAMES[id]} ${what}`, next, ...(typeof wrong === "string" ? { wrong } : {}) };
  };
  if (worker.isDoomed) {
    yield step("notices that its lease is gone", (_, w) => {
      w.isLive = w.isDoomed = false;
    });
  }
  // `run-signal`: the lease's signal, or a `touch` that was refused (`hold`).
  const hasLost = !worker.isLive || (worker.isStale && rules.touch);
  if (hasLost && (worker.next === "answer" || worker.next === "end" || worker.next === "again")) {
    yield step("notices its loss", (_, w) => void (w.next = "leave"));
  }
  if (worker.write !== "none") {
    yield step("sees its write land", (next, w) => {
      const isFinal = w.write === "postFinal" || w.write === "editFinal";
      const stands = land(next, w.run, w.write, rules);
      w.knowsPage = true;
      w.write = "none";
      if (!stands || !isFinal || (w.next !== "deliver" && w.next !== "again")) return;
      const again = w.next === "deliver" && w.afterCrash && rules.settleAgain && !isQuiet(next, id, rules);
      w.next = again ? "again" : "settle";
    });
  }
  switch (worker.next) {
    /** `Worker` of BullMQ, then `Locker.withLock` with `try`. */
    case "take":
      if (!state.isWaking || state.job !== "none") return;
      yield step(
        isFree(state, rules) ? "takes job and lease" : "takes the job, finds the lease taken",
        (next, w) => {
          next.isWaking = false;
          next.job = id;
          w.hasJob = true;
          return lock(next, id, rules);
        },
      );
      return;
    case "open":
      yield step("opens", (next, w) => {
        if (w.isLive) return open(next, id, rules);
        w.next = "release";
        return undefined;
      });
      return;
    case "answer":
      yield* answer(state, id, rules, step);
      return;
    case "end":
      yield step(worker.ending === "stop" ? "ends the run" : "ends the run as cancelled", (next) =>
        end(next, id, rules),
      );
      return;
    case "deliver":
    case "again":
      yield* deliver(state, id, rules, step);
      return;
    case "settle":
      yield step("settles the reply", (next) => settled(next, id, rules));
      return;
    /** `RunStore.leave` after `writer.stop`. */
    case "leave":
      if (worker.write !== "none" && rules.leaveWaits) return;
      yield step("leaves the run", (next, w) => {
        if (!w.isStale) next.isUnended = rules.crashIsRemembered && w.afterCrash && !isQuiet(next, id, rules);
        if (w.write !== "none") next.late.push({ run: w.run, write: w.write });
        release(next, id);
      });
      return;
    case "release":
      yield step("gives the lease back", (next) => release(next, id));
      return;
    /** The look of `core/run/serve-session`. */
    case "look":
      yield step("looks again", (next, w) => {
        if (rules.look && hasWork(next)) return lock(next, id, rules);
        w.next = "finish";
        return undefined;
      });
      return;
    /** `#handOver` of `queue/worker`; a job that was lost is rung for instead. */
    case "handOver":
      yield step("hands the job over", (next, w) => {
        if (w.hasJob) {
          next.job = "none";
          next.isWaking = true;
        } else if (w.leaving === "job lost" || rules.handOverRings) wake(next, rules);
        next.workers[id] = idleWorker();
      });
      return;
    /** `moveToFinished` of BullMQ: what was kept becomes a job. */
    case "finish":
      yield step("is done with the job", (next, w) => {
        if (w.hasJob) {
          next.job = "none";
          next.isWaking = next.isKept;
          next.isKept = false;
        }
        next.workers[id] = idleWorker();
      });
      return;
    default:
      worker.next satisfies never;
  }
}

type MakeStep = (what: string, change: (next: State, worker: Worker) => Wrong | void) => Step;

/** `runLoop` while the model is asked: it answers, is cut by a stop or a shutdown, and its progress is shown. */
function* answer(state: State, id: WorkerId, rules: Rules, step: MakeStep): Generator<Step> {
  const worker = state.workers[id];
  if (worker.leaving !== "no") {
    yield step("is cut by its end", (_, w) => void (w.next = "leave"));
    return;
  }
  yield step("stores the model's answer", (next) => commitRound(next, id, rules));
  yield step("stores the model's answer with the end", (next) => endWithAnswer(next, id, rules));
  // `isStopped` asked after a signal: the ledger says whom the stop means.
  if (isStopped(state) && worker.run === state.run) {
    yield step("hears the stop", (_, w) => {
      w.ending = "cancelled";
      w.next = "end";
    });
  }
  if (worker.isLive && worker.write === "none" && !isFencedPost(worker, rules)) {
    yield step(
      "sends its progress",
      (next, w) => void (w.write = isPost(next, w) ? "postProgress" : "editProgress"),
    );
  }
}

/** The row of a page is written, fenced, before its post; a post that landed is found by its key (`posted-pages`). */
function isFencedPost(worker: Worker, rules: Rules): boolean {
  return !worker.knowsPage && worker.isStale && rules.fence;
}

function isPost(state: State, worker: Worker): boolean {
  return !worker.knowsPage && state.pages[worker.run - 1] === "none";
}

function isFree(state: State, rules: Rules): boolean {
  return state.lease === "none" || !rules.lease;
}

/** `Locker.withLock`; who finds the lease taken ends, since the holder looks again. */
function lock(state: State, id: WorkerId, rules: Rules): Wrong {
  const [worker, other] = [state.workers[id], state.workers[id === 0 ? 1 : 0]];
  if (!isFree(state, rules)) {
    worker.next = "finish";
    return undefined;
  }
  const isTaken = state.lease !== "none" && other.isLive && !other.isDoomed;
  state.lease = id;
  worker.isLive = true;
  worker.next = "open";
  return isTaken ? "two hold the session's lease" : undefined;
}

/** `finish` of `core/reply/writer`: one write in flight, none without a lease, and once more after a takeover. */
function* deliver(state: State, id: WorkerId, rules: Rules, step: MakeStep): Generator<Step> {
  const worker = state.workers[id];
  if (worker.write !== "none") return;
  if (worker.next === "again" && !isQuiet(state, id, rules)) return;
  const isLost = !worker.isLive || isFencedPost(worker, rules);
  if (isLost || worker.leaving !== "no")
    yield step("leaves the pages to another", (_, w) => void (w.next = "leave"));
  if (!isLost) {
    yield step(
      "sends the final page",
      (next, w) => void (w.write = isPost(next, w) ? "postFinal" : "editFinal"),
    );
  }
}

/**
 * `quietUntil`: a lease time after the claim nothing of an older attempt is under way, and none of them starts a write: that
 * Redis forgot its lease, or that another has claimed, it has noticed by then.
 */
function isQuiet(state: State, id: WorkerId, rules: Rules): boolean {
  const other = state.workers[id === 0 ? 1 : 0];
  const { run } = state.workers[id];
  if (state.late.some((late) => late.run === run)) return false;
  if (other.run !== run) return true;
  const isUnaware = (other.isDoomed && rules.deadline) || (other.isStale && other.isLive && rules.touch);
  return other.write === "none" && !isUnaware;
}

function release(state: State, id: WorkerId): void {
  const { hasJob, leaving } = state.workers[id];
  if (state.lease === id) state.lease = "none";
  state.workers[id] = { ...idleWorker(), hasJob, leaving, next: leaving === "no" ? "look" : "handOver" };
}

/** What the platform makes of a write. @returns whether the page now stands as it was written. */
export function land(state: State, run: number, write: Write, rules: Rules): boolean {
  const isPost = write === "postProgress" || write === "postFinal";
  const stands = state.pages[run - 1];
  if (isPost && stands !== "none") {
    if (!rules.keysMerge) state.pages[run - 1] = "twice";
    return false;
  }
  state.pages[run - 1] = write === "postFinal" || write === "editFinal" ? "final" : "progress";
  return true;
}

/** A write of a dead attempt arrives, or does not. */
export function* lateWrites(state: State, rules: Rules): Generator<Step> {
  for (const [index, { run, write }] of state.late.entries()) {
    const landed = copyOf(state);
    landed.late.splice(index, 1);
    const lost = copyOf(landed);
    land(landed, run, write, rules);
    const wrong = landed.pages[run - 1] === "twice" ? { wrong: "a page stands there twice" } : {};
    yield { name: "a write of a dead attempt lands", next: landed, ...wrong };
    yield { name: "a write of a dead attempt is lost", next: lost };
  }
}

/** What can happen to one worker. */
export function* trouble(state: State, id: WorkerId, fault: Fault, rules: Rules): Generator<Step> {
  const worker = state.workers[id];
  const next = copyOf(state);
  const mine = next.workers[id];
  switch (fault) {
    case "crash":
      if (worker.next === "take") return;
      if (worker.write !== "none") next.late.push({ run: worker.run, write: worker.write });
      if (next.job === id) next.job = "dead";
      if (next.lease === id) next.lease = "dead";
      next.workers[id] = idleWorker();
      yield { name: `${NAMES[id]} is killed`, next };
      return;
    case "pause":
      if (!worker.isLive || worker.isDoomed) return;
      if (next.lease === id) next.lease = "none";
      mine.isLive = mine.isDoomed = !rules.deadline;
      yield { name: `${NAMES[id]} is paused past its lease`, next };
      return;
    case "stall":
      if (next.job !== id || worker.next === "take") return;
      next.job = "none";
      next.isWaking = true;
      mine.hasJob = false;
      yield { name: `the job of ${NAMES[id]} is taken for stalled`, next };
      return;
    case "shutdown":
      if (worker.next === "take" || worker.leaving !== "no") return;
      mine.leaving = "shutdown";
      yield { name: `${NAMES[id]} is told to end`, next };
      return;
    case "flush":
    case "mute":
    case "gateway":
      return;
    default:
      fault satisfies never;
  }
}

/** What may follow from a fault, and need not. */
export function* mayFollow(state: State, id: WorkerId): Generator<Step> {
  const worker = state.workers[id];
  if (!IN_RUN.has(worker.next)) return;
  // A pause past the lease may be one past the job's lock.
  if ((!worker.isLive || worker.isDoomed) && worker.hasJob && state.job === id)
    yield* trouble(state, id, "stall", {} as Rules);
  // `lockRenewalFailed`: BullMQ tells that the job is somebody else's.
  if (!worker.hasJob && worker.leaving === "no") {
    const next = copyOf(state);
    next.workers[id].leaving = "job lost";
    yield { name: `${NAMES[id]} hears that its job is lost`, next };
  }
}
