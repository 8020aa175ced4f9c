// The adapter against a fake provider that others wrote: what we both read out of the protocol is the same.
import { LLMock } from "@copilotkit/aimock";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createOpenAiModel, type OpenAiModel } from "../../../src/adapters/openai/model.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { ModelMessage } from "../../../src/core/ports/model.ts";
import { asks, gather, isFinal, only, shownText } from "../../support/fake-llm/request.ts";

let mock: LLMock;
let model: OpenAiModel;

beforeAll(async () => {
  mock = new LLMock({ port: 0, chunkSize: 4 });
  await mock.start();
  const options = { apiKey: "k", baseUrl: `${mock.url}/v1`, backoffMs: 1, maxAttempts: 2, idleMs: 5_000 };
  model = createOpenAiModel({ clock: createSystemClock() }, options);
});

afterEach(() => {
  mock.clearChaos();
  mock.reset();
});

afterAll(async () => {
  await model.close();
  await mock.stop();
});

test("text is streamed in pieces, with its usage", async () => {
  const text = "Once upon a time there was a bot 🤖 that answered.";
  mock.onMessage("story", { content: text });
  const events = await gather(model, asks("a story please"));
  expect(events.filter((event) => event.kind === "text").length).toBeGreaterThan(3);
  expect(shownText(events)).toBe(text);
  expect(only(events, "done")).toMatchObject({ text, calls: [], finish: "end" });
  expect(only(events, "usage").usage).toMatchObject({
    input: expect.any(Number),
    output: expect.any(Number),
  });
});

test("reasoning is thinking and not text", async () => {
  mock.onMessage("think", { content: "42", reasoning: "six times seven" });
  const events = await gather(model, asks("think"));
  expect(only(events, "done").text).toBe("42");
  expect(events.map((event) => (event.kind === "thinking" ? event.text : "")).join("")).toBe(
    "six times seven",
  );
});

test("parallel calls come in order, and the second turn with their results is understood", async () => {
  const calls = [
    { id: "call_a", name: "search", arguments: '{"q":"moon"}' },
    { id: "call_b", name: "search", arguments: '{"q":"sun and stars"}' },
  ];
  // The first that matches answers: a result stands behind the question, so it is looked for first.
  mock.onToolResult("call_b", { content: "both are up there" });
  mock.onMessage("where", { toolCalls: calls });
  const question: ModelMessage = { role: "user", content: [{ kind: "text", text: "where are they?" }] };
  const first = only(await gather(model, asks("", { messages: [question] })), "done");
  expect(first.calls).toEqual(calls);
  const results = calls.map(({ id, name }): ModelMessage => ({
    role: "tool",
    call: id,
    name,
    content: "up there",
  }));
  const second = asks("", {
    messages: [question, { role: "assistant", text: "", calls: first.calls }, ...results],
  });
  expect(only(await gather(model, second), "done")).toMatchObject({ text: "both are up there", calls: [] });
});

test.each([
  ["drops the request", { dropRate: 1 }, "model_unavailable"],
  ["answers garbage", { malformedRate: 1 }, "model_garbage"],
  ["cuts the connection", { disconnectRate: 1 }, "model_unavailable"],
  ["limits the rate", { rateLimitRate: 1 }, "model_rate_limited"],
])("a provider that %s is a typed error after the retries", async (_, chaos, code) => {
  mock.onMessage("hi", { content: "hello" });
  mock.setChaos(chaos);
  const events = await gather(model, asks("hi"));
  expect(events.filter(isFinal)).toHaveLength(1);
  expect(only(events, "failed").error).toMatchObject({ code, retryable: true });
  mock.clearChaos();
  expect(only(await gather(model, asks("hi")), "done").text).toBe("hello");
});

test("one bad answer is passed over", async () => {
  mock.onMessage("hi", { content: "hello" });
  mock.nextRequestError(503, { message: "busy" });
  const events = await gather(model, asks("hi"));
  expect(events.map((event) => event.kind)).toContain("again");
  expect(only(events, "done").text).toBe("hello");
});
