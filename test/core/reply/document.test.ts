import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AssistantEntry, Entry, EntryBody, ToolCall } from "../../../src/core/entry.ts";
import type { RunEvent } from "../../../src/core/events.ts";
import { concluded, documentOf, reduce, type ReplyDocument } from "../../../src/core/reply/document.ts";
import { runNamed, stopped } from "../../support/reply-bench.ts";

const run = runNamed("r1");
const reduceAll = (events: readonly RunEvent[], from: ReplyDocument = documentOf(run, [])): ReplyDocument =>
  events.reduce(reduce, from);

interface Round {
  readonly text: string;
  readonly images: number;
  readonly calls: number;
  readonly again: boolean;
  readonly steered: boolean;
}

const round: fc.Arbitrary<Round> = fc.record({
  text: fc.oneof(fc.string(), fc.constantFrom("", " \n", "\u200B")),
  images: fc.integer({ min: 0, max: 2 }),
  calls: fc.integer({ min: 0, max: 3 }),
  again: fc.boolean(),
  steered: fc.boolean(),
});

const image = { kind: "image", mimeType: "image/png", data: "AAAA" } as const;

function callsOf(number: number, count: number): ToolCall[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `${number}.${index}`,
    name: `tool${index}`,
    arguments: "{}",
  }));
}

function bodiesOf(number: number, said: Round): EntryBody[] {
  const calls = callsOf(number, said.calls);
  if (said.text.trim() === "" && said.images === 0 && calls.length === 0) return [];
  const images = Array.from({ length: said.images }, () => image);
  const reply: AssistantEntry = {
    v: 1,
    kind: "assistant",
    text: said.text,
    calls,
    ...(said.images === 0 ? {} : { images }),
  };
  return [
    reply,
    ...calls.map((call): EntryBody => ({
      v: 1,
      kind: "tool",
      call: call.id,
      name: call.name,
      ok: true,
      content: "done",
    })),
  ];
}

function eventsOf(number: number, said: Round): RunEvent[] {
  const calls = callsOf(number, said.calls);
  return [
    { kind: "round", round: number, state: "start" },
    ...(said.again
      ? ([
          { kind: "text", text: "void" },
          { kind: "round", round: number, state: "again", why: "cut" },
        ] satisfies RunEvent[])
      : []),
    { kind: "thinking", text: "hmm" },
    ...[...said.text].map((text): RunEvent => ({ kind: "text", text })),
    ...Array.from({ length: said.images }, (): RunEvent => ({ kind: "image", image })),
    ...calls.map((call): RunEvent => ({ kind: "tool_call", call })),
    ...calls.map((call): RunEvent => ({
      kind: "tool_result",
      result: { call: call.id, name: call.name, ok: true, content: "done", modelContent: "done" },
    })),
    { kind: "round", round: number, state: "done", entries: bodiesOf(number, said) },
    ...(said.steered ? [{ kind: "steer", messages: [] } satisfies RunEvent] : []),
  ];
}

describe("the document of a reply", () => {
  it("is the same from events as from stored entries once the rounds are complete", () => {
    fc.assert(
      fc.property(fc.array(round, { maxLength: 6 }), fc.nat({ max: 6 }), (rounds, resumedAt) => {
        const entries = rounds.flatMap((said, index) =>
          bodiesOf(index + 1, said).map((body, order): Entry => ({
            seq: index * 10 + order,
            epoch: 1,
            run: run.id,
            round: index + 1,
            body,
          })),
        );
        const events = rounds.map((said, index) => eventsOf(index + 1, said));
        const stored = documentOf(run, entries);
        expect(reduceAll(events.flat())).toEqual(stored);
        // A worker that takes over begins with what is stored and hears only of later rounds.
        const before = documentOf(
          run,
          entries.filter((entry) => (entry.round ?? 0) <= resumedAt),
        );
        expect(reduceAll(events.slice(resumedAt).flat(), before)).toEqual(stored);
        expect(concluded(reduceAll(events.flat()), stopped)).toEqual(documentOf(run, entries, stopped));
      }),
    );
  });

  it("keeps the text of earlier rounds, and drops what a round said before it came again", () => {
    const said = { images: 0, calls: 1, steered: true };
    const document = reduceAll([
      ...eventsOf(1, { ...said, text: "First.", again: false }),
      ...eventsOf(2, { ...said, text: "Second.", again: true }),
    ]);
    expect(document.rounds.map(({ text }) => text)).toEqual(["First.", "Second."]);
  });

  it("leaves out entries of other runs", () => {
    const body = { v: 1, kind: "assistant", text: "Old.", calls: [] } as const;
    expect(documentOf(run, [{ seq: 1, epoch: 1, run: runNamed("r0").id, round: 1, body }]).rounds).toEqual(
      [],
    );
  });

  it("keeps what was said until a stop", () => {
    const document = reduceAll([
      { kind: "round", round: 1, state: "start" },
      { kind: "text", text: "Half an ans" },
      { kind: "end", reason: "cancelled", rounds: 0, usage: {}, durationMs: 1 },
    ]);
    expect(concluded(document, { ...stopped, reason: "cancelled" }).rounds).toEqual([
      { round: 1, text: "Half an ans", images: 0 },
    ]);
  });

  it("shows what was stored where that differs from what was streamed", () => {
    const document = reduceAll([
      { kind: "round", round: 1, state: "start" },
      { kind: "text", text: "key sk-123" },
      {
        kind: "round",
        round: 1,
        state: "done",
        entries: [{ v: 1, kind: "assistant", text: "key [masked]", calls: [] }],
      },
    ]);
    expect(document.rounds[0]?.text).toBe("key [masked]");
  });

  it("keeps the text of a reply that was stored before its tools ran, when only their results come", () => {
    const calls = callsOf(1, 1);
    const body = { v: 1, kind: "assistant", text: "I look.", calls } as const;
    const document = reduceAll(
      [
        { kind: "round", round: 1, state: "start" },
        {
          kind: "round",
          round: 1,
          state: "done",
          entries: bodiesOf(1, { text: "", images: 0, calls: 1, again: false, steered: false }).slice(1),
        },
      ],
      documentOf(run, [{ seq: 1, epoch: 1, run: run.id, round: 1, body }]),
    );
    expect(document.rounds.map(({ text }) => text)).toEqual(["I look."]);
  });

  it("changes no more after its end", () => {
    const document = documentOf(run, [], stopped);
    expect(reduce(document, { kind: "text", text: "late" })).toBe(document);
  });

  it("adds what attempts used", () => {
    const usage = { model: "m", input: 10, output: 5, durationMs: 1 };
    const document = reduceAll(
      [{ kind: "usage", usage }],
      documentOf({ ...run, usage: { input: 1, cost: 2 } }, []),
    );
    expect(document.usage).toEqual({ input: 11, output: 5, cost: 2 });
  });
});
