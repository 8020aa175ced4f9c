/** The steps of a run: the tool calls that it made, as people are told of them. Pure. */

import type { EntryBody, ToolCall } from "../entry.ts";

export interface Step {
  /** From 1. */
  readonly round: number;
  readonly call: string;
  readonly name: string;
  readonly state: "running" | "done" | "failed";
  /** How long it ran, whole ms; absent while it runs, and below one. */
  readonly durationMs?: number;
  /** JSON text as it was stored, so with secrets masked; absent before that. */
  readonly arguments?: string;
  /** What the tool says of itself while it runs. */
  readonly progress?: string;
}

type Steps = readonly Step[];

/** A call that is there already stays: who resumes a run tells it again. */
export function asked(steps: Steps, round: number, { id, name }: Pick<ToolCall, "id" | "name">): Steps {
  const place = placeOf(steps, round, id);
  if (place === -1) return [...steps, { round, call: id, name, state: "running" }];
  return steps;
}

export function answered(steps: Steps, round: number, call: string, state: "done" | "failed"): Steps {
  return changed(steps, placeOf(steps, round, call), (step) => ({ ...ended(step), state }));
}

export function progressed(steps: Steps, round: number, call: string, progress: string): Steps {
  const place = placeOf(steps, round, call);
  if (steps[place]?.state !== "running" || steps[place].progress === progress) return steps;
  return changed(steps, place, (step) => ({ ...step, progress }));
}

/** What was stored of a round: what was asked for, and what came of it. */
export function stored(before: Steps, round: number, body: EntryBody): Steps {
  if (body.kind === "assistant") {
    return body.calls.reduce((steps, call) => {
      const known = asked(steps, round, call);
      return changed(known, placeOf(known, round, call.id), (step) => ({
        ...step,
        arguments: call.arguments,
      }));
    }, before);
  }
  if (body.kind !== "tool") return before;
  const known = asked(before, round, { id: body.call, name: body.name });
  const { ok, durationMs } = body;
  return changed(known, placeOf(known, round, body.call), (step) => ({
    ...ended(step),
    state: ok ? "done" : "failed",
    ...(durationMs === undefined ? {} : { durationMs }),
  }));
}

function placeOf(steps: Steps, round: number, call: string): number {
  return steps.findLastIndex((step) => step.round === round && step.call === call);
}

function changed(steps: Steps, place: number, change: (step: Step) => Step): Steps {
  const step = steps[place];
  return step === undefined ? steps : steps.with(place, change(step));
}

function ended(step: Step): Step {
  const { progress: _, ...rest } = step;
  return rest;
}
