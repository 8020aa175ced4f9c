// Each test is a failure that was reported in public; the ids are those of the project's list of field cases.
import { describe, expect, test } from "vitest";
import type { ModelEvent } from "../../../src/core/ports/model.ts";
import {
  bytes,
  callsTools,
  delta,
  events,
  eventsThenCut,
  says,
  usageChunk,
} from "../../support/fake-llm/answers.ts";
import { asks, gather, only, shownText } from "../../support/fake-llm/request.ts";
import type { FakeAnswer } from "../../support/fake-llm/server.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { until } from "../../support/until.ts";
import { connected } from "./connected.ts";

/** Events of one request that is answered with this. */
async function answered(...answers: readonly FakeAnswer[]): Promise<ModelEvent[]> {
  await using provider = await connected(answers);
  return await gather(provider.model, asks("go"));
}

function calls(...pieces: readonly unknown[]): FakeAnswer {
  return events(...pieces.map((piece) => delta({ tool_calls: [piece] })), delta({}, "tool_calls"), "[DONE]");
}

const fn = (name: string, args: unknown) => ({ name, arguments: args });

describe("calls", () => {
  test("W1: without an index two ids are two calls, and bare arguments belong to the call opened last", async () => {
    const done = only(
      await answered(
        calls(
          { id: "a", function: fn("f", "{}") },
          { id: "b", function: fn("g", '{"x"') },
          { function: { arguments: ":1}" } },
        ),
      ),
      "done",
    );
    expect(done.calls).toEqual([
      { id: "a", name: "f", arguments: "{}" },
      { id: "b", name: "g", arguments: '{"x":1}' },
    ]);
  });

  test("W1: calls with neither index nor id are told apart by their names and whole arguments", async () => {
    const done = only(
      await answered(calls({ function: fn("f", "{}") }, { function: fn("f", "{}") })),
      "done",
    );
    expect(done.calls.map((call) => call.name)).toEqual(["f", "f"]);
    expect(new Set(done.calls.map((call) => call.id)).size).toBe(2);
  });

  test("W1: a server that counts every call as the first, and one that gives two calls one id", async () => {
    const sameIndex = calls(
      { index: 0, id: "a", function: fn("f", "{}") },
      { index: 0, id: "b", function: fn("g", "{}") },
    );
    expect(only(await answered(sameIndex), "done").calls.map((call) => call.name)).toEqual(["f", "g"]);
    const sameId = calls(
      { index: 0, id: "a", function: fn("f", "{}") },
      { index: 1, id: "a", function: fn("g", "{}") },
    );
    expect(only(await answered(sameId), "done").calls.map((call) => call.id)).toEqual(["a", "a_2"]);
  });

  test("W3: an empty id and name continue the call", async () => {
    const done = only(
      await answered(
        calls(
          { index: 0, id: "c1", function: fn("f", '{"x":') },
          { index: 0, id: "", function: fn("", "1}") },
        ),
      ),
      "done",
    );
    expect(done.calls).toEqual([{ id: "c1", name: "f", arguments: '{"x":1}' }]);
  });

  test.each(["", " ", null, undefined])(
    "W5: arguments %j are none, and are replayed as an object",
    async (none) => {
      const done = only(await answered(calls({ index: 0, id: "c1", function: fn("now", none) })), "done");
      expect(done.calls).toEqual([{ id: "c1", name: "now", arguments: "{}" }]);
    },
  );

  test("W6: arguments that come as an object leave as a string", async () => {
    const given = { q: "moon" };
    await using provider = await connected([
      calls({ index: 0, id: "c1", function: fn("search", given) }),
      says("found"),
    ]);
    const first = only(await gather(provider.model, asks("go")), "done");
    expect(first.calls).toEqual([{ id: "c1", name: "search", arguments: '{"q":"moon"}' }]);
    const [user] = asks("go").messages;
    const second = asks("go", {
      messages: [
        ...(user === undefined ? [] : [user]),
        { role: "assistant", text: "", calls: first.calls },
        { role: "tool", call: "c1", name: "search", content: "up there" },
      ],
    });
    expect(only(await gather(provider.model, second), "done").text).toBe("found");
    expect(provider.fake.complaints).toEqual([]);
  });

  test("W12: calls count although the reason is stop", async () => {
    const done = only(
      await answered(
        events(
          delta({ tool_calls: [{ index: 0, id: "c1", function: fn("f", "{}") }] }),
          delta({}, "stop"),
          "[DONE]",
        ),
      ),
      "done",
    );
    expect(done.calls).toHaveLength(1);
  });

  test("arguments that the output cap cut are marked and stand as they arrived", async () => {
    const done = only(
      await answered(
        events(
          delta({ tool_calls: [{ index: 0, id: "c1", function: fn("f", '{"x":"lon') }] }),
          delta({}, "length"),
        ),
      ),
      "done",
    );
    expect(done).toMatchObject({ finish: "length", cutCall: true, calls: [{ arguments: '{"x":"lon' }] });
  });

  test("the pieces of arguments are told as they are written", async () => {
    const all = await answered(callsTools({ id: "c1", name: "search", arguments: '{"q":"moon"}' }));
    expect(only(all, "tool_input")).toEqual({
      kind: "tool_input",
      call: "c1",
      name: "search",
      text: '{"q":"moon"}',
    });
  });
});

