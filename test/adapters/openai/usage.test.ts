import { describe, expect, test } from "vitest";
import { usageOf } from "../../../src/adapters/openai/usage.ts";

describe("reported usage", () => {
  test.each([
    ["plain", { prompt_tokens: 10, completion_tokens: 4 }, { input: 10, output: 4 }],
    [
      "with OpenAI's details",
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 60 },
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      { input: 40, cacheRead: 60, output: 20, reasoning: 30 },
    ],
    [
      "with OpenRouter's cost and cache writes",
      {
        prompt_tokens: 100,
        completion_tokens: 5,
        cost: 0.25,
        prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 70 },
      },
      { input: 20, cacheRead: 10, cacheWrite: 70, output: 5, cost: 0.25 },
    ],
    [
      "with DeepSeek's cache",
      { prompt_tokens: 100, completion_tokens: 5, prompt_cache_hit_tokens: 90, prompt_cache_miss_tokens: 10 },
      { input: 10, cacheRead: 90, output: 5 },
    ],
    [
      "with reasoning beside the completion and not in it",
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 35,
        completion_tokens_details: { reasoning_tokens: 20 },
      },
      { input: 10, output: 5, reasoning: 20 },
    ],
    [
      "with zeros, which are reports",
      { prompt_tokens: 0, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } },
      { input: 0, cacheRead: 0, output: 0 },
    ],
    [
      "with more cached than there was",
      { prompt_tokens: 5, prompt_tokens_details: { cached_tokens: 9 } },
      { input: 0, cacheRead: 9 },
    ],
    [
      "with halves",
      { prompt_tokens: 12.5, completion_tokens: 4.4, completion_tokens_details: { reasoning_tokens: 1.2 } },
      { input: 13, output: 3, reasoning: 1 },
    ],
    [
      "with figures that cannot be true",
      {
        prompt_tokens: 1e21,
        completion_tokens: -4,
        prompt_tokens_details: { cached_tokens: -1, cache_write_tokens: Number.MAX_SAFE_INTEGER },
        completion_tokens_details: { reasoning_tokens: 3 },
        cost: -1,
        total_cost: 1e300,
      },
      { reasoning: 3 },
    ],
    [
      "with one that can be true behind one that cannot",
      {
        prompt_tokens: 10,
        prompt_tokens_details: { cached_tokens: -1 },
        cache_read_input_tokens: 4,
        cost: -1,
        total_cost: 2,
      },
      { input: 6, cacheRead: 4, cost: 2 },
    ],
    ["with nonsense", { prompt_tokens: "many", completion_tokens: null }, {}],
  ])("%s falls into disjoint buckets", (_, reported, usage) => {
    expect(usageOf(reported, undefined)).toEqual(usage);
  });

  test("is priced by the record where the provider names no cost", () => {
    const price = { input: 2, cacheRead: 0.5, output: 10 };
    const reported = {
      prompt_tokens: 1_000_000,
      completion_tokens: 200_000,
      prompt_tokens_details: { cached_tokens: 400_000 },
      completion_tokens_details: { reasoning_tokens: 100_000 },
    };
    expect(usageOf(reported, price).cost).toBeCloseTo(1.2 + 0.2 + 2);
    expect(usageOf({ ...reported, cost: 7 }, price).cost).toBe(7);
    expect(usageOf({}, price)).not.toHaveProperty("cost");
  });
});
