// Thinking and other parts of a reply that are not its text; the ids are those of the project's list of field cases.
import { describe, expect, test } from "vitest";
import type { ModelEvent } from "../../../src/core/ports/model.ts";
import { bytes, delta, events, says } from "../../support/fake-llm/answers.ts";
import { asks, gather, only, plainModel, shownText } from "../../support/fake-llm/request.ts";
import type { FakeAnswer } from "../../support/fake-llm/server.ts";
import { connected } from "./connected.ts";

/** Events of one request that is answered with this. */
async function answered(...answers: readonly FakeAnswer[]): Promise<ModelEvent[]> {
  await using provider = await connected(answers);
  return await gather(provider.model, asks("go"));
}

const fn = (name: string, args: unknown) => ({ name, arguments: args });

describe("thinking", () => {
  test("W20: tags that are split over deltas hide what is between them", async () => {
    const all = await answered(says(["<thi", "nk>secret</th", "ink>ok"]));
    expect(only(all, "done").text).toBe("ok");
    expect(shownText(all)).toBe("ok");
    expect(thoughts(all)).toBe("secret");
  });

  test.each([
    ["a word that begins like the tag", ["<think-tank> is a word"], "<think-tank> is a word", ""],
    ["a sign that begins nothing", ["1 <", " 2 <t", "h> x <"], "1 < 2 <th> x <", ""],
    ["a block that is never closed", ["<think>secret", " to the end</thi"], "", "secret to the end</thi"],
    ["space behind a leading block", ["<think>a</think>\n", "\n  ok"], "ok", "a"],
    ["a block in the middle", ["one <think>a</think> two"], "one  two", "a"],
    ["several blocks", ["<thinking>a</thinking><think>b</think>c"], "c", "ab"],
    ["capitals", ["<THINK>a</Think>b"], "b", "a"],
    ["a tag in backticks", ["use `<think>` to ", "think"], "use `<think>` to think", ""],
    [
      "a tag in a fence",
      ["```xml\n<thi", "nk>x</think>\n```\nend"],
      "```xml\n<think>x</think>\n```\nend",
      "",
    ],
  ])("W20: %s", async (_, pieces, text, thinking) => {
    const all = await answered(says(pieces));
    expect([only(all, "done").text, shownText(all), thoughts(all)]).toEqual([text, text, thinking]);
  });

  test.each([
    ["told with its record", ["sec", "ret <b> </th", "ink>\n\nok"], "ok", "secret <b> "],
    ["that never ends", ["secret to the end"], "", "secret to the end"],
    ["and a tag in the answer", ["secret</think>say `</think>` there"], "say `</think>` there", "secret"],
  ])("W11: thinking whose opening tag stands in the chat template, %s", async (_, pieces, text, thinking) => {
    await using provider = await connected([says(pieces)]);
    const model = { ...plainModel, beginsThinking: true };
    const all = await gather(provider.model, asks("go", { model }));
    expect([only(all, "done").text, shownText(all), thoughts(all)]).toEqual([text, text, thinking]);
  });

  test("W11: a server that sends the thinking apart sends no tag: its text is text whatever the record says", async () => {
    await using provider = await connected([
      events(delta({ reasoning_content: "hm" }), delta({ content: "ok" }, "stop")),
    ]);
    const all = await gather(provider.model, asks("go", { model: { ...plainModel, beginsThinking: true } }));
    expect([only(all, "done").text, thoughts(all)]).toEqual(["ok", "hm"]);
  });

  test.each([
    ["at the end of a line", ["secret, `odd\n as it is", "</th", "ink>", "\n\nok"], "ok"],
    ["on a line of its own", ["secret\n", "</think>", "ok"], "ok"],
    ["in one piece", ["secret\n</think>\n\nok"], "ok"],
    ["and a second one", ["secret\n</think>\nok\n</think>\nthere"], "ok\n</think>\nthere"],
    ["at the very beginning", ["</think>\n\nok"], "ok"],
  ])("W11: a closing tag that nothing opened, %s, drops what stood before it", async (_, pieces, text) => {
    const all = await answered(says(pieces));
    expect([only(all, "done").text, shownText(all)]).toEqual([text, text]);
  });

  test.each([
    ["in the midst of a line", ["write </th", "ink> there"]],
    ["in backticks", ["end it with `</think>`\n", "and go on"]],
    ["in a fence", ["```\n</think>\n```\nend"]],
    ["as the last word", ["end it with </think>"]],
    ["that is none", ["a\n</thinker>\nb"]],
  ])("W11: a closing tag that people talk about, %s, stays", async (_, pieces) => {
    const all = await answered(says(pieces));
    expect(only(all, "done").text).toBe(pieces.join(""));
    expect(shownText(all)).toBe(pieces.join(""));
  });

  test("reasoning fields are thinking and no text, and one thought in two fields is told once", async () => {
    const all = await answered(
      events(
        delta({ reasoning_content: "a" }),
        delta({ reasoning: "b", reasoning_details: [{ type: "reasoning.text", index: 0, text: "b" }] }),
        delta({ reasoning_details: [{ type: "reasoning.text", index: 0, text: "c", signature: "s" }] }),
        delta({ reasoning_details: [{ type: "reasoning.encrypted", index: 1, data: "xyz" }] }),
        delta({ content: "ok" }, "stop"),
      ),
    );
    expect(thoughts(all)).toBe("abc");
    const done = only(all, "done");
    expect(done.text).toBe("ok");
    expect(JSON.parse(done.reasoning ?? "")).toEqual({
      reasoning_details: [
        { type: "reasoning.text", index: 0, text: "bc", signature: "s" },
        { type: "reasoning.encrypted", index: 1, data: "xyz" },
      ],
    });
  });

  test("content that comes in parts is sorted by their kind", async () => {
    const all = await answered(
      events(
        delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }),
        delta({ content: [{ type: "text", text: "ok" }] }, "stop"),
      ),
    );
    expect([only(all, "done").text, thoughts(all)]).toEqual(["ok", "hm"]);
  });
});

