// Everything that the protocol remembers, as small as it can be and still go wrong.
// Fences are one bit: whoever is not the newest never becomes so again. Positions are the numbers of the messages.
import type { Fault } from "./rules.ts";

/** `drawn`: its position is taken, and nobody sees it yet. `lost`: acknowledged and never stored. */
export type Message = "unsent" | "drawn" | "waiting" | "admitted" | "answered" | "cancelled" | "lost";
/** What stands on the one page of a run. */
export type Page = "none" | "progress" | "final" | "twice";
/** A write to the platform that was sent. `post`: whoever sent it knew of no message there. */
export type Write = "none" | "postProgress" | "postFinal" | "editProgress" | "editFinal";

/** What a worker does next, each one atomic step. */
export type Next =
  | "take" // idle: a job, and the lease
  | "open"
  | "answer" // the model is asked; its answer is stored
  | "end"
  | "deliver" // its final page
  | "again" // its final page once more, when older writes cannot land any more
  | "settle"
  | "leave" // the run is left to another attempt
  | "release"
  | "look"
  | "handOver" // the job is given back
  | "finish"; // the job is done

export interface Worker {
  next: Next;
  /** Its own clock says that the lease holds. */
  isLive: boolean;
  /** Redis has forgotten the lease, which the worker will notice within a lease time. */
  isDoomed: boolean;
  /** Another claim came after its own. */
  isStale: boolean;
  /** The queue knows it as the one that serves the job. */
  hasJob: boolean;
  /** Whether it gives the session back as soon as it can, and why. */
  leaving: "no" | "shutdown" | "job lost";
  run: number;
  /** Messages that its model reads. */
  seen: number;
  ending: "stop" | "cancelled";
  /** The attempt before said nothing when it ended. */
  afterCrash: boolean;
  /** The id of the page's message. */
  knowsPage: boolean;
  write: Write;
}

export interface State {
  readonly messages: Message[];
  /** Messages whose bell was rung, and that the platform was told of. */
  rung: number;
  /** Of the stop: not yet, stored, told. */
  stop: "not yet" | "stored" | "told";
  /** How many messages have a position below the stop. */
  stopAt: number;
  /** How many were said before it. */
  saidBefore: number;
  /** Number of the newest run; 0 before the first. */
  run: number;
  reply: "none" | "open" | "settling";
  /** Messages whose answer is stored, of the run that is open. */
  answered: number;
  /** The newest attempt has not said how it ended. */
  isUnended: boolean;
  readonly pages: Page[];
  /** Writes of dead attempts that are still on their way. */
  readonly late: { readonly run: number; readonly write: Write }[];
  isWaking: boolean;
  /** A wake that is kept until the active job ends. */
  isKept: boolean;
  /** Who serves the job; `dead`: a killed worker, as far as the queue knows. */
  job: Holder;
  lease: Holder;
  readonly workers: [Worker, Worker];
  /** How many faults may still happen. */
  faults: number;
}

export type Holder = "none" | "dead" | 0 | 1;
export type WorkerId = 0 | 1;

export interface Setting {
  readonly messages: number;
  readonly hasStop: boolean;
  /** Messages are taken in beside each other, as by two gateways; else one after the other. */
  readonly isParallel?: boolean;
  readonly faults: readonly Fault[];
  /** How many faults happen at most. */
  readonly atMost: number;
}

export function idleWorker(): Worker {
  return {
    next: "take",
    isLive: false,
    isDoomed: false,
    isStale: false,
    hasJob: false,
    leaving: "no",
    run: 0,
    seen: 0,
    ending: "stop",
    afterCrash: false,
    knowsPage: false,
    write: "none",
  };
}

export function initialState(setting: Setting): State {
  return {
    messages: Array.from({ length: setting.messages }, () => "unsent"),
    rung: 0,
    stop: setting.hasStop ? "not yet" : "told",
    stopAt: 0,
    saidBefore: 0,
    run: 0,
    reply: "none",
    answered: 0,
    isUnended: false,
    pages: [],
    late: [],
    isWaking: false,
    isKept: false,
    job: "none",
    lease: "none",
    workers: [idleWorker(), idleWorker()],
    faults: setting.atMost,
  };
}

export function copyOf(state: State): State {
  return {
    ...state,
    messages: [...state.messages],
    pages: [...state.pages],
    late: [...state.late],
    workers: [{ ...state.workers[0] }, { ...state.workers[1] }],
  };
}

const letter = (word: string): string => word.charAt(0);
const bit = (is: boolean): string => (is ? "1" : "0");
const WRITES = { none: "-", postProgress: "p", postFinal: "f", editProgress: "P", editFinal: "F" } as const;
const NEXT: Readonly<Record<Next, string>> = {
  take: "t",
  open: "o",
  answer: "a",
  end: "e",
  deliver: "d",
  again: "g",
  settle: "s",
  leave: "v",
  release: "r",
  look: "k",
  handOver: "h",
  finish: "f",
};
const MESSAGES: Readonly<Record<Message, string>> = {
  unsent: "u",
  drawn: "d",
  waiting: "w",
  admitted: "a",
  answered: "A",
  cancelled: "c",
  lost: "l",
};

/** The same text for states that differ only in which worker is which. */
export function keyOf(state: State): string {
  const [a, b] = [workerKey(state, 0), workerKey(state, 1)];
  let key = a < b ? a + b : b + a;
  for (const message of state.messages) key += MESSAGES[message];
  key += `${state.rung}${letter(state.stop)}${state.stopAt}${state.saidBefore}${state.run}${letter(state.reply)}`;
  key +=
    String.fromCharCode(48 + state.answered) + bit(state.isUnended) + bit(state.isWaking) + bit(state.isKept);
  key += (state.job === "dead" ? "x" : "-") + (state.lease === "dead" ? "x" : "-") + state.faults;
  for (const page of state.pages) key += letter(page);
  const late = state.late.map(({ run, write }) => run + WRITES[write]);
  return key + (late.length > 1 ? late.sort().join("") : (late[0] ?? ""));
}

function workerKey(state: State, id: WorkerId): string {
  const w = state.workers[id];
  const flags =
    (w.isLive ? 1 : 0) |
    (w.isDoomed ? 2 : 0) |
    (w.isStale ? 4 : 0) |
    (w.hasJob ? 8 : 0) |
    (w.afterCrash ? 16 : 0) |
    (w.knowsPage ? 32 : 0);
  const more =
    (w.ending === "stop" ? 0 : 1) |
    (state.job === id ? 2 : 0) |
    (state.lease === id ? 4 : 0) |
    (w.leaving === "no" ? 0 : w.leaving === "shutdown" ? 8 : 16);
  return NEXT[w.next] + String.fromCharCode(48 + flags, 48 + more, 48 + w.seen, 48 + w.run) + WRITES[w.write];
}
