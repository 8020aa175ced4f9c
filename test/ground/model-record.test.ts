import { expect, test } from "vitest";
import { checkConfig } from "../../src/adapters/settings/config.ts";
import { modelRecordOf } from "../../src/adapters/settings/model-record.ts";
import type { ModelRecord } from "../../src/core/ports/model.ts";

function recordAt(
  openaiBaseUrl: string | undefined,
  models: readonly object[] = [],
): ModelRecord | undefined {
  const checked = checkConfig({ models });
  if (checked.kind === "wrong") throw new Error(JSON.stringify(checked.problems));
  return modelRecordOf({ model: "m", openaiBaseUrl, config: checked.config });
}

test.each<[string, string | undefined, string | undefined]>([
  ["OpenAI's own server", undefined, undefined],
  ["a server that nobody knows", "http://127.0.0.1:1/v1", undefined],
  ["DeepSeek", "https://api.deepseek.com", "reasoning_content"],
  ["Kimi", "https://api.moonshot.ai/v1", "reasoning_content"],
  ["Gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "extra_content"],
  ["Vertex", "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/openai", "extra_content"],
  ["who only looks like it", "https://api.deepseek.com.example/v1", undefined],
])("what %s wants back of a reply with calls is known by its address", (_, baseUrl, replays) => {
  expect(recordAt(baseUrl)?.replays).toBe(replays);
});

test("what the record says of it holds, wherever the server stands", () => {
  const own = { name: "m", contextWindow: 8_000, replays: "none", beginsThinking: true };
  expect(recordAt("https://api.deepseek.com", [own])).toMatchObject({
    replays: "none",
    beginsThinking: true,
  });
  expect(recordAt("http://127.0.0.1:1/v1", [{ ...own, replays: "reasoning_content" }])?.replays).toBe(
    "reasoning_content",
  );
});
