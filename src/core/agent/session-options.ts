/** Options of a session: copied and checked once, so that changing them later changes nothing. */

import type { Author } from "../inbound.ts";
import type { ModelRecord, Thinking } from "../ports/model.ts";
import { checkLimits, checkPositive } from "./limits.ts";
import type { Limits } from "./loop-types.ts";
import { allowAll, type Tool, type ToolGate } from "./tool.ts";

export interface SessionOptions {
  /** Runs of one id are serialised by the locker. */
  readonly id: string;
  readonly model: ModelRecord;
  /** Sent first in every request and never stored. Default: none. */
  readonly system?: string;
  /** Default: none; a call then gets a result that says so. */
  readonly tools?: readonly Tool[];
  /** Default: every call is allowed. */
  readonly gate?: ToolGate;
  readonly limits?: Partial<Limits>;
  /** From 0 to 2. Default: the model's own. */
  readonly temperature?: number;
  /** Default: the model's own. */
  readonly thinking?: Thinking;
  /** Marks for the provider's prompt cache. Default true. */
  readonly caching?: boolean;
  /** When History is written: once at the end of a completed run (default), or round by round. */
  readonly persist?: "run" | "round";
  /** Whose rights the tools have. */
  readonly requester?: Author;
  /** How long `stop` waits for the clean end, ms. Default 5,000. */
  readonly stopMs?: number;
  /** How long a read or write of History may take once the run was cancelled or timed out, ms. Default 5,000. */
  readonly flushMs?: number;
}

export interface RunOptions {
  /** Aborting cancels the run. */
  readonly signal?: AbortSignal;
  /** Added to the system prompt for this run. */
  readonly systemSuffix?: string;
  /** In place of the session's. */
  readonly thinking?: Thinking;
}

export interface CheckedOptions {
  readonly id: string;
  readonly model: ModelRecord;
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly gate: ToolGate;
  readonly limits: Limits;
  readonly temperature?: number;
  readonly thinking?: Thinking;
  readonly caching: boolean;
  readonly persist: "run" | "round";
  readonly requester?: Author;
  readonly stopMs: number;
  readonly flushMs: number;
}

/** @throws RangeError that names the option. */
export function checkOptions(given: SessionOptions): CheckedOptions {
  const { id, temperature, thinking, requester, stopMs = 5_000, flushMs = 5_000, gate = allowAll } = given;
  if (id === "") throw new RangeError("id has to be given");
  checkModel(given.model);
  checkPositive("stopMs", stopMs, "is finite");
  checkPositive("flushMs", flushMs, "is finite");
  if (temperature !== undefined && !(temperature >= 0 && temperature <= 2)) {
    throw new RangeError(`temperature has to be from 0 to 2, not ${temperature}`);
  }
  if (given.persist !== undefined && given.persist !== "run" && given.persist !== "round") {
    throw new RangeError(`persist has to be "run" or "round", not ${String(given.persist)}`);
  }
  return {
    id,
    model: structuredClone(given.model),
    system: given.system ?? "",
    tools: checkTools(given.tools ?? []),
    gate: { decide: gate.decide.bind(gate) },
    limits: checkLimits(given.limits),
    ...(temperature === undefined ? {} : { temperature }),
    ...(thinking === undefined ? {} : { thinking: checkThinking(thinking) }),
    caching: given.caching ?? true,
    persist: given.persist ?? "run",
    ...(requester === undefined ? {} : { requester: { ...requester } }),
    stopMs,
    flushMs,
  };
}

/** @throws RangeError */
export function checkThinking(thinking: Thinking): Thinking {
  if (thinking.kind === "budget") checkPositive("thinking.tokens", thinking.tokens, "is finite");
  return { ...thinking };
}

function checkModel(model: ModelRecord): void {
  for (const name of ["contextWindow", "outputTokens", "largerOutputTokens"] as const) {
    checkPositive(`model.${name}`, model[name], "is finite");
  }
  if (model.largerOutputTokens < model.outputTokens) {
    throw new RangeError("model.largerOutputTokens cannot be below model.outputTokens");
  }
}

function checkTools(tools: readonly Tool[]): Tool[] {
  const names = new Set<string>();
  return tools.map((tool) => {
    const { name, description, schema, effect, timeoutMs } = tool;
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) throw new RangeError(`not a tool name: ${JSON.stringify(name)}`);
    if (names.has(name)) throw new RangeError(`two tools have the name ${name}`);
    names.add(name);
    if (timeoutMs !== undefined) checkPositive(`tools.${name}.timeoutMs`, timeoutMs, "may be Infinity");
    return Object.freeze({
      name,
      description,
      schema: structuredClone(schema),
      effect,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      parse: tool.parse.bind(tool),
      run: tool.run.bind(tool),
    });
  });
}
