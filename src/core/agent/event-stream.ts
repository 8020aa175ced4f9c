/** Events from a run to its reader: neither waits for the other, and what is read belongs to the reader. */

import { BobbinError } from "../errors.ts";
import type { RunEvent } from "../events.ts";

export interface EventStream {
  /** Never throws and never waits. What comes after `end`, or after the reader broke off, is dropped. */
  emit(event: RunEvent): void;
  /** For one reader. Ends after `end`. */
  readonly events: AsyncIterable<RunEvent>;
}

export interface EventStreamOptions {
  /** Called once when the reader breaks off before `end`. */
  readonly onBreak?: () => void;
  /** Events that may wait unread before deltas are merged across others. Default 256. */
  readonly capacity?: number;
}

type Delta = Extract<RunEvent, { kind: "text" | "thinking" | "tool_input" | "tool_progress" }>;

/**
 * Deltas that wait unread are merged with the one before them; above the capacity also with an older one of their kind,
 * as long as nothing but deltas lies between. So what waits is bounded by the rounds and calls of a run, not by its deltas.
 */
export function createEventStream(options: EventStreamOptions = {}): EventStream {
  const { capacity = 256, onBreak = () => {} } = options;
  const waiting: RunEvent[] = [];
  let wake: (() => void) | undefined;
  let isOver = false;
  let isTaken = false;

  const merged = (delta: Delta): boolean => {
    for (let index = waiting.length - 1; index >= 0; index--) {
      const earlier = waiting[index];
      if (earlier === undefined || !isDelta(earlier)) return false;
      const joined = join(earlier, delta);
      if (joined !== undefined) {
        waiting[index] = joined;
        return true;
      }
      if (waiting.length < capacity) return false;
    }
    return false;
  };

  const breakOff = (): IteratorResult<RunEvent> => {
    if (!isOver) {
      isOver = true;
      onBreak();
    }
    waiting.length = 0;
    wake?.();
    return { done: true, value: undefined };
  };

  const iterator: AsyncIterator<RunEvent> = {
    async next() {
      for (;;) {
        const event = waiting.shift();
        if (event !== undefined) return { done: false, value: event };
        if (isOver) return { done: true, value: undefined };
        await new Promise<void>((resolve) => {
          const earlier = wake;
          wake = () => {
            earlier?.();
            resolve();
          };
        });
      }
    },
    return: () => Promise.resolve(breakOff()),
  };

  return {
    emit(event) {
      if (isOver) return;
      if (!isDelta(event) || !merged(event)) waiting.push(copyOf(event));
      if (event.kind === "end") isOver = true;
      const woken = wake;
      wake = undefined;
      woken?.();
    },
    events: {
      [Symbol.asyncIterator]() {
        if (isTaken) throw new TypeError("these events have a reader already: use tee(events) for two");
        isTaken = true;
        return iterator;
      },
    },
  };
}

/**
 * Two readers of one run, each at its own pace and with its own copies. One that breaks off leaves the other reading; the
 * run is cancelled when both have.
 */
export function tee(events: AsyncIterable<RunEvent>): [AsyncIterable<RunEvent>, AsyncIterable<RunEvent>] {
  let readers = 2;
  let iterator: AsyncIterator<RunEvent> | undefined;
  const onBreak = (): void => {
    readers -= 1;
    if (readers > 0) return;
    iterator ??= events[Symbol.asyncIterator]();
    iterator.return?.().catch(() => {});
  };
  const branches = [createEventStream({ onBreak }), createEventStream({ onBreak })] as const;
  const pump = async (source: AsyncIterator<RunEvent>): Promise<void> => {
    for (;;) {
      const next = await source.next();
      if (next.done === true) return;
      for (const branch of branches) branch.emit(next.value);
    }
  };
  const start = (): void => {
    if (iterator !== undefined) return;
    iterator = events[Symbol.asyncIterator]();
    // The events of a run never throw; those of another source may, and then both readers must not wait for ever.
    pump(iterator).catch((error: unknown) => {
      const failure =
        error instanceof BobbinError ? error : new BobbinError("panic", "the events broke", { cause: error });
      for (const branch of branches) {
        branch.emit({ kind: "error", error: failure });
        branch.emit({ kind: "end", reason: "error", rounds: 0, usage: {}, durationMs: 0 });
      }
    });
  };
  const started = (branch: EventStream): AsyncIterable<RunEvent> => ({
    [Symbol.asyncIterator]() {
      start();
      return branch.events[Symbol.asyncIterator]();
    },
  });
  return [started(branches[0]), started(branches[1])];
}

/** A deep copy; an error stays one of ours, with its own facts. */
export function copyOf(event: RunEvent): RunEvent {
  if (isDelta(event)) return { ...event };
  if (event.kind !== "error") return structuredClone(event);
  const { code, message, retryable, facts, cause, stack } = event.error;
  const error = new BobbinError(code, message, { retryable, facts: { ...facts }, cause });
  if (stack !== undefined) error.stack = stack;
  return { kind: "error", error };
}

function isDelta(event: RunEvent): event is Delta {
  const { kind } = event;
  return kind === "text" || kind === "thinking" || kind === "tool_input" || kind === "tool_progress";
}

function join(earlier: Delta, later: Delta): Delta | undefined {
  if ("call" in earlier && "call" in later && earlier.call !== later.call) return undefined;
  if (earlier.kind !== later.kind) return undefined;
  // Each line of progress replaces the one before it.
  return later.kind === "tool_progress" ? { ...later } : { ...earlier, text: earlier.text + later.text };
}
