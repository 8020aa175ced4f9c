/**
 * Runs the calls of one reply: those that only read side by side, each other one after all before it, since it may build on
 * them. Every call gets exactly one result, whatever happens.
 */

import type { Offer, ToolCall, ToolEntry } from "../entry.ts";
import type { FullResult } from "../round.ts";
import { cleanText, headOf } from "../text.ts";
import { abortReasonOf, limitSignal, orAborted, type LimitedSignal } from "./abort.ts";
import type { PreparedCall } from "./prepare-call.ts";
import { countSideCall, type RunState } from "./run-state.ts";
import { capResult, textOfFailure, textOfResult, type ResultText } from "./tool-result.ts";
import type { CallContext, ToolContext } from "./tool.ts";

export interface AnsweredCall {
  readonly entry: ToolEntry;
  readonly full: FullResult;
}

export type ToolsOutcome<Refusal> =
  /** One answer per call, in order. */
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
    const report = inOrder(state, group.signal, allowed.length);
    if (
      allowed.some((call) => call.kind === "ready" && call.tool.effect !== "read") &&
      !group.signal.aborted
    ) {
      const refusal = await beforeEffects();
      if (refusal !== undefined) return { kind: "refused", refusal };
    }
    const answers: AnsweredCall[] = [];
    let isSkipping = false;
    for (const batch of batchesOf(allowed)) {
      isSkipping ||= answers.length > 0 && !group.signal.aborted && (await isSteered(state));
      const running: Promise<AnsweredCall>[] = [];
      for (const call of batch) {
        if (call.kind === "ready" && !group.signal.aborted && !state.hooks.isLive()) {
          group.abort("lost");
          return { kind: "lost" };
        }
        const index = answers.length + running.length;
        const answered =
          isSkipping && call.kind === "ready" ? skipped(state, call) : answer(state, call, group);
        running.push(answered.then((done) => report(index, done)));
      }
      answers.push(...(await Promise.all(running)));
    }
    return { kind: state.signal.aborted ? "aborted" : "answered", answers };
  } finally {
    group.close();
  }
}

/** In order: neighbours that only read, or need not run, begin together; each other call stands alone. */
function batchesOf(calls: readonly PreparedCall[]): readonly (readonly PreparedCall[])[] {
  const batches: PreparedCall[][] = [];
  let mayJoin = false;
  for (const call of calls) {
    const isAlone = call.kind === "ready" && call.tool.effect !== "read";
    const last = batches.at(-1);
    if (mayJoin && !isAlone && last !== undefined) last.push(call);
    else batches.push([call]);
    mayJoin = !isAlone;
  }
  return batches;
}

/** Behind the last model call of a run nobody is taken in, so that nobody is waited for either. */
async function isSteered({ hooks, rounds, profile, signal }: RunState): Promise<boolean> {
  if (hooks.isSteered === undefined || rounds + 1 >= profile.limits.maxTurns) return false;
  const raced = await orAborted(hooks.isSteered(), signal);
  return raced.kind === "value" && raced.value;
}

async function skipped(state: RunState, { call }: ReadyCall): Promise<AnsweredCall> {
  return answeredCall(state, call, { ok: false, text: SKIPPED });
}

/** Closes calls that will never run. */
export function cancelCalls(state: RunState, prepared: readonly PreparedCall[]): AnsweredCall[] {
  const report = inOrder(state, state.signal, prepared.length);
  return prepared.map((call, index) =>
    report(index, answeredCall(state, call.call, { ok: false, text: CANCELLED })),
  );
}

/** Sends each result once those before it were sent. */
function inOrder(
  state: RunState,
  signal: AbortSignal,
  count: number,
): (index: number, answered: AnsweredCall) => AnsweredCall {
  const waiting: (AnsweredCall | undefined)[] = Array.from({ length: count });
  let next = 0;
  return (index, answered) => {
    waiting[index] = answered;
    for (let ready = waiting[next]; ready !== undefined; ready = waiting[++next]) {
      const { call, name, ok, content } = ready.full;
      const { offer } = ready.entry;
      if (isLeaving(signal)) continue;
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
    return answered;
  };
}

/** Another attempt will run or close the calls: what this one made up must not be shown. */
function isLeaving(signal: AbortSignal): boolean {
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
  return answeredCall(state, call.call, result, Math.round(state.deps.clock.ticks() - startTicks));
}

async function runTool(state: RunState, ready: ReadyCall, group: LimitedSignal): Promise<Answer> {
  const { call, tool, value } = ready;
  const limitMs = tool.timeoutMs ?? state.profile.limits.toolCallMs;
  const limit = limitSignal(group.signal, state.deps.clock, limitMs);
  if (limit.signal.aborted) return { ok: false, text: CANCELLED };
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
      return {
        ok: false,
        text: limit.isExpired ? `error: tool ${call.name} timed out after ${limitMs / 1000} s` : CANCELLED,
      };
    default:
      return raced satisfies never;
  }
}

interface Answer extends ResultText {
  readonly offer?: Offer;
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
