/** The model of a bot that has no key: scripted, deterministic, and honest about it. It streams and calls tools like a real one. */

import { createHash } from "node:crypto";
import type { ToolCall } from "../../core/entry.ts";
import { pause } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Model, ModelEvent, ModelRecord, ModelRequest } from "../../core/ports/model.ts";
import { planFor } from "./plan.ts";

/** What the demo model is; for where a record is asked for. */
export const demoRecord: ModelRecord = {
  name: "demo",
  contextWindow: 128_000,
  outputTokens: 16_384,
  largerOutputTokens: 16_384,
  seesImages: false,
  thinking: "none",
  caching: "automatic",
};

export interface DemoOptions {
  /** Between two words, ms. Default 15. */
  readonly wordMs?: number;
  /** The same where the person asked for slow words. Default 400. */
  readonly slowWordMs?: number;
}

/** Keeps the contract of `Model`. Reports no usage: nothing was used. */
export function createDemoModel(deps: { readonly clock: Clock }, options: DemoOptions = {}): Model {
  const pace = { normal: options.wordMs ?? 15, slow: options.slowWordMs ?? 400 };
  return {
    stream: (request, signal) => new DemoStream(deps.clock, stepsOf(request, pace), signal),
  };
}

interface Step {
  readonly waitMs: number;
  readonly event: ModelEvent;
}

function stepsOf(request: ModelRequest, pace: Readonly<Record<"normal" | "slow", number>>): Step[] {
  const bodyHash = hashOf(request);
  const plan = planFor(request);
  const calls = plan.calls.map((call, at): ToolCall => ({
    id: `demo_${bodyHash.slice(0, 12)}_${at + 1}`,
    ...call,
  }));
  const words = plan.text.match(/\S+\s*|\s+/g) ?? [];
  const waitMs = pace[plan.pace];
  const { images = [] } = plan;
  return [
    { waitMs: 0, event: { kind: "sent", bodyHash } },
    ...words.map((text): Step => ({ waitMs, event: { kind: "text", text } })),
    ...calls.map(({ id, name, arguments: text }): Step => ({
      waitMs,
      event: { kind: "tool_input", call: id, name, text },
    })),
    ...images.map((image): Step => ({ waitMs, event: { kind: "image", image } })),
    { waitMs: 0, event: { kind: "done", text: plan.text, calls, images, finish: "end" } },
  ];
}

/** There is no wire and so no body: what stands for it is the request itself. */
function hashOf({ model, system, messages, tools, outputTokens }: ModelRequest): string {
  const body = JSON.stringify([model.name, system, messages, tools, outputTokens]);
  return createHash("sha256").update(body).digest("hex");
}

class DemoStream implements AsyncIterableIterator<ModelEvent> {
  readonly #clock: Clock;
  readonly #steps: readonly Step[];
  readonly #signal: AbortSignal;
  readonly #left = new AbortController();
  #at = 0;
  #isOver = false;

  constructor(clock: Clock, steps: readonly Step[], signal: AbortSignal) {
    this.#clock = clock;
    this.#steps = steps;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<ModelEvent, undefined>> {
    const step = this.#isOver ? undefined : this.#steps[this.#at++];
    if (step === undefined) return { done: true, value: undefined };
    if (!this.#signal.aborted && step.waitMs > 0) {
      await pause(this.#clock, step.waitMs, AbortSignal.any([this.#signal, this.#left.signal]));
    }
    // The reader may have left while this waited.
    if (this.#isOver) return { done: true, value: undefined };
    this.#isOver = this.#signal.aborted;
    return { done: false, value: this.#signal.aborted ? { kind: "aborted" } : step.event };
  }

  return(): Promise<IteratorResult<ModelEvent, undefined>> {
    this.#isOver = true;
    this.#left.abort();
    return Promise.resolve({ done: true, value: undefined });
  }
}
