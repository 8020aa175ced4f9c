/**
 * Runs the calls of one reply: those that only read side by side, each other one after all before it, since it may build on
 * them. Every call gets exactly one result, whatever happens.
 */

import { OUTCOME_UNKNOWN } from "../context/replayed-calls.ts";
import type { Offer, ToolCall, ToolEntry } from "../entry.ts";
import type { FullResult } from "../round.ts";
import { cleanText, headOf } from "../text.ts";
import { abortReasonOf, limitSignal, orAborted, type LimitedSignal } from "./abort.ts";
import type { PreparedCall } from "./prepare-call.ts";
import { countSideCall, type RunState } from "./run-state.ts";
import { capResult, textOfFailure, textOfResult, type ResultText } from "./tool-result.ts";
import { isRepeatable, type CallContext, type ToolContext } from "./tool.ts";

export interface AnsweredCall {
  readonly entry: ToolEntry;
  readonly full: FullResult;
  /** What came of the call is known here alone: whoever resumes the run could not find it out, nor run the call again. */
  readonly isOnlyHere?: true;
}

export type ToolsOutcome<Refusal> =
  /** One answer per call, in order. Also of an attempt that leaves, where what came of a call is known here alone. */
  | { readonly kind: "answered"; readonly answers: readonly AnsweredCall[] }
  /** The run's signal was aborted: calls without a result are closed as cancelled. */
  | { readonly kind: "aborted"; readonly answers: readonly AnsweredCall[] }
  | { readonly kind: "lost" }
  | { readonly kind: "refused"; readonly refusal: Refusal };

type ReadyCall = Extract<PreparedCall, { kind: "ready" }>;

/** Read by the model, with the message that came. */
const SKIPPED =
  "skipped: someone wrote before this was begun. Read what they say, and ask for it again if it is still wanted";
const CANCELLED = "cancelled: the run was stopped before this ended";
/** Of an attempt that leaves. */
const NOT_BEGUN = "not begun: the process had to end before. Ask for it again if it is still wanted";
const CUT_OFF = "cut off: the process had to end while this ran. Ask for it again if it is still wanted";
/** UTF-16 units of one line of progress. */
const PROGRESS_UNITS = 8_192;

/**
 * @param beforeEffects awaited once before the first call starts, when any of them is not `read`; what it answers (but
 * undefined) keeps all of them from starting.
 */
export async function callTools<Refusal>(
  state: RunState,
  prepared: readonly PreparedCall[],
  beforeEffects: () => Promise<Refusal | undefined>,
): Promise<ToolsOutcome<Refusal>> {
  const group = limitSignal(state.signal, state.deps.clock, Number.POSITIVE_INFINITY);
  try {
    const allowed = await askGate(state, prepared, group.signal);
    const results = inOrder(state, group.signal, allowed.length);
    if (allowed.some(hasEffects) && !group.signal.aborted && !isLeaving(state)) {
      const refusal = await beforeEffects();
      if (refusal !== undefined) return { kind: "refused", refusal };
    }
    const answers: AnsweredCall[] = [];
    let whyNot: string | undefined;
    for (const batch of batchesOf(allowed)) {
      if (!group.signal.aborted) whyNot ??= await whyNotBegun(state, batch, answers.length);
      const running: Promise<AnsweredCall>[] = [];
      for (const call of batch) {
        if (call.kind === "ready" && !group.signal.aborted && !state.hooks.isLive()) {
          group.abort("lost");
          return { kind: "lost" };
        }
        const index = answers.length + running.length;
        const answered =
          whyNot !== undefined && call.kind === "ready"
            ? notBegun(state, call, whyNot)
            : answer(state, call, group);
        running.push(answered.then((done) => results.report(index, done)));
      }
      answers.push(...(await Promise.all(running)));
    }
    if (!state.signal.aborted) return { kind: "answered", answers };
    const isKept = abortReasonOf(state.signal) === "leave" && answers.some(({ isOnlyHere }) => isOnlyHere);
    if (!isKept) return { kind: "aborted", answers };
    results.sendAll();
    return { kind: "answered", answers };
  } finally {
    group.close();
  }
}

