/** Where a run goes on that another attempt began. */

import { OUTCOME_UNKNOWN } from "../context/replayed-calls.ts";
import type { AssistantEntry, ContextEntry, ToolEntry } from "../entry.ts";
import type { LoopInput } from "./loop-types.ts";
import { prepareStoredCall, type PreparedCall } from "./prepare-call.ts";
import { reasonOfFinal, settleCalls, type OpenCalls, type RoundEnd } from "./round.ts";
import type { RunState } from "./run-state.ts";
import { isRepeatable } from "./tool.ts";

/** `next`: a model call is due. */
export async function resume(state: RunState): Promise<RoundEnd> {
  const last = lastReplyOf(state.input);
  if (last === undefined) return { kind: "next" };
  // The answer was stored and the end was not: it must not be given twice.
  if (last.reply.calls.length === 0) {
    if (state.input.roundsDone === 0 || last.reply.interrupted) return { kind: "next" };
    return { kind: "ended", reason: reasonOfFinal(last.reply), modelCalls: [] };
  }
  const open = openCallsOf(state, last);
  if (open.prepared.length === 0) return { kind: "next" };
  state.hooks.emit({ kind: "round", round: open.round, state: "start" });
  for (const call of last.reply.calls) state.hooks.emit({ kind: "tool_call", call });
  return settleCalls(state, open);
}

interface LastReply {
  readonly entry: ContextEntry;
  readonly reply: AssistantEntry;
  readonly results: readonly ToolEntry[];
}

/** The reply of this run that the entries end with, with the results behind it. */
function lastReplyOf(input: LoopInput): LastReply | undefined {
  const results: ToolEntry[] = [];
  for (const entry of input.entries.toReversed()) {
    const { body } = entry;
    if (body.kind === "user" || body.kind === "summary") return undefined;
    if (body.kind === "tool") results.unshift(body);
    if (body.kind !== "assistant") continue;
    return entry.run === undefined || entry.run === input.run ? { entry, reply: body, results } : undefined;
  }
  return undefined;
}

function openCallsOf(state: RunState, last: LastReply): OpenCalls {
  const { reply, results, entry } = last;
  const open = reply.calls.filter((call) => !results.some((result) => result.call === call.id));
  return {
    round: entry.round ?? state.rounds + 1,
    reply,
    prepared: open.map((call) => onceMore(prepareStoredCall(call, state.profile.tools))),
    isStored: true,
    modelCalls: [],
  };
}

/** Only what changes nothing, and of which all is known, is done again; of anything else nobody knows whether it was done. */
function onceMore(prepared: PreparedCall): PreparedCall {
  if (prepared.kind === "answered") return prepared;
  if (isRepeatable(prepared.tool) && prepared.call.isMasked === undefined) return prepared;
  return { kind: "answered", call: prepared.call, text: OUTCOME_UNKNOWN };
}
