/** What answers: the model (a demo one where none is configured), its tools, and what it is told. */

import { readFileSync } from "node:fs";
import { createDemoModel, demoRecord } from "../adapters/demo/model.ts";
import { sha256 } from "../adapters/ids.ts";
import { listedModels, modelRecordOf } from "../adapters/settings/model-record.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import { createTimeTool } from "../adapters/tools/clock.ts";
import { createEarlierMessagesTool } from "../adapters/tools/earlier-messages.ts";
import type { LoopProfile } from "../core/agent/loop-types.ts";
import { allowAll, type Tool } from "../core/agent/tool.ts";
import { createProfileOf, type ProfileOf } from "../core/agent/frozen-profile.ts";
import { composePrompt } from "../core/context/prompt.ts";
import type { Models } from "../core/command/models.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Conversation } from "../core/ports/conversation.ts";
import type { Log } from "../core/ports/log.ts";
import type { Model } from "../core/ports/model.ts";

export interface Agent {
  readonly model: Model;
  readonly profileOf: ProfileOf;
  close(): Promise<void>;
}

export interface AgentDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** What the model may read back. */
  readonly conversation: Conversation;
  /** Besides the product's own. */
  readonly tools: readonly Tool[];
  /** What a thread with a goal has besides. */
  readonly goalTools: readonly Tool[];
}

const FIRST_WORD_MS = 150_000;

/**
 * Which models there are for a thread. Only those who answer surely know the usual one: a gateway may run without the settings of the
 * model. The demo model answers for all where none is set, so it is then the only one.
 */
export function modelsOf(role: "start" | "gateway" | "worker", settings: Settings): Models {
  const usual = modelRecordOf(settings);
  if (usual !== undefined) return { usual, listed: listedModels(settings) };
  return role === "gateway" ? { listed: listedModels(settings) } : { usual: demoRecord, listed: [] };
}

/** Rejects when SYSTEM_PROMPT_FILE cannot be read. */
export async function openAgent(deps: AgentDeps, settings: Settings, botName: string): Promise<Agent> {
  const { clock, log, conversation } = deps;
  const { limits } = settings.config;
  const record = modelRecordOf(settings);
  const profile: LoopProfile = {
    model: record ?? demoRecord,
    system: composePrompt({ botName, ...instructions(settings.systemPromptFile) }),
    tools: [createTimeTool({ clock }), createEarlierMessagesTool({ conversation }), ...deps.tools],
    gate: allowAll,
    limits,
    caching: true,
  };
  const listed = record === undefined ? [] : listedModels(settings);
  const profileOf = createProfileOf(profile, sha256, { listed, goalTools: deps.goalTools });
  if (record === undefined) {
    return { model: createDemoModel({ clock }), profileOf, close: () => Promise.resolve() };
  }
  const { createOpenAiModel } = await import("../adapters/openai/model.ts");
  const model = createOpenAiModel(
    { clock, log },
    {
      apiKey: settings.openaiApiKey ?? "",
      idleMs: limits.modelIdleMs,
      // A local model may load for minutes before its first word; who allows longer pauses allows a longer start too.
      dataIdleMs: Math.max(limits.modelIdleMs, FIRST_WORD_MS),
      ...(settings.openaiBaseUrl === undefined ? {} : { baseUrl: settings.openaiBaseUrl }),
    },
  );
  return { model, profileOf, close: () => model.close() };
}

function instructions(file: string | undefined): { readonly custom?: string } {
  if (file === undefined) return {};
  try {
    return { custom: readFileSync(file, "utf8") };
  } catch (error) {
    throw new Error(`SYSTEM_PROMPT_FILE cannot be read: ${file}. Correct the path, or unset it.`, {
      cause: error,
    });
  }
}