function hasEffects(call: PreparedCall): call is ReadyCall {
  return call.kind === "ready" && call.tool.effect !== "read";
}

function isLeaving({ hooks }: RunState): boolean {
  return hooks.isLeaving?.() ?? false;
}

/** In order: neighbours that only read, or need not run, begin together; each other call stands alone. */
function batchesOf(calls: readonly PreparedCall[]): readonly (readonly PreparedCall[])[] {
  const batches: PreparedCall[][] = [];
  let mayJoin = false;
  for (const call of calls) {
    const isAlone = hasEffects(call);
    const last = batches.at(-1);
    if (mayJoin && !isAlone && last !== undefined) last.push(call);
    else batches.push([call]);
    mayJoin = !isAlone;
  }
  return batches;
}

/** Why neither this batch nor what stands behind it is begun, for the model. @param done calls before it. */
async function whyNotBegun(
  state: RunState,
  batch: readonly PreparedCall[],
  done: number,
): Promise<string | undefined> {
  if (batch.some(hasEffects) && isLeaving(state)) return NOT_BEGUN;
  return done > 0 && (await isSteered(state)) ? SKIPPED : undefined;
}

/** Behind the last model call of a run nobody is taken in, so that nobody is waited for either. */
async function isSteered({ hooks, rounds, profile, signal }: RunState): Promise<boolean> {
  if (hooks.isSteered === undefined || rounds + 1 >= profile.limits.maxTurns) return false;
  const raced = await orAborted(hooks.isSteered(), signal);
  return raced.kind === "value" && raced.value;
}

async function notBegun(state: RunState, ready: ReadyCall, why: string): Promise<AnsweredCall> {
  return asKnown(ready, answeredCall(state, ready.call, { ok: false, text: why }));
}

function asKnown({ tool }: ReadyCall, answered: AnsweredCall): AnsweredCall {
  return isRepeatable(tool) ? answered : { ...answered, isOnlyHere: true };
}

/** Closes calls that will never run. */
export function cancelCalls(state: RunState, prepared: readonly PreparedCall[]): AnsweredCall[] {
  const results = inOrder(state, state.signal, prepared.length);
  return prepared.map((call, index) =>
    results.report(index, answeredCall(state, call.call, { ok: false, text: CANCELLED })),
  );
}

interface Results {
  /** Sends the result once those before it were sent. */
  report(index: number, answered: AnsweredCall): AnsweredCall;
  /** Sends those that an attempt that leaves has kept back. */
  sendAll(): void;
}

/** Of an attempt that leaves nothing is sent: another may run or close the calls, and what this one made up must not be shown. */
function inOrder(state: RunState, signal: AbortSignal, count: number): Results {
  const waiting: (AnsweredCall | undefined)[] = Array.from({ length: count });
  let next = 0;
  const sendAll = (): void => {
    for (let ready = waiting[next]; ready !== undefined; ready = waiting[++next]) {
      const { call, name, ok, content } = ready.full;
      const { offer } = ready.entry;
      state.hooks.emit({
        kind: "tool_result",
        result: {
          call,
          name,
          ok,
          content,
          modelContent: ready.entry.content,
          ...(offer === undefined ? {} : { offer }),
        },
      });
    }
  };
  return {
    report(index, answered) {
      waiting[index] = answered;
      if (!isGoing(signal)) sendAll();
      return answered;
    },
    sendAll,
  };
}

/** The attempt ends, and the run does not. */
function isGoing(signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  const reason = abortReasonOf(signal);
  return reason === "lost" || reason === "leave";
}

/** One by one and before anything starts, so that a person who is asked sees the calls in their order. */
async function askGate(
  state: RunState,
  prepared: readonly PreparedCall[],
  signal: AbortSignal,
): Promise<PreparedCall[]> {
  const allowed: PreparedCall[] = [];
  for (const each of prepared) allowed.push(each.kind === "ready" ? await askOne(state, each, signal) : each);
  return allowed;
}

