import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  buildRequest,
  rebuildRequest,
  requestParamsOf,
  type RequestProfile,
} from "../../../src/core/context/request.ts";
import type { ContextEntry, EntryBody } from "../../../src/core/entry.ts";
import { assistant, note, result, user } from "../../support/agent-library.ts";
import { call, scriptedRecord } from "../../support/scripted-model.ts";
import { requestRefusals } from "../../support/strict-provider.ts";

const spec = { name: "clock", description: "tells the time", schema: { type: "object" } };
const base: RequestProfile = { model: scriptedRecord, system: "Be kind.", tools: [spec], caching: true };

function entries(...bodies: readonly EntryBody[]): ContextEntry[] {
  return bodies.map((body, index) => ({ seq: index + 1, body }));
}

const talk = entries(
  user("hi", "Ana"),
  assistant("", call("c1", "clock")),
  result("c1", "clock", "noon"),
  assistant("It is noon."),
  note("goal: x"),
  user("thanks", "Ana"),
);

describe("a stored call", () => {
  test("rebuilds to an equal request, whatever shaped it", () => {
    const profiles = fc.record({
      caching: fc.boolean(),
      temperature: fc.option(fc.double({ min: 0, max: 2, noNaN: true }), { nil: undefined }),
      thinking: fc.option(
        fc.oneof(
          fc.record({
            kind: fc.constant("effort" as const),
            effort: fc.constantFrom("low", "medium", "high"),
          }),
          fc.record({ kind: fc.constant("budget" as const), tokens: fc.integer({ min: 1, max: 30_000 }) }),
        ),
        { nil: undefined },
      ),
      tools: fc.constantFrom([], [spec]),
      model: fc.record({
        name: fc.constant("m"),
        contextWindow: fc.constantFrom(600, 2_000, 100_000),
        outputTokens: fc.constantFrom(100, 16_384),
        largerOutputTokens: fc.constant(65_536),
        seesImages: fc.boolean(),
        thinking: fc.constantFrom("none", "effort", "budget"),
        caching: fc.constantFrom("automatic", "breakpoints"),
        strictAlternation: fc.boolean(),
      }),
    });
    const options = fc.record({
      cap: fc.constantFrom("first" as const, "larger" as const),
      continued: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
    });
    const bodies = fc.array(
      fc.constantFrom<EntryBody>(
        user("x".repeat(900), "Ana"),
        user("short"),
        assistant("answer"),
        assistant(""),
        assistant("", call("c1", "clock")),
        result("c1", "clock", "y".repeat(2_000)),
        note("n"),
        { v: 1, kind: "summary", text: "so far", upTo: 0 },
      ),
      { minLength: 1, maxLength: 15 },
    );
    fc.assert(
      fc.property(profiles, options, bodies, (given, how, list) => {
        const profile = defined({ ...given, system: "Be kind." }) as RequestProfile;
        const all = entries(...list).map(({ seq = 0, body }): ContextEntry => {
          return { seq, body: body.kind === "summary" ? { ...body, upTo: Math.floor(seq / 2) } : body };
        });
        const built = buildRequest(profile, all, defined(how));
        const named = all.filter(({ seq = 0 }) => seq >= built.firstSeq && seq <= built.lastSeq);
        const rebuilt = rebuildRequest(
          {
            prompt: { text: profile.system },
            tools: { text: JSON.stringify(profile.tools) },
            params: requestParamsOf(built),
          },
          structuredClone(named),
        );
        expect(JSON.stringify(rebuilt)).toBe(JSON.stringify(built.request));
      }),
      { numRuns: 300 },
    );
  });

  test("of an unknown version is refused by its version", () => {
    const record = { prompt: { text: "" }, tools: { text: "[]" }, params: '{"v":2}' };
    expect(() => rebuildRequest(record, [])).toThrow("unknown version of request parameters: 2");
  });
});

