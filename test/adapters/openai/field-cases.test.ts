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
