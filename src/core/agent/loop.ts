/**
 * The agent loop: stream one reply, run the calls it asks for, feed the results back, until a reply asks for none or a
 * limit is reached. Plain functions over ports; both shells (`agent/session`, `run/run-session`) stand around it.
 */

import { toBobbinError } from "../errors.ts";
import type { Usage } from "../usage.ts";
import { limitSignal } from "./abort.ts";
import { endingOfAbort, type Ending } from "./commit-round.ts";
import type { LoopDeps, LoopHooks, LoopInput, LoopOutcome, LoopProfile } from "./loop-types.ts";
import { resume } from "./resume.ts";
import { playRound } from "./round.ts";
import { createRunState, type RunState } from "./run-state.ts";

/**
 * Never rejects. Settles soon after `signal` aborts: the abort is passed to model and tools, and those that ignore it are
 * left behind. Only `hooks.commitRound` is waited for without a limit of the loop's own.
 */
export async function runLoop(
  deps: LoopDeps,
  profile: LoopProfile,
  input: LoopInput,
  hooks: LoopHooks,
  signal: AbortSignal,
): Promise<LoopOutcome> {
  const startTicks = deps.clock.ticks();
  const limit = limitSignal(signal, deps.clock, profile.limits.runMs);
  let state: RunState | undefined;
  try {
    state = createRunState(deps, profile, input, hooks, limit.signal);
    return outcomeOf(await untilEnd(state), state.rounds, state.usage, deps.clock.ticks() - startTicks);
  } catch (thrown) {
    const panic: Ending = { kind: "ended", reason: "error", error: toBobbinError(thrown), modelCalls: [] };
    const durationMs = deps.clock.ticks() - startTicks;
    return outcomeOf(panic, state?.rounds ?? input.roundsDone, state?.usage ?? {}, durationMs);
  } finally {
    limit.close();
  }
}

async function untilEnd(state: RunState): Promise<Ending> {
  let step = await resume(state);
  while (step.kind === "next") {
    if (state.signal.aborted) return endingOfAbort(state, []);
    if (state.rounds >= state.profile.limits.maxTurns) {
      return { kind: "ended", reason: "max_turns", modelCalls: [] };
    }
    step = await playRound(state);
  }
  return step;
}

function outcomeOf(ending: Ending, rounds: number, usage: Usage, durationMs: number): LoopOutcome {
  return ending.kind === "left" ? ending : { ...ending, rounds, usage, durationMs };
}
