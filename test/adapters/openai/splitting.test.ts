import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BodyReader } from "../../../src/adapters/openai/body.ts";
import { Reply } from "../../../src/adapters/openai/reply.ts";
import { SseReader } from "../../../src/adapters/openai/sse.ts";
import type { ModelEvent } from "../../../src/core/ports/model.ts";
import { delta, usageChunk } from "../../support/fake-llm/answers.ts";
import { threadMs } from "../../support/thread-time.ts";

type Told = readonly [data: string, event: string];

function read(pieces: readonly Uint8Array[]): Told[] {
  const told: Told[] = [];
  const reader = new SseReader((data, event) => told.push([data, event]));
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return told;
}

const utf8 = (text: string): Uint8Array => Buffer.from(text, "utf8");

/** The bytes cut at these places (as parts of the whole), empty pieces included. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [
    0,
    ...places.map((place) => Math.floor(place * bytes.length)).toSorted((a, b) => a - b),
    bytes.length,
  ];
  return at.slice(1).map((end, i) => bytes.subarray(at[i] ?? 0, end));
}

const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 });

describe("server-sent events", () => {
  test.each<[string, string, Told[]]>([
    [
      "LF",
      "data: a\n\ndata: b\n\n",
      [
        ["a", ""],
        ["b", ""],
      ],
    ],
    [
      "CRLF",
      "data: a\r\n\r\ndata: b\r\n\r\n",
      [
        ["a", ""],
        ["b", ""],
      ],
    ],
    [
      "CR alone",
      "data: a\r\rdata: b\r\r",
      [
        ["a", ""],
        ["b", ""],
      ],
    ],
    ["several data lines", "data: a\ndata:\ndata:  b\n\n", [["a\n\n b", ""]]],
    ["no space behind the colon", "data:a\n\n", [["a", ""]]],
    ["a field without a colon", "data\n\n", [["", ""]]],
    ["a byte order mark", "\uFEFFdata: a\n\n", [["a", ""]]],
    [
      "a named event, once",
      "event: error\ndata: a\n\ndata: b\n\n",
      [
        ["a", "error"],
        ["b", ""],
      ],
    ],
    ["comments and other fields", ": x\n:\nid: 3\nretry: 5\ndatax: no\ndata: a\n\n", [["a", ""]]],
    ["an event without data", "event: ping\n\ndata: a\n\n", [["a", ""]]],
    ["no line end at the end", "data: a", [["a", ""]]],
    ["nothing", "", []],
  ])("are read with %s", (_, text, told) => {
    const bytes = utf8(text);
    expect(read([bytes])).toEqual(told);
    expect(read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(told);
  });

  test("are the same however their bytes are cut", () => {
    const line = fc.oneof(
      fc.string({ unit: "grapheme" }).map((text) => `data: ${text.replaceAll(/[\r\n]/g, " ")}`),
      fc.constantFrom("", ":", ": ping", "event: error", "data:", "data", "id: 1"),
    );
    const stream = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 30 });
    fc.assert(
      fc.property(stream, places, (lines, at) => {
        const bytes = utf8(lines.flat().join(""));
        expect(read(cut(bytes, at))).toEqual(read([bytes]));
      }),
    );
  });

  test("a line that never ends is refused and not gathered for ever", () => {
    const reader = new SseReader(() => {});
    const piece = new Uint8Array(1024 * 1024).fill(97);
    expect(() => {
      for (let i = 0; i < 40; i++) reader.push(piece);
    }).toThrow("too long");
  });

  test("a long line in many pieces takes time in proportion to its length", () => {
    const image = utf8(`data: ${"x".repeat(8 * 1024 * 1024)}\n\n`);
    const pieces = Array.from({ length: Math.ceil(image.length / 1024) }, (_, i) =>
      image.subarray(i * 1024, (i + 1) * 1024),
    );
    const tookMs = threadMs(() => expect(read(pieces)[0]?.[0].length).toBe(8 * 1024 * 1024));
    // Joined anew with each piece, this takes minutes.
    expect(tookMs).toBeLessThan(10_000);
  });
});

describe("a reply", () => {
  test("is the same however its bytes are cut", () => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme", minLength: 1 }).map((content) => delta({ content })),
      fc
        .constantFrom("<think>", "</think>", "<thi", "nk>", "`", "```\n", "\n")
        .map((content) => delta({ content })),
      fc.string({ unit: "grapheme" }).map((text) => delta({ reasoning_content: text })),
      fc
        .record({
          index: fc.nat(2),
          id: fc.constantFrom("a", "b", ""),
          function: fc.record({ name: fc.constantFrom("f", ""), arguments: fc.string() }),
        })
        .map((call) => delta({ tool_calls: [call] })),
      fc.constantFrom(usageChunk({ prompt_tokens: 1, completion_tokens: 2 }), {
        error: { message: "no", code: 500 },
      }),
    );
    const end = fc.constantFrom([delta({}, "stop"), "[DONE]"], [delta({}, "length")], ["[DONE]"], []);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), end, places, (pieces, last, at) => {
        const text = [...pieces, ...last]
          .map((each) => `data: ${typeof each === "string" ? each : JSON.stringify(each)}\r\n\r\n`)
          .join("");
        const bytes = utf8(text);
        const whole = replyTo([bytes]);
        expect(replyTo(cut(bytes, at))).toEqual(whole);
        expect(replyTo([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
      }),
      { numRuns: 200 },
    );
  });

  test("that comes as one JSON body is the same however its bytes are cut", () => {
    const body = utf8(
      JSON.stringify({ choices: [{ message: { content: "naïve 🙂" }, finish_reason: "stop" }] }),
    );
    fc.assert(
      fc.property(places, (at) => {
        expect(replyTo(cut(body, at))).toEqual(replyTo([body]));
      }),
    );
  });
});

function replyTo(pieces: readonly Uint8Array[]): unknown {
  const out: ModelEvent[] = [];
  const reply = new Reply(out, { idPrefix: "call_", secret: "" });
  const reader = new BodyReader(reply);
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return { out, failure: reply.failure?.message, done: reply.failure ?? reply.done(), usage: reply.usage };
}
