/** One request to the model, from building it to its final event, within its time limit. */

import { buildRequest, requestParamsOf, type BuiltRequest, type RequestOptions } from "../context/request.ts";
import type { ToolCall } from "../entry.ts";
import { BobbinError, toBobbinError } from "../errors.ts";
import type { ModelEvent } from "../ports/model.ts";
import type { ModelCallRecord } from "../round.ts";
import type { CallUsage, Usage } from "../usage.ts";
import { limitSignal, type LimitedSignal } from "./abort.ts";
import { countUsage, type RunState } from "./run-state.ts";
import { createShownReply, type Shown, type ShownReply } from "./shown-text.ts";

export type Tried =
  | {
      readonly kind: "done";
      readonly whole: Shown;
      readonly calls: readonly ToolCall[];
      readonly reasoning?: string;
      readonly finish: "end" | "length" | "filtered";
      readonly hasCutCall: boolean;
    }
  | {
      readonly kind: "failed";
      readonly error: BobbinError;
      readonly reason: "error" | "timeout";
      readonly shown: Shown;
    }
  | { readonly kind: "aborted"; readonly shown: Shown };

export interface OneTry {
  readonly tried: Tried;
  /** Absent where no request could be built. */
  readonly sent?: Pick<BuiltRequest, "estimated" | "used">;
  /** Tokens of the request as the provider counted them; absent where it did not say. */
  readonly reported?: number;
}

/** The model does not take so much of the conversation and the reply together. */
export function isTooLong(tried: Tried): boolean {
  return tried.kind === "failed" && tried.error.code === "context_length";
}

type Final = Extract<ModelEvent, { kind: "done" | "failed" | "aborted" }>;

/** How long a model may take to end its stream once it was aborted, ms; then it is left behind. */
const ABORT_GRACE_MS = 2_000;

/** Puts the record of the call into `records`, whatever becomes of it. Never rejects. */
export async function tryModel(
  state: RunState,
  round: number,
  options: RequestOptions,
  base: Shown,
  records: ModelCallRecord[],
): Promise<OneTry> {
  const { clock, newId } = state.deps;
  const startedAt = clock.now();
  const startTicks = clock.ticks();
  const limit = limitSignal(state.signal, clock, state.profile.limits.modelCallMs);
  const shown = createShownReply(round, base, (event) => state.hooks.emit(event));
  const reported: CallUsage[] = [];
  let bodyHash: string | undefined;
  const onEvent = (event: ModelEvent): void => {
    if (event.kind === "sent") bodyHash = event.bodyHash;
    else if (event.kind === "usage") {
      reported.push(event.usage);
      countUsage(state, event.usage);
    } else if (!limit.signal.aborted) show(shown, event);
  };
  try {
    const built = buildRequest(state.request, state.entries, options);
    const final = await readStream(state, built, limit, onEvent);
    const tried = judge(state, final, limit, shown);
    records.push({
      id: newId(),
      round,
      model: state.profile.model.name,
      ...state.frozen,
      firstSeq: built.firstSeq,
      lastSeq: built.lastSeq,
      excluded: [],
      params: requestParamsOf(built),
      ...(bodyHash === undefined ? {} : { bodyHash }),
      usage: reported,
      startedAt,
      durationMs: clock.ticks() - startTicks,
      ...recordOutcome(tried),
    });
    const input = inputOf(reported.at(-1));
    return { tried, sent: built, ...(input === undefined ? {} : { reported: input }) };
  } catch (error) {
    return {
      tried: { kind: "failed", error: toBobbinError(error), reason: "error", shown: shown.shown },
    };
  } finally {
    limit.close();
  }
}

/** All that the provider read, whether it had it in its cache or not. */
function inputOf({ input, cacheRead, cacheWrite }: Usage = {}): number | undefined {
  return input === undefined ? undefined : input + (cacheRead ?? 0) + (cacheWrite ?? 0);
}

function show(shown: ShownReply, event: ModelEvent): void {
  switch (event.kind) {
    case "text":
      return shown.text(event.text);
    case "thinking":
      return shown.thinking(event.text);
    case "tool_input":
      return shown.toolInput(event.call, event.name, event.text);
    case "image":
      return shown.image(event.image);
    case "again":
      return shown.again(event.why);
    case "sent":
    case "usage":
    case "done":
    case "failed":
    case "aborted":
      return undefined;
    default:
      return event satisfies never;
  }
}

/** Reads to the final event. Answers `aborted` when the stream does not end by itself after an abort. */
async function readStream(
  state: RunState,
  built: BuiltRequest,
  limit: LimitedSignal,
  onEvent: (event: ModelEvent) => void,
): Promise<Final> {
  const { clock, model } = state.deps;
  let giveUp = (): void => {};
  let cancelGrace = (): void => {};
  const startGrace = (): void => {
    cancelGrace = clock.after(ABORT_GRACE_MS, () => giveUp());
  };
  limit.signal.addEventListener("abort", startGrace, { once: true });
  if (limit.signal.aborted) startGrace();
  let iterator: AsyncIterator<ModelEvent> | undefined;
  try {
    const events = model.stream(built.request, limit.signal)[Symbol.asyncIterator]();
    iterator = events;
    for (;;) {
      const next = await new Promise<IteratorResult<ModelEvent> | undefined>((resolve, reject) => {
        giveUp = () => resolve(undefined);
        events.next().then(resolve, reject);
      });
      if (next === undefined) return { kind: "aborted" };
      if (next.done === true) {
        return { kind: "failed", error: new BobbinError("model_garbage", "the stream had no final event") };
      }
      const event = next.value;
      if (event.kind === "done" || event.kind === "failed" || event.kind === "aborted") return event;
      onEvent(event);
    }
  } catch (error) {
    return { kind: "failed", error: toBobbinError(error) };
  } finally {
    cancelGrace();
    limit.signal.removeEventListener("abort", startGrace);
    // Not awaited: a generator that hangs would hold the run.
    iterator?.return?.().catch(() => {});
  }
}

function judge(state: RunState, final: Final, limit: LimitedSignal, shown: ShownReply): Tried {
  // A reply that is whole counts, also when the abort came with its last byte.
  if (final.kind === "done") {
    const whole = shown.finish({ text: final.text, images: final.images });
    return {
      kind: "done",
      whole,
      calls: final.calls,
      ...(final.reasoning === undefined ? {} : { reasoning: final.reasoning }),
      finish: final.finish,
      hasCutCall: final.cutCall === true,
    };
  }
  if (limit.isExpired) {
    const { modelCallMs } = state.profile.limits;
    const error = new BobbinError("model_timeout", `the model call took longer than ${modelCallMs} ms`, {
      facts: { limitMs: modelCallMs },
    });
    return { kind: "failed", error, reason: "timeout", shown: shown.shown };
  }
  if (limit.signal.aborted) return { kind: "aborted", shown: shown.shown };
  if (final.kind === "failed")
    return { kind: "failed", error: final.error, reason: "error", shown: shown.shown };
  return {
    kind: "failed",
    error: new BobbinError("model_cut", "the model ended the reply"),
    reason: "error",
    shown: shown.shown,
  };
}

function recordOutcome(tried: Tried): Pick<ModelCallRecord, "outcome" | "error"> {
  switch (tried.kind) {
    case "done":
      return { outcome: tried.finish === "length" ? "cut" : "done" };
    case "failed":
      return { outcome: "failed", error: tried.error.code };
    case "aborted":
      return { outcome: "aborted" };
    default:
      return tried satisfies never;
  }
}
