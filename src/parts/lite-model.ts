/** The model beside the one that answers: a cheap one on the same server with the same key, or on one of its own. */

import { liteRecordOf, modelRecordOf } from "../adapters/settings/model-record.ts";
import { liteServerOf, type Settings } from "../adapters/settings/settings.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import type { Model, ModelRecord } from "../core/ports/model.ts";

export interface LiteModel {
  readonly record: ModelRecord;
  readonly model: Model;
  close(): Promise<void>;
}

/**
 * Undefined where none is set, unless it has to be there: then the one that answers is asked. Whoever asks it has a limit of time and
 * tries of its own: a request is sent once.
 */
export async function openLiteModel(
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  settings: Settings,
  need: "if set" | "always",
): Promise<LiteModel | undefined> {
  const record = liteRecordOf(settings) ?? (need === "always" ? modelRecordOf(settings) : undefined);
  if (record === undefined) return undefined;
  const { apiKey = "", baseUrl } = liteServerOf(settings);
  const { createOpenAiModel } = await import("../adapters/openai/model.ts");
  const model = createOpenAiModel(
    { clock, log },
    { apiKey, maxAttempts: 1, ...(baseUrl === undefined ? {} : { baseUrl }) },
  );
  return { record, model, close: () => model.close() };
}
