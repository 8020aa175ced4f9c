/** What a run of the library adds to History, and when: at its end, or round by round. */

import type { ContextEntry, EntryBody, UserEntry } from "../entry.ts";
import { BobbinError } from "../errors.ts";
import type { EndReason } from "../events.ts";
import type { Clock } from "../ports/clock.ts";
import type { History } from "../ports/history.ts";
import type { RoundRecord } from "../round.ts";
import { orAborted } from "./abort.ts";

export interface RunLog {
  read(): Promise<readonly ContextEntry[]>;
  /** The entries as stored; empty while they are only kept. */
  round(record: RoundRecord): Promise<readonly ContextEntry[]>;
  joined(messages: readonly UserEntry[]): Promise<readonly ContextEntry[]>;
  /** Makes durable what the end reason keeps. Answers whether `last` was stored. */
  end(reason: EndReason, last: RoundRecord | undefined): Promise<boolean>;
}

export interface RunLogOptions {
  readonly session: string;
  /** The messages that the run answers; stored with its first round. */
  readonly input: readonly EntryBody[];
  readonly persist: "run" | "round";
  /** Once it aborts, each read and write has `flushMs` to settle. */
  readonly signal: AbortSignal;
  readonly flushMs: number;
}

/** Whether a run with this reason was completed: with `persist: "run"` only then anything is stored. */
export function isCompleted(reason: EndReason): boolean {
  switch (reason) {
    case "stop":
    case "max_turns":
    case "max_tokens":
    case "stuck":
    case "waiting":
      return true;
    case "no_speech":
    case "cancelled":
    case "timeout":
    case "error":
      return false;
    default:
      return reason satisfies never;
  }
}

/** Every method rejects with `history_failed` when History does not do its part. */
export function createRunLog(history: History, clock: Clock, options: RunLogOptions): RunLog {
  const { session, persist, signal, flushMs } = options;
  const kept: EntryBody[] = [...options.input];

  /** Answers the entries of `kept`; what was appended once is never appended again. */
  const flush = async (): Promise<readonly ContextEntry[]> => {
    const bodies = kept.splice(0);
    return bodies.length === 0 ? [] : bounded(async () => history.append(session, bodies));
  };

  async function bounded<T>(work: () => Promise<T>): Promise<T> {
    const overdue = new AbortController();
    let cancel = (): void => {};
    const startDeadline = (): void => {
      cancel = clock.after(flushMs, () => overdue.abort());
    };
    if (signal.aborted) startDeadline();
    else signal.addEventListener("abort", startDeadline, { once: true });
    const raced = await orAborted(work(), overdue.signal);
    signal.removeEventListener("abort", startDeadline);
    cancel();
    if (raced.kind === "value") return raced.value;
    if (raced.kind === "aborted")
      throw new BobbinError("history_failed", `History took longer than ${flushMs} ms`);
    throw new BobbinError("history_failed", messageOf(raced.error), { cause: raced.error });
  }

  const add = async (bodies: readonly EntryBody[]): Promise<readonly ContextEntry[]> => {
    kept.push(...structuredClone(bodies));
    if (persist === "run") return [];
    const stored = await flush();
    return stored.slice(stored.length - bodies.length);
  };

  return {
    read: async () => bounded(async () => history.read(session)),
    round: (record) => add(record.entries),
    joined: (messages) => add(messages),
    async end(reason, last) {
      if (persist === "run") {
        if (isCompleted(reason)) await flush();
        return false;
      }
      // A completed run without a stored round has answered its input with nothing: the input is kept.
      if (reason !== "cancelled" && reason !== "timeout" && !isCompleted(reason)) return false;
      if (last !== undefined) kept.push(...structuredClone(last.entries));
      if (last !== undefined || isCompleted(reason)) await flush();
      return last !== undefined;
    },
  };
}

/** For `runMessages`: the caller owns the log. */
export function createNoLog(): RunLog {
  return {
    read: () => Promise.resolve([]),
    round: () => Promise.resolve([]),
    joined: () => Promise.resolve([]),
    end: () => Promise.resolve(false),
  };
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
