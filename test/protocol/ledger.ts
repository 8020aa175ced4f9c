// What the statements of the store do to the ledger. Each returns what must never be, where it happened.
import type { Rules } from "./rules.ts";
import type { State, WorkerId } from "./state.ts";

export type Wrong = string | undefined;

const all = (state: State): number[] => state.messages.map((_, index) => index);
const waiting = (state: State): number[] => all(state).filter((index) => state.messages[index] === "waiting");
const admitted = (state: State): number[] =>
  all(state).filter((index) => state.messages[index] === "admitted");
const maskOf = (indexes: readonly number[]): number =>
  indexes.reduce((mask, index) => mask | (1 << index), 0);

/** `Work.hasWork` (`postgres/work`). */
export function hasWork(state: State): boolean {
  return state.reply !== "none" || state.messages.includes("waiting");
}

/** `isStopped` of `postgres/ledger-sql`: the stop is newer than everything that the run admitted. */
export function isStopped(state: State): boolean {
  return state.reply === "open" && state.stopAt > Math.max(...admitted(state));
}

/** `Inbox.put` of a stop (`STOP` of `postgres/inbox`): one statement under the session's row. */
export function putStop(state: State): void {
  // Where no session lies there is nothing to stop, and a message that is just being stored was sent beside the stop.
  const isKnown = state.messages.some((message) => message !== "unsent" && message !== "drawn");
  state.stopAt = isKnown ? state.messages.filter((message) => message !== "unsent").length : 0;
  state.saidBefore = state.stopAt;
  state.stop = "stored";
  drop(state);
}

/** `RunStore.open` (`OPEN` of `postgres/open-run`). Answers whether the session was claimed. */
export function open(state: State, id: WorkerId, rules: Rules): Wrong {
  const worker = state.workers[id];
  if (rules.dropAtOpen) drop(state);
  if (state.reply === "settling" && rules.settlingFirst) {
    claim(state, id);
    worker.next = "deliver";
    return undefined;
  }
  if (state.reply === "open") {
    claim(state, id);
    return goOn(state, id, rules);
  }
  const live = waiting(state);
  if (live.length === 0) {
    worker.next = "release";
    return undefined;
  }
  state.run += 1;
  state.pages.push("none");
  state.reply = "open";
  state.answered = 0;
  claim(state, id);
  worker.next = "answer";
  return admit(state, id, live);
}

/** A run that an attempt before has begun (`resume` of `core/agent/resume`, `stoppedBeforeItBegan`). */
function goOn(state: State, id: WorkerId, rules: Rules): Wrong {
  const worker = state.workers[id];
  worker.seen = maskOf(admitted(state));
  const stopped = isStopped(state);
  if (stopped && rules.stopAtOpen) {
    worker.ending = "cancelled";
    worker.next = "end";
    return undefined;
  }
  const isAnswered = (worker.seen & ~state.answered) === 0;
  worker.next = isAnswered && rules.resume ? "end" : "answer";
  return stopped && worker.next === "answer" ? "a stopped run asks the model" : undefined;
}

/** The fence is raised, and who held it before is told of it by its next write. */
function claim(state: State, id: WorkerId): void {
  const [worker, other] = [state.workers[id], state.workers[id === 0 ? 1 : 0]];
  if (other.run !== 0) other.isStale = true;
  worker.run = state.run;
  worker.isStale = false;
  // The rows say it, or the post is found by its key.
  worker.knowsPage = state.pages[state.run - 1] !== "none";
  worker.afterCrash = state.isUnended;
  state.isUnended = true;
}