describe("prompt caching", () => {
  test("marks the system prompt and the last message only, and only in the request", () => {
    const { request } = buildRequest(base, talk);
    expect(request.cacheSystem).toBe(true);
    expect(request.messages.map((message) => message.cacheHere === true)).toEqual(
      request.messages.map((_, index) => index === request.messages.length - 1),
    );
    expect(JSON.stringify(talk)).not.toContain("cacheHere");
  });

  test("marks nothing when it is off or the model caches by itself", () => {
    const off = buildRequest({ ...base, caching: false }, talk).request;
    const automatic = buildRequest(
      { ...base, model: { ...scriptedRecord, caching: "automatic" } },
      talk,
    ).request;
    for (const request of [off, automatic]) {
      expect(request.cacheSystem).toBe(false);
      expect(JSON.stringify(request)).not.toContain("cacheHere");
    }
  });

  test("a history that sets its own marks keeps control", () => {
    const own = talk.map((entry, index) => (index === 2 ? { ...entry, cacheHere: true as const } : entry));
    const { request } = buildRequest(base, own);
    expect(request.cacheSystem).toBe(false);
    expect(request.messages.map((message) => message.cacheHere === true)).toEqual([
      false,
      false,
      true,
      false,
      false,
    ]);
  });
});

describe("the tool list", () => {
  test("a history with calls is never sent without one: tools that are gone are stubbed", () => {
    const { request } = buildRequest({ ...base, tools: [] }, talk);
    expect(request.tools.map((tool) => tool.name)).toEqual(["clock"]);
    expect(requestRefusals(request)).toEqual([]);
  });

  test("stays as it is beside calls of tools that never were: the cached start must not change", () => {
    const all = entries(
      user("hi"),
      assistant("", call("c1", "serch")),
      result("c1", "serch", "no such tool", false),
    );
    expect(buildRequest(base, all).request.tools).toEqual([spec]);
  });

  test("is empty where there are neither tools nor calls", () => {
    expect(buildRequest({ ...base, tools: [] }, entries(user("hi"))).request.tools).toEqual([]);
  });
});

describe("the reply", () => {
  test("has the first output cap, then the larger, never more than half of the window", () => {
    expect(buildRequest(base, talk).request.outputTokens).toBe(16_384);
    expect(buildRequest(base, talk, { cap: "larger" }).request.outputTokens).toBe(64_000);
    const long = entries(user("four letters and so ".repeat(20_000)));
    const { outputTokens } = buildRequest(base, long, { cap: "larger" }).request;
    expect(outputTokens).toBeGreaterThan(16_384);
    expect(outputTokens).toBeLessThanOrEqual(28_000);
    const small = { ...base, model: { ...scriptedRecord, contextWindow: 8_000 } };
    expect(buildRequest(small, talk).request.outputTokens).toBe(4_000);
  });

  test("is continued from what was written so far", () => {
    const { request } = buildRequest(base, talk, { continued: "Half a" });
    expect(request.messages.at(-2)).toMatchObject({ role: "assistant", text: "Half a" });
    expect(request.messages.at(-1)).toMatchObject({ role: "user" });
    expect(requestRefusals(request)).toEqual([]);
  });
});

describe("thinking", () => {
  test("is asked for in the unit that the model knows", () => {
    const ask = (kind: "none" | "effort" | "budget", thinking: RequestProfile["thinking"]) =>
      buildRequest(
        {
          ...base,
          model: { ...scriptedRecord, thinking: kind },
          ...(thinking === undefined ? {} : { thinking }),
        },
        talk,
      ).request.thinking;
    expect(ask("effort", { kind: "effort", effort: "low" })).toEqual({ kind: "effort", effort: "low" });
    expect(ask("budget", { kind: "effort", effort: "medium" })).toEqual({ kind: "budget", tokens: 4_096 });
    expect(ask("effort", { kind: "budget", tokens: 20_000 })).toEqual({ kind: "effort", effort: "high" });
    expect(ask("none", { kind: "effort", effort: "high" })).toBeUndefined();
    expect(ask("effort", undefined)).toBeUndefined();
  });
});

function defined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
}
