// Everything that a session or a bare loop of the agent core needs, with time in the test's hand.
import { createHash } from "node:crypto";
import { DEFAULT_LIMITS } from "../../src/core/agent/limits.ts";
import { createLocalLocker } from "../../src/core/agent/local-locker.ts";
import { createMemoryHistory } from "../../src/core/agent/memory-history.ts";
import type {
  CommitAnswer,
  Limits,
  LoopHooks,
  LoopOutcome,
  LoopProfile,
} from "../../src/core/agent/loop-types.ts";
import { runLoop } from "../../src/core/agent/loop.ts";
import type { SessionOptions } from "../../src/core/agent/session-options.ts";
import { createSession, type Session, type SessionDeps } from "../../src/core/agent/session.ts";
import { allowAll, type Effect, type Tool } from "../../src/core/agent/tool.ts";
import type { Learnt } from "../../src/core/context/gauge.ts";
import type { ContextEntry, EntryBody, UserEntry } from "../../src/core/entry.ts";
import type { RunEvent } from "../../src/core/events.ts";
import type { RunId } from "../../src/core/ids.ts";
import type { ModelMessage, ModelRequest } from "../../src/core/ports/model.ts";
import type { RoundRecord } from "../../src/core/round.ts";
import { manualClock, type ManualClock } from "./manual-clock.ts";
import { scriptedModel, scriptedRecord, type ScriptedModel, type ScriptedStep } from "./scripted-model.ts";

export interface Ports extends SessionDeps {
  readonly model: ScriptedModel;
  readonly clock: ManualClock;
}

export function ports(...steps: readonly ScriptedStep[]): Ports {
  let ids = 0;
  return {
    model: scriptedModel(...steps),
    clock: manualClock(),
    newId: () => `id${++ids}`,
    hash: (text) => createHash("sha256").update(text).digest("hex"),
    history: createMemoryHistory(),
    locker: createLocalLocker(),
  };
}

export function sessionOver(deps: SessionDeps, options: Partial<SessionOptions> = {}): Session {
  return createSession(deps, { id: "s1", model: scriptedRecord, ...options });
}

export interface ToolOptions {
  readonly effect?: Effect;
  readonly timeoutMs?: number;
  parse?(value: unknown): unknown;
}

/** A tool that takes anything; by default one that only reads. */
export function tool(name: string, run: Tool["run"] | string, options: ToolOptions = {}): Tool {
  const { effect = "read", timeoutMs, parse = (value) => value } = options;
  return {
    name,
    description: `the tool ${name}`,
    schema: { type: "object" },
    effect,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    parse,
    run: typeof run === "string" ? () => Promise.resolve(run) : run,
  };
}

export interface LoopCase {
  readonly tools?: readonly Tool[];
  readonly limits?: Partial<Limits>;
  readonly profile?: Partial<LoopProfile>;
  readonly entries?: readonly ContextEntry[];
  readonly roundsDone?: number;
  readonly learnt?: Learnt;
  /** Answers that differ from "stored, nobody joins". */
  onCommit?(record: RoundRecord): Partial<CommitAnswer> | undefined;
  isLive?(): boolean;
  isSteered?(): Promise<boolean>;
  isLeaving?(): boolean;
  readonly signal?: AbortSignal;
}

export interface LoopRun {
  readonly outcome: Promise<LoopOutcome>;
  readonly events: readonly RunEvent[];
  readonly commits: readonly RoundRecord[];
}

/** The bare loop over a store that keeps everything: entries are numbered from 100. */
export function startLoop(deps: Ports, given: LoopCase = {}): LoopRun {
  const events: RunEvent[] = [];
  const commits: RoundRecord[] = [];
  let seq = 100;
  const hooks: LoopHooks = {
    emit: (event) => void events.push(event),
    isLive: given.isLive ?? (() => true),
    ...(given.isSteered === undefined ? {} : { isSteered: given.isSteered }),
    ...(given.isLeaving === undefined ? {} : { isLeaving: given.isLeaving }),
    async commitRound(record) {
      commits.push(record);
      const stored = record.entries.map((body) => ({ seq: seq++, run: RUN, round: record.round, body }));
      return { stored, steered: [], stopped: false, ...given.onCommit?.(record) };
    },
  };
  const profile: LoopProfile = {
    model: scriptedRecord,
    system: "You are a test.",
    tools: given.tools ?? [],
    gate: allowAll,
    limits: { ...DEFAULT_LIMITS, ...given.limits },
    caching: true,
    ...given.profile,
  };
  const input = {
    session: "s1",
    run: RUN,
    entries: given.entries ?? [stored(1, user("hello"))],
    roundsDone: given.roundsDone ?? 0,
    ...(given.learnt === undefined ? {} : { learnt: given.learnt }),
  };
  const outcome = runLoop(deps, profile, input, hooks, given.signal ?? new AbortController().signal);
  return { outcome, events, commits };
}

export const RUN = "run1" as RunId;

export function stored(seq: number, body: EntryBody, round = 0): ContextEntry {
  return { seq, run: RUN, round, body };
}

export function user(text: string, name?: string): UserEntry {
  return {
    v: 1,
    kind: "user",
    ...(name === undefined ? {} : { author: { id: `U-${name}`, name } }),
    parts: [{ kind: "text", text }],
  };
}

export function assistant(
  text: string,
  ...calls: Extract<EntryBody, { kind: "assistant" }>["calls"]
): EntryBody {
  return { v: 1, kind: "assistant", text, calls };
}

export function result(call: string, name: string, content: string, ok = true): EntryBody {
  return { v: 1, kind: "tool", call, name, ok, content };
}

export function note(text: string): EntryBody {
  return { v: 1, kind: "note", text };
}

export async function collect(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** Each event as one word, for orders: `text`, `round start 1`, `tool_call c1`. */
export function outline(events: readonly RunEvent[]): string[] {
  return events.map((event) => {
    switch (event.kind) {
      case "round":
        return `round ${event.state} ${event.round}`;
      case "tool_call":
        return `tool_call ${event.call.id}`;
      case "tool_result":
        return `tool_result ${event.result.call}`;
      case "end":
        return `end ${event.reason}`;
      case "error":
        return `error ${event.error.code}`;
      default:
        return event.kind;
    }
  });
}

export function textOf(events: readonly RunEvent[]): string {
  return events.map((event) => (event.kind === "text" ? event.text : "")).join("");
}

export function kinds<K extends RunEvent["kind"]>(
  events: readonly RunEvent[],
  kind: K,
): Extract<RunEvent, { kind: K }>[] {
  return events.filter((event): event is Extract<RunEvent, { kind: K }> => event.kind === kind);
}

/** The messages of a request without cache marks. */
export function messagesOf(request: ModelRequest | undefined): ModelMessage[] {
  return (request?.messages ?? []).map((message) => {
    const { cacheHere: _, ...rest } = message;
    return rest;
  });
}

/** What the model received as the result of a call in a request. */
export function resultIn(request: ModelRequest | undefined, call: string): string | undefined {
  const message = request?.messages.find((each) => each.role === "tool" && each.call === call);
  return message?.role === "tool" ? message.content : undefined;
}