async function askOne(state: RunState, ready: ReadyCall, signal: AbortSignal): Promise<PreparedCall> {
  const { call, tool } = ready;
  const decide = async () =>
    state.profile.gate.decide(structuredClone(call), tool, contextOf(state, call, signal));
  const limit = limitSignal(signal, state.deps.clock, state.profile.limits.toolCallMs);
  const raced = await orAborted(decide(), limit.signal);
  limit.close();
  if (raced.kind === "value" && raced.value.kind === "allow") return ready;
  // On an abort the call stays ready: it is closed as cancelled like the others.
  if (raced.kind === "aborted" && !limit.isExpired) return ready;
  const reason =
    raced.kind === "value" && raced.value.kind === "deny" ? raced.value.reason : "it could not be checked";
  return { kind: "answered", call, text: `denied: ${cleanText(reason)}` };
}

function contextOf(state: RunState, call: ToolCall, signal: AbortSignal): CallContext {
  const { session, run } = state.input;
  const { requester } = state;
  return {
    signal,
    session,
    run,
    call: call.id,
    ...(requester === undefined ? {} : { requester: { ...requester } }),
  };
}

async function answer(state: RunState, call: PreparedCall, group: LimitedSignal): Promise<AnsweredCall> {
  if (call.kind === "answered") return answeredCall(state, call.call, { ok: false, text: call.text });
  const startTicks = state.deps.clock.ticks();
  const result = await runTool(state, call, group);
  const durationMs = Math.round(state.deps.clock.ticks() - startTicks);
  const answered = answeredCall(state, call.call, result, durationMs);
  return result.isCut ? answered : asKnown(call, answered);
}

async function runTool(state: RunState, ready: ReadyCall, group: LimitedSignal): Promise<Answer> {
  const { call, tool, value } = ready;
  const limitMs = tool.timeoutMs ?? state.profile.limits.toolCallMs;
  const limit = limitSignal(group.signal, state.deps.clock, limitMs);
  if (limit.signal.aborted)
    return { ok: false, text: abortReasonOf(limit.signal) === "leave" ? NOT_BEGUN : CANCELLED };
  let isOpen = true;
  let offer: Offer | undefined;
  const context: ToolContext = {
    ...contextOf(state, call, limit.signal),
    progress(text) {
      if (!isOpen) return;
      state.hooks.emit({
        kind: "tool_progress",
        call: call.id,
        text: headOf(cleanText(String(text)), PROGRESS_UNITS),
      });
    },
    usage: () => state.usage,
    // Of a tool that was left behind nothing is stored any more.
    spent(made) {
      if (isOpen) countSideCall(state, made);
    },
    offer(made) {
      offer = made;
    },
  };
  const run = async (): Promise<unknown> => tool.run(value, context);
  const raced = await orAborted(run(), limit.signal);
  isOpen = false;
  limit.close();
  switch (raced.kind) {
    case "value": {
      const result = textOfResult(raced.value);
      return result.ok && offer !== undefined ? { ...result, offer } : result;
    }
    case "threw":
      return { ok: false, text: textOfFailure(raced.error) };
    case "aborted":
      if (limit.isExpired)
        return { ok: false, text: `error: tool ${call.name} timed out after ${limitMs / 1000} s` };
      if (abortReasonOf(limit.signal) !== "leave") return { ok: false, text: CANCELLED };
      return { ok: false, text: tool.effect === "read" ? CUT_OFF : OUTCOME_UNKNOWN, isCut: true };
    default:
      return raced satisfies never;
  }
}

interface Answer extends ResultText {
  readonly offer?: Offer;
  /** It had begun when the attempt had to leave: nobody knows what came of it. */
  readonly isCut?: true;
}

function answeredCall(state: RunState, call: ToolCall, result: Answer, durationMs = 0): AnsweredCall {
  const { ok, text, images, offer } = result;
  const content = capResult(text, state.profile.limits.toolResultBytes);
  return {
    entry: {
      v: 1,
      kind: "tool",
      call: call.id,
      name: call.name,
      ok,
      content,
      ...(images === undefined ? {} : { images }),
      ...(durationMs > 0 ? { durationMs } : {}),
      ...(offer === undefined ? {} : { offer }),
    },
    full: { call: call.id, name: call.name, ok, content: text },
  };
}
