// A model whose every call is written down beforehand. A call too many is a failure, and so is a step that was not used.
import type { ToolCall } from "../../src/core/entry.ts";
import { BobbinError, type ErrorCode } from "../../src/core/errors.ts";
import type { ImagePart } from "../../src/core/part.ts";
import type { Model, ModelEvent, ModelRecord, ModelRequest } from "../../src/core/ports/model.ts";
import type { CallUsage } from "../../src/core/usage.ts";

/** What one call of the model does. Made by the functions below. */
export type ScriptedStep =
  /** These events, then the end of the stream: the script must hold the final event. */
  | { readonly kind: "stream"; readonly events: readonly ModelEvent[] }
  /** These events, then nothing until the signal is aborted. */
  | { readonly kind: "hang"; readonly events: readonly ModelEvent[] }
  /** These events, then nothing ever: the abort is ignored too, against the port's contract. */
  | { readonly kind: "deaf"; readonly events: readonly ModelEvent[] }
  /** These events, then an exception, against the port's contract. */
  | { readonly kind: "throw"; readonly events: readonly ModelEvent[]; readonly error: unknown }
  /** These events once the promise is there. */
  | { readonly kind: "later"; readonly ready: Promise<unknown>; readonly step: ScriptedStep }
  | { readonly kind: "compute"; readonly step: (request: ModelRequest) => ScriptedStep };

export interface ScriptedReply {
  readonly text?: string;
  /** Pieces in which the text is streamed; the whole text at once unless given. */
  readonly deltas?: readonly string[];
  readonly thinking?: string;
  readonly calls?: readonly ToolCall[];
  readonly images?: readonly ImagePart[];
  readonly reasoning?: string;
  readonly usage?: Partial<CallUsage>;
  readonly finish?: "end" | "length" | "filtered";
  readonly cutCall?: true;
}

/** A complete reply, streamed as a provider does. A string is its text. */
export function reply(given: string | ScriptedReply): ScriptedStep {
  const spec: ScriptedReply = typeof given === "string" ? { text: given } : given;
  const text = spec.text ?? spec.deltas?.join("") ?? "";
  const deltas = spec.deltas ?? (text === "" ? [] : [text]);
  return {
    kind: "stream",
    events: [
      ...(spec.thinking === undefined ? [] : [{ kind: "thinking", text: spec.thinking } as const]),
      ...deltas.map((delta) => ({ kind: "text", text: delta }) as const),
      ...(spec.calls ?? []).map(
        (call) => ({ kind: "tool_input", call: call.id, name: call.name, text: call.arguments }) as const,
      ),
      ...(spec.images ?? []).map((image) => ({ kind: "image", image }) as const),
      ...(spec.usage === undefined ? [] : [usage(spec.usage)]),
      {
        kind: "done",
        text,
        calls: spec.calls ?? [],
        images: spec.images ?? [],
        ...(spec.reasoning === undefined ? {} : { reasoning: spec.reasoning }),
        finish: spec.finish ?? "end",
        ...(spec.cutCall === undefined ? {} : { cutCall: spec.cutCall }),
      },
    ],
  };
}

/** A reply that only calls tools: `[id, name, arguments]`, arguments as JSON text or a value. */
export function calls(
  ...list: readonly (readonly [id: string, name: string, given?: unknown])[]
): ScriptedStep {
  return reply({ calls: list.map(([id, name, given]) => call(id, name, given)) });
}

export function call(id: string, name: string, given: unknown = {}): ToolCall {
  return { id, name, arguments: typeof given === "string" ? given : JSON.stringify(given) };
}

/** The provider fails, after `shown` was streamed where given. */
export function fails(error: BobbinError | ErrorCode = "model_unavailable", shown = ""): ScriptedStep {
  const failure = error instanceof BobbinError ? error : new BobbinError(error, "scripted failure");
  return { kind: "stream", events: [...textOf(shown), { kind: "failed", error: failure }] };
}

/** Streams `shown` (text, or any events), then waits for the abort. */
export function hangs(shown: string | readonly ModelEvent[] = ""): ScriptedStep {
  return { kind: "hang", events: typeof shown === "string" ? textOf(shown) : shown };
}

export function streams(...events: readonly ModelEvent[]): ScriptedStep {
  return { kind: "stream", events };
}

