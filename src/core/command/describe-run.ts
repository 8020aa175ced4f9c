/** What `usage` and `details` say, in plain markdown. Pure. */

import { END_REASONS } from "../end-reason.ts";
import { formatDuration, formatMoney, formatTokens } from "../measure.ts";
import type { ModelCallView, ModelUsage, RunDetails, SessionUsage } from "../ports/transcripts.ts";
import { totalTokens, type Usage } from "../usage.ts";

const NO_RUN = "The bot has not answered anything in this thread yet.";

export function describeUsage({ models, last }: SessionUsage): string {
  if (models.length === 0) return "No model call of this thread is complete yet.";
  const lines = ["In this thread, also before a reset:", "", ...models.map(ofModel)];
  if (last.length > 0) lines.push("", "In its last answer:", "", ...last.map(ofModel));
  return lines.join("\n");
}

function ofModel({ model, calls, reported, usage }: ModelUsage): string {
  const cost = usage.cost === undefined ? "cost not reported" : formatMoney(usage.cost);
  // A sum over some of the calls must not read as one over all.
  const partly =
    reported > 0 && reported < calls ? ` (told for ${reported} of ${counted(calls, "call")})` : "";
  return `- \`${model}\`: ${counted(calls, "call")}, ${tokensOf(usage)}, ${cost}${partly}`;
}

/** `1,204 tokens (900 in, 200 from the cache, 104 out)`. */
function tokensOf(usage: Usage): string {
  const total = totalTokens(usage);
  if (total === undefined) return "tokens not reported";
  const named: readonly (readonly [number | undefined, string])[] = [
    [usage.input, "in"],
    [usage.cacheRead, "from the cache"],
    [usage.cacheWrite, "to the cache"],
    [usage.output, "out"],
    [usage.reasoning, "thinking"],
  ];
  const buckets = named.flatMap(([tokens, word]) =>
    tokens === undefined ? [] : [`${formatTokens(tokens).split(" ")[0]} ${word}`],
  );
  return `${formatTokens(total)} (${buckets.join(", ")})`;
}

const SHOWN = 12;

/** @param now ms since 1970. */
export function describeDetails(details: RunDetails | undefined, now: number): string {
  if (details === undefined) return NO_RUN;
  const { run, modelCalls, tools } = details;
  const { outcome } = run;
  const tookMs = Math.max(0, (outcome?.endedAt ?? now) - run.startedAt);
  const how = outcome === undefined ? "It is under way." : END_REASONS[outcome.reason].why;
  const lines = [`Run \`${run.id}\`: ${formatDuration(tookMs)}. ${how}`];
  if (modelCalls.length > 0) {
    lines.push("", `${counted(modelCalls.length, "model call")}:`, "", ...shown(modelCalls.map(ofCall)));
  }
  if (tools.length > 0) {
    lines.push("", `${counted(tools.length, "tool call")}:`, "", ...shown(tools.map(ofTool)));
  }
  if (modelCalls.length + tools.length === 0) lines.push("", "No model call is complete.");
  return lines.join("\n");
}

function shown(lines: readonly string[]): readonly string[] {
  const more = lines.length - SHOWN;
  return more > 0 ? [...lines.slice(0, SHOWN), `- and ${more} more`] : lines;
}

const OUTCOMES: Readonly<Record<ModelCallView["outcome"], string>> = {
  done: "complete",
  cut: "cut by the length limit",
  failed: "failed",
  aborted: "stopped",
};

const PURPOSES: Readonly<Record<NonNullable<ModelCallView["purpose"]>, string>> = {
  verify: ", to look whether the goal is reached",
  title: ", to name the thread",
};

function ofCall({ model, durationMs, outcome, error, purpose, usage }: ModelCallView): string {
  const how = error === undefined ? OUTCOMES[outcome] : `${OUTCOMES[outcome]} (${error})`;
  const what = purpose === undefined ? "" : PURPOSES[purpose];
  return `- \`${model}\`${what}: ${formatDuration(durationMs)}, ${tokensOf(usage)}, ${how}`;
}

function ofTool({ name, ok, durationMs }: RunDetails["tools"][number]): string {
  const took = durationMs === undefined ? "" : `${formatDuration(durationMs)}, `;
  return `- \`${name}\`: ${took}${ok ? "worked" : "failed"}`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
