/** What is known of the model that the settings name: what the configuration lists, else careful values. */

import type { ModelRecord } from "../../core/ports/model.ts";
import { unlistedModel } from "./config.ts";
import type { Settings } from "./settings.ts";

/** Undefined without a model: then the demo answers. */
export function modelRecordOf(
  settings: Pick<Settings, "model" | "openaiBaseUrl" | "config">,
): ModelRecord | undefined {
  const { model: name, openaiBaseUrl, config } = settings;
  if (name === undefined) return undefined;
  const record =
    config.models.find((model) => model.name === name) ?? unlistedModel(name, config.limits.outputTokens);
  // OpenAI's own newer models refuse `max_tokens`, and its older ones take both; other servers know the older name.
  const outputCapField = openaiBaseUrl === undefined ? "max_completion_tokens" : "max_tokens";
  return { outputCapField, ...record };
}
