// The fake is only worth something when it complains, and when others understand what it says.
import { OpenAI } from "openai";
import { describe, expect, test } from "vitest";
import { until } from "../until.ts";
import { createFakeLlm } from "./server.ts";
import { complaintsAbout } from "./strict-provider.ts";

const user = { role: "user", content: "hi" };
const tools = [
  { type: "function", function: { name: "f", description: "", parameters: { type: "object" } } },
];
const call = (id: string, given: unknown = "{}") => ({
  id,
  type: "function",
  function: { name: "f", arguments: given },
});
const calls = (...all: readonly unknown[]) => ({ role: "assistant", content: null, tool_calls: all });
const result = (id: string, content: unknown = "ok") => ({ role: "tool", tool_call_id: id, content });

function complaints(messages: unknown, more: Readonly<Record<string, unknown>> = {}): string {
  return complaintsAbout(Buffer.from(JSON.stringify({ model: "m", messages, tools, ...more }))).join("; ");
}

describe("the strict provider", () => {
  test("takes what is right", () => {
    expect(
      complaints([
        { role: "system", content: "s" },
        user,
        calls(call("a"), call("b")),
        result("a"),
        result("b"),
      ]),
    ).toBe("");
    expect(complaints([user, { role: "assistant", content: "yes" }, user], { max_tokens: 5 })).toBe("");
  });

  test.each<[string, unknown, Readonly<Record<string, unknown>>?]>([
    ["messages is empty", []],
    ["unknown parameter x", [user], { x: 1 }],
    ["two output caps", [user], { max_tokens: 1, max_completion_tokens: 1 }],
    ["tools is empty", [user], { tools: [] }],
    ["system is not first", [user, { role: "system", content: "s" }, user]],
    ["content is blank", [{ role: "user", content: " " }]],
    ["content is missing", [{ role: "user", content: null }]],
    ["content is missing", [user, { role: "assistant", content: null }, user]],
    ["calls without results", [user, calls(call("a")), user]],
    ["calls without results at the end", [user, calls(call("a"), call("b")), result("a")]],
    ["result of b where a was expected", [user, calls(call("a"), call("b")), result("b"), result("a")]],
    ["result of a where no call was expected", [user, result("a")]],
    ["calls without a tool list", [user, calls(call("a")), result("a")], { tools: undefined }],
    ["arguments are no string", [user, calls(call("a", {})), result("a")]],
    ["arguments are no JSON", [user, calls(call("a", "{a")), result("a")]],
    ["call id a is there twice", [user, calls(call("a"), call("a")), result("a"), result("a")]],
    ["content is blank", [user, calls(call("a")), result("a", "")]],
    ["bad name", [{ ...user, name: "Ana Ñ" }]],
    ["a NUL", [{ role: "user", content: "a\u0000" }]],
    ["neither user nor tool", [user, { role: "assistant", content: "yes" }]],
  ])("complains: %s", (complaint, messages, more) => {
    expect(complaints(messages, more)).toContain(complaint);
  });

  test("complains about lone surrogates and about what is no JSON or no UTF-8", () => {
    const half = '{"model":"m","messages":[{"role":"user","content":"\\ud83d"}]}';
    expect(complaintsAbout(Buffer.from(half))).toEqual(["a lone surrogate"]);
    expect(complaintsAbout(Buffer.from("{"))).toEqual(["the body is not JSON"]);
    expect(complaintsAbout(Uint8Array.of(0xff))).toEqual(["the body is not UTF-8"]);
  });
});

describe("the talker", () => {
  test("is understood by the SDK's own reader: text, calls, whole answers, refusals", async () => {
    const fake = await createFakeLlm({ apiKey: "right" });
    const client = new OpenAI({ apiKey: "right", baseURL: fake.url, maxRetries: 0 });
    const ask = { model: "m", messages: [{ role: "user", content: "say 3 words" }] } as const;
    let text = "";
    for await (const chunk of await client.chat.completions.create({
      ...ask,
      messages: [...ask.messages],
      stream: true,
    })) {
      text += chunk.choices[0]?.delta.content ?? "";
    }
    expect(text).toBe("word1 word2 word3 ");
    const whole = await client.chat.completions.create({
      model: "m",
      messages: [{ role: "user", content: 'call f {"a":1}' }],
      tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }],
    });
    expect(whole.choices[0]?.message.tool_calls).toMatchObject([
      { function: { name: "f", arguments: '{"a":1}' } },
    ]);
    await expect(client.chat.completions.create({ model: "m", messages: [] })).rejects.toMatchObject({
      status: 400,
    });
    const stranger = new OpenAI({ apiKey: "wrong", baseURL: fake.url, maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 404 });
    await expect(
      stranger.chat.completions.create({ model: "m", messages: [{ role: "user", content: "hi" }] }),
    ).rejects.toMatchObject({ status: 401 });
    await fake.close();
  });

  test("says as many words as it is let, and the rest when it is released", async () => {
    const fake = await createFakeLlm();
    using hold = fake.hold(2);
    const messages = [{ role: "user", content: "say 6 words" }];
    const { body } = await fetch(`${fake.url}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "m", messages, stream: true }),
    });
    let text = "";
    const reading = (async () => {
      for await (const piece of body!.pipeThrough(new TextDecoderStream())) text += piece;
    })();
    const said = (): readonly string[] => text.match(/word\d/g) ?? [];
    await until(() => text.includes("word2"), { what: "it says two words" });
    expect(said()).toHaveLength(2);
    hold.release(4);
    await until(() => text.includes("word4"), { what: "it says four words" });
    expect(said()).toHaveLength(4);
    hold.release();
    await reading;
    expect(said()).toHaveLength(6);
    await fake.close();
  });
});
