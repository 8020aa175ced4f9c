/** Token use as providers report it, sorted into the disjoint buckets of `core/usage`. */

import type { ModelRecord } from "../../core/ports/model.ts";
import type { Usage } from "../../core/usage.ts";
import { numberOf, objectOf, type JsonObject } from "./json.ts";

/** Nothing takes more: a figure above, or below zero, tells of a provider that counts wrong, and is as good as none. */
const MOST_TOKENS = 1e12;
const MOST_DOLLARS = 1e6;

/**
 * Whole tokens. A bucket that was not reported, or that cannot be true, stays absent. The cost is the provider's where it names one, else computed from the record's
 * price, else absent.
 */
export function usageOf(reported: JsonObject, price: ModelRecord["price"]): Usage {
  const buckets = { ...inputOf(reported), ...outputOf(reported) };
  const cost = costOf(reported) ?? priced(buckets, price);
  return cost === undefined ? buckets : { ...buckets, cost };
}

function inputOf(reported: JsonObject): Usage {
  const details = objectOf(reported["prompt_tokens_details"]);
  const cacheRead = firstTokens(
    details?.["cached_tokens"],
    reported["prompt_cache_hit_tokens"],
    reported["cache_read_input_tokens"],
  );
  const cacheWrite = firstTokens(
    details?.["cache_write_tokens"],
    details?.["cache_creation_tokens"],
    reported["cache_creation_input_tokens"],
  );
  const prompt = tokensOf(reported["prompt_tokens"]);
  return {
    ...(prompt !== undefined && { input: Math.max(0, prompt - (cacheRead ?? 0) - (cacheWrite ?? 0)) }),
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  };
}

function outputOf(reported: JsonObject): Usage {
  const details = objectOf(reported["completion_tokens_details"]);
  const reasoning = firstTokens(details?.["reasoning_tokens"], reported["reasoning_tokens"]);
  const completion = tokensOf(reported["completion_tokens"]);
  if (completion === undefined) return reasoning === undefined ? {} : { reasoning };
  if (reasoning === undefined) return { output: completion };
  // Most providers count reasoning within the completion. With those that do not, the total shows it.
  const prompt = tokensOf(reported["prompt_tokens"]) ?? 0;
  const isBeside = reasoning > 0 && tokensOf(reported["total_tokens"]) === prompt + completion + reasoning;
  return { output: isBeside ? completion : Math.max(0, completion - reasoning), reasoning };
}

function costOf(reported: JsonObject): number | undefined {
  const named = [reported["cost"], reported["total_cost"], objectOf(reported["cost"])?.["total_cost"]];
  return named.map(dollarsOf).find((dollars) => dollars !== undefined);
}

function priced(usage: Usage, price: ModelRecord["price"]): number | undefined {
  if (price === undefined || (usage.input === undefined && usage.output === undefined)) return undefined;
  const perMillion =
    (usage.input ?? 0) * price.input +
    (usage.cacheRead ?? 0) * (price.cacheRead ?? price.input) +
    (usage.cacheWrite ?? 0) * (price.cacheWrite ?? price.input) +
    ((usage.output ?? 0) + (usage.reasoning ?? 0)) * price.output;
  return perMillion / 1_000_000;
}

function firstTokens(...values: readonly unknown[]): number | undefined {
  return values.map(tokensOf).find((tokens) => tokens !== undefined);
}

/** Some servers report halves. */
function tokensOf(value: unknown): number | undefined {
  const tokens = numberOf(value);
  return tokens !== undefined && tokens >= 0 && tokens <= MOST_TOKENS ? Math.round(tokens) : undefined;
}

function dollarsOf(value: unknown): number | undefined {
  const dollars = numberOf(value);
  return dollars !== undefined && dollars >= 0 && dollars <= MOST_DOLLARS ? dollars : undefined;
}
