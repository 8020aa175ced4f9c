import { describe, expect, test } from "vitest";
import { bodyOf } from "../../../src/adapters/openai/wire.ts";
import { thinkingFor } from "../../../src/core/context/thinking.ts";
import type { ModelMessage, ModelRecord, ModelRequest, Thinking } from "../../../src/core/ports/model.ts";
import { asks, plainModel } from "../../support/fake-llm/request.ts";
import { complaintsAbout } from "../../support/fake-llm/strict-provider.ts";

interface Body {
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly [key: string]: unknown;
}

function parsed(request: ModelRequest): Body {
  const text = bodyOf(request);
  expect(complaintsAbout(Buffer.from(text))).toEqual([]);
  return JSON.parse(text) as Body;
}

const user = (text: string): ModelMessage => ({ role: "user", content: [{ kind: "text", text }] });

const toolRound: readonly ModelMessage[] = [
  user("find it"),
  {
    role: "assistant",
    text: "",
    calls: [
      { id: "c1", name: "search", arguments: '{"q":"moon"}' },
      { id: "c2", name: "search", arguments: "" },
    ],
  },
  { role: "tool", call: "c1", name: "search", content: "up there" },
  { role: "tool", call: "c2", name: "search", content: "" },
];

describe("the body of a request", () => {
  test("is written in one order, byte for byte", () => {
    expect(bodyOf(asks("hi", { tools: [], temperature: 0.5 }))).toBe(
      '{"model":"fake-1","messages":[{"role":"system","content":"You are a test."},{"role":"user","content":"hi"}],' +
        '"stream":true,"stream_options":{"include_usage":true},"max_tokens":1000,"temperature":0.5}',
    );
  });

  test("does not depend on the order in which the request's keys were made", () => {
    const request = asks("hi", { messages: toolRound });
    const turned = Object.fromEntries(Object.entries(request).toReversed()) as unknown as ModelRequest;
    expect(bodyOf(turned)).toBe(bodyOf(request));
  });

  test("only grows when the history grows", () => {
    const prefix = (body: string): string => body.slice(0, body.indexOf('],"tools"'));
    const before = prefix(bodyOf(asks("", { messages: [user("find it")] })));
    const after = prefix(bodyOf(asks("", { messages: toolRound })));
    expect(after.startsWith(before)).toBe(true);
  });

  test("has calls with their results, arguments as strings, and nothing empty", () => {
    const { messages } = parsed(asks("", { messages: toolRound }));
    expect(messages[2]).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "c1", type: "function", function: { name: "search", arguments: '{"q":"moon"}' } },
        { id: "c2", type: "function", function: { name: "search", arguments: "{}" } },
      ],
    });
    expect(messages[4]).toEqual({ role: "tool", tool_call_id: "c2", content: "(no output)" });
  });

  test("H9: text that a strict parser refuses is replaced at every depth", () => {
    const half = "🙂".charAt(0);
    const text = bodyOf(
      asks(`a${half}b\u0000c`, {
        tools: [{ name: "f", description: half, schema: { type: "object", title: half } }],
      }),
    );
    expect(complaintsAbout(Buffer.from(text))).toEqual([]);
    expect(text).toContain("a\uFFFDb\uFFFDc");
  });

  test("has images as data addresses beside their text", () => {
    const image = { kind: "image", mimeType: "image/png", data: "aGk=" } as const;
    const content = [{ kind: "text", text: "what is it?" } as const, image];
    expect(parsed(asks("", { messages: [{ role: "user", content }] })).messages[1]?.["content"]).toEqual([
      { type: "text", text: "what is it?" },
      { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
    ]);
  });

  test("replays opaque reasoning as it came, and leaves out what is none", () => {
    const details = [{ type: "reasoning.encrypted", data: "xyz", index: 0 }];
    const said = (reasoning: string): ModelMessage => ({
      role: "assistant",
      text: "ok",
      calls: [],
      reasoning,
    });
    const of = (reasoning: string) =>
      parsed(asks("", { messages: [user("a"), said(reasoning), user("b")] })).messages[2];
    expect(of(JSON.stringify({ reasoning_details: details }))).toEqual({
      role: "assistant",
      content: "ok",
      reasoning_details: details,
    });
    for (const odd of ["", "no json", "[]", '{"reasoning_details":[]}'])
      expect(of(odd)).not.toHaveProperty("reasoning_details");
  });
});

describe("cache marks", () => {
  const marks: Partial<ModelRequest> = {
    cacheSystem: true,
    messages: [user("a"), { role: "assistant", text: "b", calls: [] }, { ...user("c"), cacheHere: true }],
  };
  const mark = { cache_control: { type: "ephemeral" } };

  test("stand where the request asks for them", () => {
    const { messages } = parsed(asks("", { ...marks, model: { ...plainModel, caching: "breakpoints" } }));
    expect(messages.map((message) => message["content"])).toEqual([
      [{ type: "text", text: "You are a test.", ...mark }],
      "a",
      "b",
      [{ type: "text", text: "c", ...mark }],
    ]);
  });

  test("stand nowhere without being asked for, nor for a provider that does not read them", () => {
    const model: ModelRecord = { ...plainModel, caching: "breakpoints" };
    expect(bodyOf(asks("hi", { model }))).not.toContain("cache_control");
    expect(bodyOf(asks("", marks))).not.toContain("cache_control");
  });

  test("stand on results and replies too", () => {
    const last = toolRound.map((message, at) =>
      at === 2 ? { ...message, cacheHere: true as const } : message,
    );
    const { messages } = parsed(
      asks("", { messages: last, model: { ...plainModel, caching: "breakpoints" } }),
    );
    expect(messages[3]?.["content"]).toEqual([{ type: "text", text: "up there", ...mark }]);
  });
});

describe("what differs between models", () => {
  const body = (model: Partial<ModelRecord>, more: Partial<ModelRequest> = {}): Body =>
    parsed(asks("hi", { model: { ...plainModel, ...model }, ...more }));

  test("the output cap has the field's name that the record gives", () => {
    expect(body({})).toMatchObject({ max_tokens: 1_000 });
    const newer = body({ outputCapField: "max_completion_tokens" });
    expect(newer).toMatchObject({ max_completion_tokens: 1_000 });
    expect(newer).not.toHaveProperty("max_tokens");
  });

  test("thinking is asked for in the kind that the model takes", () => {
    const asked = (kind: ModelRecord["thinking"], given?: Thinking): Body => {
      const thinking = thinkingFor({ thinking: kind }, given);
      return body({ thinking: kind }, thinking === undefined ? {} : { thinking });
    };
    const effort = { kind: "effort", effort: "high" } as const;
    const budget = { kind: "budget", tokens: 500 } as const;
    expect(asked("effort", effort)).toMatchObject({ reasoning_effort: "high" });
    expect(asked("effort", budget)).toMatchObject({ reasoning_effort: "low" });
    expect(asked("budget", budget)).toMatchObject({ reasoning: { max_tokens: 500 } });
    expect(asked("budget", effort)).toMatchObject({ reasoning: { max_tokens: 800 } });
    for (const none of [asked("none", effort), asked("effort")]) {
      expect(none).not.toHaveProperty("reasoning_effort");
      expect(none).not.toHaveProperty("reasoning");
    }
  });
});