export function computed(step: (request: ModelRequest) => ScriptedStep): ScriptedStep {
  return { kind: "compute", step };
}

export function later(ready: Promise<unknown>, step: ScriptedStep): ScriptedStep {
  return { kind: "later", ready, step };
}

export function usage(given: Partial<CallUsage> = {}): ModelEvent {
  return { kind: "usage", usage: { model: "scripted", durationMs: 10, ...given } };
}

export interface ScriptedModel extends Model {
  /** A deeply frozen copy of each request, in order. */
  readonly requests: readonly ModelRequest[];
  /** How many calls are being streamed right now. */
  readonly streaming: number;
  /** Resolves when the call with this number (from 1) has streamed all that its step has before waiting or ending. */
  reached(callNumber: number): Promise<void>;
  /** More steps after those that are there. */
  add(...steps: readonly ScriptedStep[]): void;
  /** Throws when a step was not used, a call was not expected, or a call is still streaming. */
  assertComplete(): void;
}

export const scriptedRecord: ModelRecord = {
  name: "scripted",
  contextWindow: 128_000,
  outputTokens: 16_384,
  largerOutputTokens: 65_536,
  seesImages: true,
  thinking: "effort",
  caching: "breakpoints",
};

export function scriptedModel(...script: readonly ScriptedStep[]): ScriptedModel {
  const steps = [...script];
  const requests: ModelRequest[] = [];
  const marks: PromiseWithResolvers<void>[] = [];
  let unexpected = 0;
  let streaming = 0;

  const markOf = (callNumber: number): PromiseWithResolvers<void> =>
    (marks[callNumber - 1] ??= Promise.withResolvers<void>());

  async function* play(
    step: ScriptedStep,
    request: ModelRequest,
    signal: AbortSignal,
    callNumber: number,
  ): Play {
    if (step.kind === "compute") return yield* play(step.step(request), request, signal, callNumber);
    if (step.kind === "later") {
      await Promise.race([step.ready, aborted(signal)]);
      if (signal.aborted) return yield { kind: "aborted" };
      return yield* play(step.step, request, signal, callNumber);
    }
    for (const event of step.events) {
      if (signal.aborted && event.kind !== "usage") break;
      yield structuredCloneEvent(event);
    }
    markOf(callNumber).resolve();
    switch (step.kind) {
      case "stream":
        if (signal.aborted) yield { kind: "aborted" };
        return;
      case "hang":
        await aborted(signal);
        return yield { kind: "aborted" };
      case "deaf":
        return await new Promise<never>(() => {});
      case "throw":
        throw step.error;
      default:
        return step satisfies never;
    }
  }

  return {
    requests,
    get streaming() {
      return streaming;
    },
    reached: (callNumber) => markOf(callNumber).promise,
    add: (...more) => void steps.push(...more),
    async *stream(request, signal) {
      requests.push(deepFreeze(structuredClone(request)));
      const callNumber = requests.length;
      const step = steps.shift();
      streaming += 1;
      try {
        yield { kind: "sent", bodyHash: `body-${callNumber}` };
        if (step === undefined) {
          unexpected += 1;
          const error = new BobbinError("panic", `the script has no step for call ${callNumber}`);
          yield { kind: "failed", error };
        } else {
          yield* play(step, request, signal, callNumber);
        }
      } finally {
        streaming -= 1;
        markOf(callNumber).resolve();
      }
    },
    assertComplete() {
      const problems = [
        ...(steps.length > 0 ? [`${steps.length} steps were not used`] : []),
        ...(unexpected > 0 ? [`${unexpected} calls were not expected`] : []),
        ...(streaming > 0 ? [`${streaming} calls are still streaming`] : []),
      ];
      if (problems.length > 0) throw new Error(`scripted model: ${problems.join(", ")}`);
    },
  };
}

type Play = AsyncGenerator<ModelEvent, void>;

function textOf(shown: string): ModelEvent[] {
  return shown === "" ? [] : [{ kind: "text", text: shown }];
}

/** An error is passed as it is: a clone would lose its class. */
function structuredCloneEvent(event: ModelEvent): ModelEvent {
  return event.kind === "failed" ? event : structuredClone(event);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