describe("chunks", () => {
  test.each([{ choices: [] }, { choices: null }, {}])("W7: the last chunk has usage and %j", async (odd) => {
    const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
    const all = await answered(
      events(delta({ content: "whole" }), delta({}, "stop"), { ...odd, usage }, "[DONE]"),
    );
    expect(only(all, "done").text).toBe("whole");
    expect(only(all, "usage").usage).toMatchObject({ input: 5, output: 2, model: "fake-1" });
  });

  test("W9: an error inside of a stream is that error, and is tried again where it may pass", async () => {
    const overloaded = events({ error: { message: "upstream overloaded", code: 503 } }, "[DONE]");
    const all = await answered(overloaded, says("after all"));
    expect(only(all, "again").why).toContain("503");
    expect(only(all, "done").text).toBe("after all");

    const failed = only(await answered(overloaded, overloaded, overloaded), "failed");
    expect(failed.error).toMatchObject({
      code: "model_unavailable",
      retryable: true,
      facts: { status: 503 },
    });
  });

  test.each([
    [{ error: { message: "no", code: 401 } }, "model_auth"],
    [{ error: { message: "no", code: "invalid_request_error" } }, "model_refused"],
    [
      { error: { message: "This model's maximum context length is 8192 tokens", code: 400 } },
      "context_length",
    ],
    [{ object: "error", message: "no", code: 404 }, "model_refused"],
    [
      { choices: [{ index: 0, delta: {}, error: { message: "no", code: 400 }, finish_reason: "error" }] },
      "model_refused",
    ],
  ])("W9: %j ends as %s", async (chunk, code) => {
    expect(only(await answered(events(chunk)), "failed").error.code).toBe(code);
  });

  test("W9: an error event and a reason of error are errors too", async () => {
    const named = bytes(['event: error\ndata: {"message":"no","code":401}\n\n']);
    expect(only(await answered(named), "failed").error.code).toBe("model_auth");
    const reason = events(delta({ content: "half" }, "error"));
    expect(only(await answered(reason, says("ok")), "done").text).toBe("ok");
  });

  test("W15: comments, bare colons, blank data and wrapped comments are skipped", async () => {
    const chunk = `data: ${JSON.stringify(delta({ content: "ok" }, "stop"))}\n\n`;
    const all = await answered(bytes([":\n", ": working\n\n", "data:\n\n", "data: : working\n\n", chunk]));
    expect(only(all, "done").text).toBe("ok");
  });

  test("a last event without its line ends counts, half of one is a cut", async () => {
    const whole = `data: ${JSON.stringify(delta({ content: "ok" }, "stop"))}`;
    expect(only(await answered(bytes([whole])), "done").text).toBe("ok");
    const all = await answered(bytes([whole.slice(0, -9)]), says("again"));
    expect(only(all, "done").text).toBe("again");
  });
});

describe("broken streams", () => {
  test("W10: half a sentence and a clean end is a cut, tried again, and in the end says so", async () => {
    const half = events(delta({ content: "The answer i" }));
    const all = await answered(half, says("The answer is 4"));
    expect(all.map((event) => event.kind)).toEqual(["sent", "text", "again", "text", "done"]);
    expect(only(await answered(half, half, half), "failed").error).toMatchObject({
      code: "model_cut",
      retryable: true,
    });
  });

  test("W10: half a call is not run, whether the end mark comes or not", async () => {
    const half = delta({ tool_calls: [{ index: 0, id: "c1", function: fn("f", '{"path":"/da') }] });
    for (const answer of [events(half), events(half, "[DONE]")]) {
      const all = await answered(answer, answer, answer);
      expect(all.at(-1)).toMatchObject({ kind: "failed", error: { code: "model_cut" } });
    }
  });

  test("W10: only the end mark, without a reason, is an end when the reply is whole", async () => {
    expect(only(await answered(events(delta({ content: "whole" }), "[DONE]")), "done").finish).toBe("end");
    expect(only(await answered(events("[DONE]"), says("not blank")), "done").text).toBe("not blank");
  });

  test("W10: what breaks after the reply has ended takes nothing back", async () => {
    const all = await answered(eventsThenCut(delta({ content: "whole" }), delta({}, "stop")));
    expect(only(all, "done").text).toBe("whole");
  });

  test("W19: each try starts clean: text, calls and usage of the first are void", async () => {
    const all = await answered(
      eventsThenCut(
        delta({ content: "Hello wor" }),
        delta({ tool_calls: [{ index: 0, id: "c1", function: fn("f", '{"a"') }] }),
        usageChunk({ prompt_tokens: 3, completion_tokens: 1 }),
      ),
      says("Hello world", { prompt_tokens: 4, completion_tokens: 2 }),
    );
    expect(shownText(all)).toBe("Hello world");
    expect(only(all, "done")).toMatchObject({ text: "Hello world", calls: [] });
    expect(all.filter((event) => event.kind === "usage").map((event) => event.usage.input)).toEqual([3, 4]);
    expect(all.filter((event) => event.kind === "sent")).toHaveLength(1);
  });

  test("W16: a character whose bytes come in two packets is the same character", async () => {
    for (const letter of ["é", "🙂"]) {
      const line = Buffer.from(`data: ${JSON.stringify(delta({ content: `a${letter}b` }, "stop"))}\r\n\r\n`);
      const at = line.indexOf(Buffer.from(letter)) + 1;
      const all = await answered(bytes([line.subarray(0, at), line.subarray(at, -3), line.subarray(-3)]));
      expect(only(all, "done").text).toBe(`a${letter}b`);
    }
  });
});

