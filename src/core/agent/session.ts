/** The agent as a library: a conversation under one id, kept in History, one run at a time. */

import { standardSpecs } from "./tool-specs.ts";
import type { Learnt } from "../context/gauge.ts";
import type { EntryBody, UserEntry } from "../entry.ts";
import type { RunEvent } from "../events.ts";
import type { History } from "../ports/history.ts";
import type { Locker } from "../ports/locker.ts";
import { cleanJson } from "../text.ts";
import { limitSignal, orAborted, type LimitedSignal } from "./abort.ts";
import { createEventStream } from "./event-stream.ts";
import type { LoopDeps, LoopProfile } from "./loop-types.ts";
import { createNoLog, createRunLog, type RunLog } from "./run-log.ts";
import { serveRun, type ServedRun } from "./serve-run.ts";
import {
  checkOptions,
  checkThinking,
  type CheckedOptions,
  type RunOptions,
  type SessionOptions,
} from "./session-options.ts";

export interface SessionDeps extends LoopDeps {
  readonly history: History;
  readonly locker: Locker;
}

/** What a person says: plain text, or an entry with author and parts. */
export type SessionInput = string | UserEntry;

export interface Session {
  readonly id: string;
  /** Equal for sessions that would treat a message alike: a hash of model, prompt, tools and limits. */
  readonly fingerprint: string;
  /** From the call of a run until its lock is released. */
  readonly isRunning: boolean;
  /**
   * Answers `input` with the history so far. The run begins at once, also when nobody reads. The events never throw and
   * end with exactly one `end`; breaking off cancels the run.
   * @throws RangeError when an option is wrong.
   */
  run(input: SessionInput, options?: RunOptions): AsyncIterable<RunEvent>;
  /**
   * Answers exactly these messages; History is neither read nor written (`drain` gives what was produced).
   * @throws RangeError when there is no message or an option is wrong.
   */
  runMessages(messages: readonly EntryBody[], options?: RunOptions): AsyncIterable<RunEvent>;
  /** Gives `input` to the run that works now, to be answered in it; false: there is none, or it has just given its answer. */
  steer(input: SessionInput): boolean;
  /**
   * Cancels every run of this object and waits at most `stopMs` for their clean end.
   * Answers whether all of them have ended. What is complete is stored as the end reason `cancelled` says.
   */
  stop(): Promise<boolean>;
}

interface ActiveRun extends ServedRun {
  readonly limit: LimitedSignal;
  readonly served: Promise<void>;
}

/**
 * Safe for concurrent use: runs of one id are serialised by the locker, also over several objects that share it.
 * @throws RangeError that names the option that is wrong.
 */
export function createSession(deps: SessionDeps, options: SessionOptions): Session {
  const checked = checkOptions(options);
  const active = new Set<ActiveRun>();
  const learnt: Learnt = {};

  const start = (
    input: readonly EntryBody[],
    given: RunOptions,
    openLog: (signal: AbortSignal) => RunLog,
  ): AsyncIterable<RunEvent> => {
    const profile = profileOf(checked, given);
    const limit = limitSignal(given.signal, deps.clock, checked.limits.runMs);
    const stream = createEventStream({ onBreak: () => limit.abort("stopped") });
    const served: ServedRun = { steers: [], takesSteers: false };
    const serving = serveRun(
      { ...deps, log: openLog(limit.signal), emit: (event) => stream.emit(event) },
      { checked, profile, input, signal: limit.signal, learnt, abort: (reason) => limit.abort(reason) },
      served,
    );
    const run: ActiveRun = Object.assign(served, {
      limit,
      served: serving.finally(() => {
        limit.close();
        active.delete(run);
      }),
    });
    active.add(run);
    return stream.events;
  };

  return {
    id: checked.id,
    fingerprint: deps.hash(
      JSON.stringify([
        checked.model,
        checked.system,
        standardSpecs(checked.tools),
        checked.tools.map((tool) => [tool.effect, tool.timeoutMs]),
        checked.temperature,
        checked.thinking,
        checked.caching,
        checked.limits,
      ]),
    ),
    get isRunning() {
      return active.size > 0;
    },
    run(input, given = {}) {
      const bodies = [entryOf(input)];
      const { id: session, persist, flushMs } = checked;
      return start(bodies, given, (signal) =>
        createRunLog(deps.history, deps.clock, { session, input: bodies, persist, signal, flushMs }),
      );
    },
    runMessages(messages, given = {}) {
      if (messages.length === 0) throw new RangeError("messages has to hold at least one message");
      const bodies = cleanJson(structuredClone(messages));
      return start(bodies, given, createNoLog);
    },
    steer(input) {
      const run = [...active].find(({ takesSteers }) => takesSteers);
      run?.steers.push(entryOf(input));
      return run !== undefined;
    },
    async stop() {
      const runs = [...active];
      for (const run of runs) run.limit.abort("stopped");
      const wait = limitSignal(undefined, deps.clock, checked.stopMs);
      const raced = await orAborted(Promise.all(runs.map((run) => run.served)), wait.signal);
      wait.close();
      return raced.kind === "value";
    },
  };
}

function entryOf(input: SessionInput): UserEntry {
  const entry: UserEntry =
    typeof input === "string" ? { v: 1, kind: "user", parts: [{ kind: "text", text: input }] } : input;
  return cleanJson(structuredClone(entry));
}

function profileOf(checked: CheckedOptions, given: RunOptions): LoopProfile {
  const { model, tools, gate, limits, temperature, caching } = checked;
  const thinking = given.thinking === undefined ? checked.thinking : checkThinking(given.thinking);
  return {
    model,
    system: [checked.system, given.systemSuffix ?? ""].filter((text) => text !== "").join("\n\n"),
    tools,
    gate,
    limits,
    ...(temperature === undefined ? {} : { temperature }),
    ...(thinking === undefined ? {} : { thinking }),
    caching,
  };
}
