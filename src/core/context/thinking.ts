/** Thinking in the kind that a model takes. The only place that knows how many tokens an effort stands for. */

import type { ModelRecord, Thinking } from "../ports/model.ts";

const EFFORT_TOKENS = { low: 1_024, medium: 4_096, high: 16_384 } as const;

/** Absent where the model cannot think. */
export function thinkingFor(
  model: Pick<ModelRecord, "thinking">,
  thinking: Thinking | undefined,
): Thinking | undefined {
  if (thinking === undefined || model.thinking === "none") return undefined;
  if (thinking.kind === model.thinking) return thinking;
  if (thinking.kind === "effort") return { kind: "budget", tokens: EFFORT_TOKENS[thinking.effort] };
  if (thinking.tokens <= EFFORT_TOKENS.low) return { kind: "effort", effort: "low" };
  return { kind: "effort", effort: thinking.tokens <= EFFORT_TOKENS.medium ? "medium" : "high" };
}