/** `RunStore.commitRound` (`COMMIT` of `postgres/commit-round`, `finishRound` of `core/agent/round`). */
export function commitRound(state: State, id: WorkerId, rules: Rules): Wrong {
  const worker = state.workers[id];
  if (isRefused(state, id, rules)) return undefined;
  let wrong: Wrong = worker.isStale ? "a write of an older attempt was taken" : undefined;
  if ((worker.seen & ~state.answered) === 0) wrong ??= "the same messages were answered twice";
  state.answered |= worker.seen;
  const stopped = isStopped(state);
  if (rules.dropAtCommit) drop(state);
  const joined = stopped && rules.stopAtCommit ? [] : waiting(state);
  wrong ??= admit(state, id, joined);
  if (stopped && joined.length > 0) wrong ??= "a stopped run takes messages in";
  worker.ending = stopped && rules.stopAtCommit ? "cancelled" : "stop";
  worker.next = joined.length > 0 ? "answer" : "end";
  return wrong;
}

/** `RunStore.end` (`END` of `postgres/end-run`). */
export function end(state: State, id: WorkerId, rules: Rules): Wrong {
  const worker = state.workers[id];
  if (isRefused(state, id, rules)) return undefined;
  let wrong: Wrong = worker.isStale ? "a write of an older attempt was taken" : undefined;
  const stopped = isStopped(state);
  if (rules.dropAtEnd) drop(state);
  const joined = waiting(state);
  if (worker.ending === "stop" && !stopped && joined.length > 0) {
    if (rules.endTakesIn) {
      wrong ??= admit(state, id, joined);
      worker.next = "answer";
      return wrong;
    }
    wrong ??= "what was written before the end was not taken in";
  }
  if (worker.ending === "cancelled" && !stopped) wrong ??= "a run was cancelled that no stop was meant for";
  for (const index of admitted(state)) {
    state.messages[index] = worker.ending === "stop" ? "answered" : "cancelled";
    if (worker.ending === "stop" && (state.answered & (1 << index)) === 0)
      wrong ??= "answered without an answer";
  }
  state.reply = "settling";
  state.answered = 0;
  if (!rules.attemptLasts) state.isUnended = false;
  worker.next = "deliver";
  return wrong;
}

/** The same with the run's last round (`storeEnd` of `core/run`). */
export function endWithAnswer(state: State, id: WorkerId, rules: Rules): Wrong {
  const worker = state.workers[id];
  if (isRefused(state, id, rules)) return undefined;
  if (isStopped(state) && rules.stopAtCommit) {
    worker.ending = "cancelled";
    worker.next = "end";
    return undefined;
  }
  const isTwice = (worker.seen & ~state.answered) === 0;
  state.answered |= worker.seen;
  worker.ending = "stop";
  return end(state, id, rules) ?? (isTwice ? "the same messages were answered twice" : undefined);
}

/** `RunStore.settled`. */
export function settled(state: State, id: WorkerId, rules: Rules): Wrong {
  const worker = state.workers[id];
  if (worker.isStale && rules.fence) {
    worker.next = "leave";
    return undefined;
  }
  if (state.reply === "settling" && worker.run === state.run) state.reply = "none";
  if (!worker.isStale) state.isUnended = false;
  worker.next = "release";
  return worker.isStale ? "a write of an older attempt was taken" : undefined;
}

/** `judgeHeld` of `postgres/fenced`: another attempt is newer, or the run has ended. */
function isRefused(state: State, id: WorkerId, rules: Rules): boolean {
  const worker = state.workers[id];
  const refused = (worker.isStale && rules.fence) || state.reply !== "open" || worker.run !== state.run;
  if (refused) worker.next = "leave";
  return refused;
}

function admit(state: State, id: WorkerId, indexes: readonly number[]): Wrong {
  for (const index of indexes) state.messages[index] = "admitted";
  state.workers[id].seen |= maskOf(indexes);
  const isBelow = indexes.some((index) => index < state.saidBefore);
  return isBelow ? "a message from before the stop was taken in after it" : undefined;
}

/** `isDropped` of `postgres/ledger-sql`. */
function drop(state: State): void {
  for (const index of waiting(state)) if (index < state.stopAt) state.messages[index] = "cancelled";
}