describe("other replies", () => {
  test("images come as bytes, and an image that is only an address is left out", async () => {
    const image = (url: string) => ({ type: "image_url", image_url: { url } });
    const all = await answered(
      events(
        delta({
          content: "look",
          images: [image("data:image/png;base64,iVBORw0KGgo="), image("https://evil.example/x")],
        }),
        delta({}, "stop"),
      ),
    );
    expect(only(all, "image").image).toEqual({ kind: "image", mimeType: "image/png", data: "iVBORw0KGgo=" });
    expect(only(all, "done").images).toHaveLength(1);
  });

  test("a refusal is text, and a filter is told", async () => {
    const refusal = await answered(events(delta({ refusal: "I can not." }), delta({}, "stop")));
    expect(only(refusal, "done").text).toBe("I can not.");
    const filtered = await answered(events(delta({ content: "so" }), delta({}, "content_filter")));
    expect(only(filtered, "done").finish).toBe("filtered");
  });

  test.each([
    ["in its arguments", '{"path":"/da', true],
    ["right behind its name", "", true],
    ["behind its last sign", '{"path":"/data"}', undefined],
  ])(
    "W7: a call that a filter cut %s is told as one that was cut, unless it is whole",
    async (_, args, cut) => {
      const call = { index: 0, id: "c1", function: fn("f", args) };
      const all = await answered(
        events(delta({ tool_calls: [call] }), delta({}, "content_filter"), "[DONE]"),
      );
      expect(only(all, "done")).toMatchObject({ finish: "filtered", calls: [{ id: "c1" }] });
      expect(only(all, "done").cutCall).toBe(cut);
    },
  );

  test("a server that does not stream is one delta, whatever type it claims", async () => {
    const whole = {
      model: "m",
      choices: [
        {
          message: {
            role: "assistant",
            content: "hi",
            reasoning_content: "hm",
            tool_calls: [{ id: "c1", type: "function", function: fn("f", "{}") }],
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    };
    for (const type of ["application/json", "text/event-stream", "text/plain"]) {
      const all = await answered(bytes(["\n ", JSON.stringify(whole)], type));
      expect(all.map((event) => event.kind)).toEqual([
        "sent",
        "thinking",
        "text",
        "tool_input",
        "usage",
        "done",
      ]);
      expect(only(all, "done")).toMatchObject({ text: "hi", calls: [{ id: "c1" }] });
    }
  });
});

function thoughts(all: readonly ModelEvent[]): string {
  return all.map((event) => (event.kind === "thinking" ? event.text : "")).join("");
}
