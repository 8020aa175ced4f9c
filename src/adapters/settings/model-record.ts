/** What is known of the model that the settings name: what the configuration lists, else careful values. */

import type { ModelRecord } from "../../core/ports/model.ts";
import { unlistedModel } from "./config.ts";
import { liteServerOf, type Settings } from "./settings.ts";

type Given = Pick<Settings, "model" | "openaiBaseUrl" | "config">;
type LiteGiven = Pick<
  Settings,
  "liteModel" | "liteBaseUrl" | "liteApiKey" | "openaiBaseUrl" | "openaiApiKey" | "config"
>;

/** Undefined without a model: then the demo answers. */
export function modelRecordOf(settings: Given): ModelRecord | undefined {
  const { model: name, config } = settings;
  if (name === undefined) return undefined;
  const record =
    config.models.find((model) => model.name === name) ?? unlistedModel(name, config.limits.outputTokens);
  return forServer(record, settings);
}

/** The cheap model; undefined where none is set. */
export function liteRecordOf(settings: LiteGiven): ModelRecord | undefined {
  const { liteModel: model, config } = settings;
  return modelRecordOf({ model, config, openaiBaseUrl: liteServerOf(settings).baseUrl });
}

/** Those that the configuration lists. */
export function listedModels(settings: Given): readonly ModelRecord[] {
  return settings.config.models.map((record) => forServer(record, settings));
}

/** What the record does not say and the server's address does. */
function forServer(record: ModelRecord, { openaiBaseUrl }: Given): ModelRecord {
  // OpenAI's own newer models refuse `max_tokens`, and its older ones take both; other servers know the older name.
  const outputCapField = openaiBaseUrl === undefined ? "max_completion_tokens" : "max_tokens";
  const replays = replaysOf(openaiBaseUrl);
  return { outputCapField, ...(replays === undefined ? {} : { replays }), ...record };
}

/** These refuse the results of calls without it. Behind a gateway the record has to say so. */
const REPLAYS: readonly (readonly [host: RegExp, replays: NonNullable<ModelRecord["replays"]>])[] = [
  [/^api\.deepseek\.com$/, "reasoning_content"],
  [/^api\.moonshot\.(ai|cn)$/, "reasoning_content"],
  [/^generativelanguage\.googleapis\.com$/, "extra_content"],
  [/(^|-)aiplatform\.googleapis\.com$/, "extra_content"],
];

function replaysOf(baseUrl: string | undefined): ModelRecord["replays"] {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return undefined;
  const { hostname } = new URL(baseUrl);
  return REPLAYS.find(([host]) => host.test(hostname))?.[1];
}