describe("silence", () => {
  test("W14: comments keep a slow stream alive", async () => {
    const { clock, looks } = watchedClock();
    const pings = Promise.withResolvers<void>();
    let ping = async (): Promise<void> => {};
    await using provider = await connected(
      [
        async (exchange) => {
          ping = () => exchange.write(": ping\n\n");
          await pings.promise;
          await exchange.event(delta({ content: "at last" }, "stop"));
          exchange.end();
        },
      ],
      { clock: clock.watched, idleMs: 60_000, dataIdleMs: 100_000 },
    );
    const all = gather(provider.model, asks("go"));
    await until(() => provider.fake.open === 1, { what: "the request is there" });
    for (let second = 0; second < 90; second += 10) {
      const before = looks();
      await ping();
      await until(() => looks() > before, { what: "the ping was read" });
      await clock.advance(10_000);
    }
    pings.resolve();
    expect(only(await all, "done").text).toBe("at last");
    expect(clock.waiting).toBeLessThanOrEqual(1);
  });

  test("W14: comments alone end at the limit on time without data", async () => {
    const { clock, looks } = watchedClock();
    let ping = async (): Promise<void> => {};
    await using provider = await connected(
      [
        async (exchange) => {
          ping = () => exchange.write(": ping\n\n");
          await exchange.closed;
        },
      ],
      { clock: clock.watched, idleMs: 60_000, dataIdleMs: 100_000 },
    );
    let isOver = false;
    const all = gather(provider.model, asks("go")).finally(() => {
      isOver = true;
    });
    await until(() => provider.fake.open === 1, { what: "the request is there" });
    let seconds = 0;
    for (; !isOver && seconds < 200; seconds += 10) {
      const before = looks();
      await ping();
      await until(() => isOver || looks() > before, { what: "the ping was read" });
      await clock.advance(10_000);
    }
    expect(only(await all, "failed").error).toMatchObject({
      code: "model_timeout",
      facts: { phase: "data", limitMs: 100_000 },
    });
    expect(seconds).toBeLessThanOrEqual(110);
    await until(() => provider.fake.open === 0, { what: "the connection is closed" });
  });

  test("W14: a stream that stops without a byte ends at the limit on silence", async () => {
    const { clock, looks } = watchedClock();
    await using provider = await connected(
      [
        async (exchange) => {
          await exchange.event(delta({ content: "and then" }));
          await exchange.closed;
        },
      ],
      { clock: clock.watched, idleMs: 60_000 },
    );
    const all: ModelEvent[] = [];
    const reading = (async () => {
      for await (const event of provider.model.stream(asks("go"), new AbortController().signal))
        all.push(event);
    })();
    await until(() => all.some((event) => event.kind === "text") && looks() > 0, {
      what: "the text is there",
    });
    await clock.advance(59_000);
    expect(all.at(-1)?.kind).toBe("text");
    await clock.advance(1_000);
    await reading;
    expect(all.at(-1)).toMatchObject({
      kind: "failed",
      error: { code: "model_timeout", facts: { phase: "bytes" } },
    });
    expect(clock.waiting).toBe(0);
  });

  test("a reader that takes its time is no silence of the provider", async () => {
    const clock = manualClock();
    await using provider = await connected([says(["one ", "two ", "three"])], {
      clock,
      idleMs: 10,
      dataIdleMs: 10,
    });
    const all: ModelEvent[] = [];
    for await (const event of provider.model.stream(asks("go"), new AbortController().signal)) {
      all.push(event);
      if (event.kind === "text") await clock.advance(1_000);
    }
    expect(only(all, "done").text).toBe("one two three");
  });
});

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

/** A manual clock that counts how often the time was read, which the client does with every read of the socket. */
function watchedClock() {
  const clock = manualClock();
  let count = 0;
  const ticks = (): number => {
    count++;
    return clock.ticks();
  };
  const watched = { now: clock.now, ticks, after: (ms: number, run: () => void) => clock.after(ms, run) };
  return { clock: Object.assign(clock, { watched }), looks: () => count };
}
