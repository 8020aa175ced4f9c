/** One round: a reply of the model, then the results of the calls that it asks for. The unit that is stored. */

import { isBlankReply } from "../context/standing.ts";
import type { AssistantEntry, EntryBody } from "../entry.ts";
import { BobbinError } from "../errors.ts";
import type { EndReason } from "../events.ts";
import type { ModelCallRecord, RoundRecord } from "../round.ts";
import { cleanText } from "../text.ts";
import { callModel, type ModelAnswer, type Reply } from "./call-model.ts";
import { callTools, cancelCalls, type AnsweredCall } from "./call-tools.ts";
import { commit, endingOfAbort, type Ending } from "./commit-round.ts";
import { CUT_CALL, FILTERED_CALL, prepareCall, storableCalls, type PreparedCall } from "./prepare-call.ts";
import { runIdOf, type RunState } from "./run-state.ts";
import { isStuck } from "./stuck.ts";

export type RoundEnd = { readonly kind: "next" } | Ending;

export async function playRound(state: RunState): Promise<RoundEnd> {
  const round = state.rounds + 1;
  state.hooks.emit({ kind: "round", round, state: "start" });
  const answer = await callModel(state, round);
  switch (answer.kind) {
    case "failed": {
      const { reason, error, records } = answer;
      return interrupted(round, answer, { kind: "ended", reason, error, modelCalls: records });
    }
    case "aborted":
      return interrupted(round, answer, endingOfAbort(state, answer.records));
    case "reply":
      return settleReply(state, round, answer);
    default:
      return answer satisfies never;
  }
}

/** Ended while the reply was written: what people saw of it is kept, calls that were not complete are not. */
function interrupted(
  round: number,
  { shown, records }: Pick<Extract<ModelAnswer, { kind: "aborted" | "failed" }>, "shown" | "records">,
  ending: Ending,
): RoundEnd {
  const entry: AssistantEntry = {
    v: 1,
    kind: "assistant",
    text: shown.text,
    calls: [],
    ...(shown.images.length === 0 ? {} : { images: shown.images }),
    interrupted: true,
  };
  if (ending.kind !== "ended" || isBlankReply(entry)) return ending;
  const record: RoundRecord = {
    round,
    state: "complete",
    entries: [entry],
    results: [],
    modelCalls: records,
  };
  return { ...ending, round: record, modelCalls: [] };
}

async function settleReply(state: RunState, round: number, reply: Reply): Promise<RoundEnd> {
  const calls = storableCalls(reply.calls);
  const entry: AssistantEntry = {
    v: 1,
    kind: "assistant",
    text: reply.text,
    calls,
    ...(reply.images.length === 0 ? {} : { images: reply.images }),
    ...(reply.reasoning === undefined ? {} : { reasoning: cleanText(reply.reasoning) }),
  };
  if (calls.length === 0) return settleFinal(state, round, reply, entry);
  for (const call of calls) state.hooks.emit({ kind: "tool_call", call });
  const prepared = calls.map((call, index): PreparedCall => {
    const given = reply.calls[index];
    const isLast = index === calls.length - 1;
    if (given === undefined || (isLast && reply.hasCutCall))
      return { kind: "answered", call, text: reply.isFiltered ? FILTERED_CALL : CUT_CALL };
    return prepareCall(given, call, state.profile.tools);
  });
  return settleCalls(state, { round, reply: entry, prepared, isStored: false, modelCalls: reply.records });
}

async function settleFinal(
  state: RunState,
  round: number,
  reply: Reply,
  entry: AssistantEntry,
): Promise<RoundEnd> {
  if (reply.isFiltered) return heldBack(round, reply);
  const final: AssistantEntry = reply.isCut ? { ...entry, cut: true } : entry;
  const reason = reasonOfFinal(final);
  if (!isBlankReply(final)) {
    return finishRound(state, {
      round,
      entries: [final],
      answers: [],
      modelCalls: reply.records,
      reason,
    });
  }
  state.rounds = round;
  state.hooks.emit({ kind: "round", round, state: "done", entries: [] });
  return { kind: "ended", reason, modelCalls: reply.records };
}

/** Half of an answer is never taken for all of it: what came of it stays, and people are told that the rest is missing. */
function heldBack(round: number, { text, images, records }: Reply): RoundEnd {
  const isWhole = isBlankReply({ text, images, calls: [] });
  const error = isWhole
    ? new BobbinError("model_refused", "the provider held the whole reply back")
    : new BobbinError("model_filtered", "the provider held the rest of the reply back");
  const ending = { kind: "ended", reason: "error", error, modelCalls: records } as const;
  return interrupted(round, { shown: { text, images }, records }, ending);
}

