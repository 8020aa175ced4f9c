/** What the steps of one loop share: the ports, the conversation so far, and what was counted. */

import { standardSpecs } from "./tool-specs.ts";
import type { RequestProfile } from "../context/request.ts";
import type { RunId } from "../ids.ts";
import type { Author } from "../inbound.ts";
import type { Blob } from "../round.ts";
import { addUsage, type CallUsage, type Usage } from "../usage.ts";
import type { ContextEntry, LoopDeps, LoopHooks, LoopInput, LoopProfile } from "./loop-types.ts";

export interface RunState {
  readonly deps: LoopDeps;
  readonly profile: LoopProfile;
  readonly input: LoopInput;
  readonly hooks: LoopHooks;
  /** The caller's signal and the limit of the run. */
  readonly signal: AbortSignal;
  readonly request: RequestProfile;
  readonly prompt: Blob;
  readonly tools: Blob;
  readonly entries: ContextEntry[];
  /** Who asked last: a turn has that person's rights. */
  requester: Author | undefined;
  /** Complete rounds of the run, those before this attempt included. */
  rounds: number;
  /** Of this loop's own model calls. */
  usage: Usage;
}

export function createRunState(
  deps: LoopDeps,
  profile: LoopProfile,
  input: LoopInput,
  hooks: LoopHooks,
  signal: AbortSignal,
): RunState {
  const specs = standardSpecs(profile.tools);
  const { model, system, temperature, thinking, caching } = profile;
  const toolsText = JSON.stringify(specs);
  return {
    deps,
    profile,
    input,
    hooks,
    signal,
    request: {
      model,
      system,
      tools: specs,
      ...(temperature === undefined ? {} : { temperature }),
      ...(thinking === undefined ? {} : { thinking }),
      caching,
    },
    prompt: { hash: deps.hash(system), text: system },
    tools: { hash: deps.hash(toolsText), text: toolsText },
    entries: [...input.entries],
    requester: input.requester,
    rounds: input.roundsDone,
    usage: {},
  };
}

export function countUsage(state: RunState, usage: CallUsage): void {
  state.usage = addUsage(state.usage, usage);
  state.hooks.emit({ kind: "usage", usage });
}

/** The run's id as entries carry it. */
export function runIdOf(state: RunState): RunId {
  return state.input.run as RunId;
}
