/**
 * One question to a model beside the conversation: whoever asks hands the record to the run (`ToolContext.spent`), which stores
 * it and counts what it took.
 */

import { buildSideRequest, requestParamsOf } from "../context/request.ts";
import { BobbinError, toBobbinError } from "../errors.ts";
import type { Hash, NewId } from "../ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { Model, ModelEvent, ModelRecord, ToolSpec } from "../ports/model.ts";
import type { ModelCallRecord, Purpose } from "../round.ts";
import type { CallUsage } from "../usage.ts";
import { orAborted } from "./abort.ts";
import { frozenOf } from "./frozen-profile.ts";

export interface SideCallDeps {
  readonly model: Model;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly hash: Hash;
}

export interface SideQuestion {
  readonly purpose: Purpose;
  readonly record: ModelRecord;
  readonly system: string;
  readonly asked: string;
  readonly tools: readonly ToolSpec[];
  readonly outputTokens: number;
}

type Final = Extract<ModelEvent, { kind: "done" | "failed" | "aborted" }>;

export interface SideAnswer {
  readonly final: Final;
  readonly call: ModelCallRecord;
}

/** Never rejects, and answers soon after `signal` aborts, whatever the model does then. */
export async function askAside(
  { model, clock, newId, hash }: SideCallDeps,
  { purpose, record, system, asked, tools, outputTokens }: SideQuestion,
  signal: AbortSignal,
): Promise<SideAnswer> {
  const startedAt = clock.now();
  const startTicks = clock.ticks();
  const usage: CallUsage[] = [];
  let bodyHash: string | undefined;
  const built = buildSideRequest(
    { model: record, system, tools, caching: false },
    { asked, outputTokens: Math.min(outputTokens, record.outputTokens) },
  );
  const read = async (): Promise<Final> => {
    for await (const event of model.stream(built.request, signal)) {
      if (event.kind === "sent") bodyHash = event.bodyHash;
      else if (event.kind === "usage") usage.push(event.usage);
      else if (event.kind === "done" || event.kind === "failed" || event.kind === "aborted") return event;
    }
    return { kind: "failed", error: new BobbinError("model_garbage", "the stream had no final event") };
  };
  const raced = await orAborted(read(), signal);
  const final: Final =
    raced.kind === "value"
      ? raced.value
      : raced.kind === "aborted"
        ? { kind: "aborted" }
        : { kind: "failed", error: toBobbinError(raced.error) };
  const call: ModelCallRecord = {
    id: newId(),
    round: 0,
    purpose,
    model: record.name,
    ...frozenOf({ system, tools }, hash),
    firstSeq: 0,
    lastSeq: 0,
    excluded: [],
    params: requestParamsOf(built),
    ...(bodyHash === undefined ? {} : { bodyHash }),
    usage: [...usage],
    startedAt,
    durationMs: clock.ticks() - startTicks,
    ...outcomeOf(final),
  };
  return { final, call };
}

function outcomeOf(final: Final): Pick<ModelCallRecord, "outcome" | "error"> {
  switch (final.kind) {
    case "done":
      return { outcome: final.finish === "length" ? "cut" : "done" };
    case "failed":
      return { outcome: "failed", error: final.error.code };
    case "aborted":
      return { outcome: "aborted" };
    default:
      return final satisfies never;
  }
}
