/** What the steps of one loop share: the ports, the conversation so far, and what was counted. */

import type { Learnt } from "../context/gauge.ts";
import type { RequestProfile } from "../context/request.ts";
import type { ContextEntry } from "../entry.ts";
import type { RunId } from "../ids.ts";
import type { Author } from "../inbound.ts";
import type { Frozen, ModelCallRecord } from "../round.ts";
import { addUsage, type CallUsage, type Usage } from "../usage.ts";
import { frozenOf } from "./frozen-profile.ts";
import type { LoopDeps, LoopHooks, LoopInput, LoopProfile } from "./loop-types.ts";
import { standardSpecs } from "./tool-specs.ts";

export interface RunState {
  readonly deps: LoopDeps;
  readonly profile: LoopProfile;
  readonly input: LoopInput;
  readonly hooks: LoopHooks;
  /** The caller's signal and the limit of the run. */
  readonly signal: AbortSignal;
  readonly request: RequestProfile;
  readonly frozen: Frozen;
  readonly entries: ContextEntry[];
  /** Who asked last: a turn has that person's rights. */
  requester: Author | undefined;
  /** Complete rounds of the run, those before this attempt included. */
  rounds: number;
  /** Of this loop's own model calls, and of those that tools made. */
  usage: Usage;
  /** What is known of how much the model takes; newer behind each call. */
  readonly learnt: Learnt;
  /** Model calls that tools made and that are not stored yet. */
  readonly sideCalls: ModelCallRecord[];
}

export function createRunState(
  deps: LoopDeps,
  profile: LoopProfile,
  input: LoopInput,
  hooks: LoopHooks,
  signal: AbortSignal,
): RunState {
  const { model, system, temperature, thinking, caching } = profile;
  return {
    deps,
    profile,
    input,
    hooks,
    signal,
    request: {
      model,
      system,
      tools: standardSpecs(profile.tools),
      ...(temperature === undefined ? {} : { temperature }),
      ...(thinking === undefined ? {} : { thinking }),
      caching,
    },
    frozen: profile.frozen ?? frozenOf(profile, deps.hash),
    entries: [...input.entries],
    requester: input.requester,
    rounds: input.roundsDone,
    usage: {},
    learnt: input.learnt ?? {},
    sideCalls: [],
  };
}

/** A model call beside the reply: stored with the round under way, and counted like the reply's own. */
export function countSideCall(state: RunState, call: ModelCallRecord): void {
  state.sideCalls.push(call);
  for (const usage of call.usage) countUsage(state, usage);
}

export function countUsage(state: RunState, usage: CallUsage): void {
  state.usage = addUsage(state.usage, usage);
  state.hooks.emit({ kind: "usage", usage });
}

/** The run's id as entries carry it. */
export function runIdOf(state: RunState): RunId {
  return state.input.run as RunId;
}