/** What a run ends with whose last reply asks for no calls. */
export function reasonOfFinal(reply: AssistantEntry): "stop" | "max_tokens" {
  return reply.cut === true ? "max_tokens" : "stop";
}

export interface OpenCalls {
  readonly round: number;
  readonly reply: AssistantEntry;
  /** Those of the reply's calls that have no result yet. */
  readonly prepared: readonly PreparedCall[];
  /** The reply stands in History already. */
  readonly isStored: boolean;
  readonly modelCalls: readonly ModelCallRecord[];
}

/** Answers the calls of a reply and stores the round as complete. */
export async function settleCalls(state: RunState, open: OpenCalls): Promise<RoundEnd> {
  const { round, reply, prepared } = open;
  let { isStored, modelCalls } = open;
  const rest = (answers: readonly AnsweredCall[]): RoundRecord => ({
    round,
    state: "complete",
    entries: [...(isStored ? [] : [reply]), ...answers.map((each) => each.entry)],
    results: answers.map((each) => each.full),
    modelCalls,
  });
  const storeCalls = async (): Promise<Ending | undefined> => {
    if (isStored) return undefined;
    const calls: RoundRecord = { round, state: "calls", entries: [reply], results: [], modelCalls };
    const committed = await commit(state, calls);
    if (committed.kind !== "committed") return committed;
    const { answer } = committed;
    // Nothing was stored: a tool that starts now could not be known of after a crash.
    if (answer.leave === true && answer.stored.length === 0) return { kind: "left", how: "handed_over" };
    isStored = true;
    modelCalls = [];
    if (!answer.stopped) return undefined;
    return { kind: "ended", reason: "cancelled", round: rest(cancelCalls(state, prepared)), modelCalls: [] };
  };
  const outcome = await callTools(state, prepared, storeCalls);
  modelCalls = [...modelCalls, ...state.sideCalls.splice(0)];
  switch (outcome.kind) {
    case "refused":
      return outcome.refusal;
    case "lost":
      return { kind: "left", how: "lost" };
    case "aborted":
      return endingOfAbort(state, [], rest(outcome.answers));
    case "answered": {
      return finishRound(state, {
        round,
        entries: rest(outcome.answers).entries,
        answers: outcome.answers,
        modelCalls,
      });
    }
    default:
      return outcome satisfies never;
  }
}

interface CompleteRound {
  readonly round: number;
  /** What of it is not stored yet. */
  readonly entries: readonly EntryBody[];
  readonly answers: readonly AnsweredCall[];
  readonly modelCalls: readonly ModelCallRecord[];
  /** Where the reply asks for no calls: what the run ends with unless someone joins. */
  readonly reason?: EndReason;
}

/** The reply and its results as they were stored, whenever that was. */
function storedOf(state: RunState, round: number): readonly EntryBody[] {
  const run = runIdOf(state);
  return state.entries.flatMap(({ run: of, round: at, body }) =>
    of === run && at === round && (body.kind === "assistant" || body.kind === "tool") ? [body] : [],
  );
}

async function finishRound(state: RunState, done: CompleteRound): Promise<RoundEnd> {
  const { round, entries, modelCalls, reason } = done;
  const results = done.answers.map((each) => each.full);
  const last = round < state.profile.limits.maxTurns ? {} : ({ isLast: true } as const);
  const record: RoundRecord = { round, state: "complete", entries, results, modelCalls, ...last };
  if (reason === "stop" && state.hooks.endsWithRound === true) {
    state.rounds = round;
    return { kind: "ended", reason, round: record, modelCalls: [] };
  }
  const committed = await commit(state, record);
  if (committed.kind !== "committed") return committed;
  const { stopped, steered, leave, stored, isOver } = committed.answer;
  // Nothing was stored: the round is not done, and the next attempt plays it again.
  if (leave === true && stored.length === 0) return { kind: "left", how: "handed_over" };
  state.rounds = round;
  state.hooks.emit({ kind: "round", round, state: "done", entries: storedOf(state, round) });
  const isSame = reason === undefined && isStuck(state.entries);
  if (steered.length > 0) {
    state.entries.push(...steered);
    const messages = steered.flatMap(({ body }) => (body.kind === "user" ? [body] : []));
    state.requester = messages.at(-1)?.author ?? state.requester;
    state.hooks.emit({ kind: "steer", messages });
  }
  if (stopped) return { kind: "ended", reason: "cancelled", modelCalls: [] };
  if (steered.length === 0) {
    if (reason !== undefined) return { kind: "ended", reason, modelCalls: [] };
    if (isSame) return { kind: "ended", reason: "stuck", modelCalls: [] };
    if (isOver === true) return { kind: "ended", reason: "max_turns", modelCalls: [] };
  }
  if (leave === true) return { kind: "left", how: "handed_over" };
  return { kind: "next" };
}
