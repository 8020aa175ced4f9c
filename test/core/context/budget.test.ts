import fc from "fast-check";
import { expect, test } from "vitest";
import { estimateTokens, fitBudget, inputBudget } from "../../../src/core/context/budget.ts";
import { compose } from "../../../src/core/context/compose.ts";
import { buildRequest } from "../../../src/core/context/request.ts";
import type { ContextEntry, EntryBody } from "../../../src/core/entry.ts";
import { assistant, note, result, user } from "../../support/agent-library.ts";
import { call, scriptedRecord } from "../../support/scripted-model.ts";
import { refusals, requestRefusals } from "../../support/strict-provider.ts";

function entries(...bodies: readonly EntryBody[]): ContextEntry[] {
  return bodies.map((body, index) => ({ seq: index + 1, body }));
}

const one = () => 1;

test("everything is sent while it fits", () => {
  expect(fitBudget(entries(user("a"), assistant("b"), user("c")), 3, one)).toEqual({ from: 0, tokens: 3 });
});

test("P12: the newest turns are sent in order, from a user turn on", () => {
  const turns = entries(...Array.from({ length: 201 }, (_, index) => user(`turn ${index + 1}`)));
  const { from } = fitBudget(turns, 200, one);
  expect(turns.slice(from).map(({ body }) => body.kind)).toContain("user");
  expect(turns.length - from).toBeLessThanOrEqual(200);
  const request = buildRequest({ model: scriptedRecord, system: "", tools: [], caching: false }, turns, {
    estimate: () => inputBudget(scriptedRecord, 1) / 200,
  }).request;
  expect(JSON.stringify(request.messages.at(-1))).toContain("turn 201");
  expect(JSON.stringify(request.messages[0])).toContain("were left out");
  expect(requestRefusals(request)).toEqual([]);
});

test("H3: no cut lands between a call and its result, whatever the budget", () => {
  const all = entries(
    user("old"),
    assistant("", call("c1", "f"), call("c2", "f")),
    result("c1", "f", "1"),
    result("c2", "f", "2"),
    note("ended"),
    user("new"),
    assistant("", call("c3", "f")),
    result("c3", "f", "3"),
  );
  for (let budget = 1; budget <= 8; budget++) {
    const { from } = fitBudget(all, budget, one);
    expect([0, 4]).toContain(from);
    expect(refusals(compose(all.slice(from), { seesImages: true, omitted: from > 0 }))).toEqual([]);
  }
});

test("H17: one giant message is shortened, and the next one in the thread is served as ever", () => {
  const model = { ...scriptedRecord, contextWindow: 8_000, outputTokens: 1_000, largerOutputTokens: 2_000 };
  const profile = { model, system: "s", tools: [], caching: false };
  const giant = entries(user(`start ${"x".repeat(200_000)} end`));
  const request = buildRequest(profile, giant).request;
  const sent = JSON.stringify(request.messages);
  expect(sent.length / 4).toBeLessThan(7_000);
  expect(sent).toContain("start");
  expect(sent).toContain("end");
  expect(sent).toContain("characters left out");
  const next = buildRequest(profile, [
    ...giant,
    ...entries(assistant("too long"), user("short one")),
  ]).request;
  expect(JSON.stringify(next.messages)).toContain("short one");
  expect(JSON.stringify(next.messages).length / 4).toBeLessThan(7_000);
});

test("T2: a giant result in the middle of a turn is shortened with it", () => {
  const model = { ...scriptedRecord, contextWindow: 8_000, outputTokens: 1_000, largerOutputTokens: 2_000 };
  const all = entries(user("go"), assistant("", call("c1", "f")), result("c1", "f", "y".repeat(3_000_000)));
  const request = buildRequest({ model, system: "s", tools: [], caching: false }, all).request;
  expect(JSON.stringify(request.messages).length / 4).toBeLessThan(7_000);
  expect(requestRefusals(request)).toEqual([]);
});

test("the start moves in steps, so that most requests begin with the same bytes", () => {
  const all: ContextEntry[] = [];
  const starts = new Set<number>();
  for (let turn = 0; turn < 400; turn++) {
    all.push(...entries(user("q"), assistant("a")));
    starts.add(fitBudget(all, 100, one).from);
  }
  // 800 entries in windows of 100 that move by a quarter.
  expect(starts.size).toBeLessThan(40);
});

test("an image counts the same whatever its bytes", () => {
  const image = (data: string): ContextEntry => ({
    body: { v: 1, kind: "user", parts: [{ kind: "image", mimeType: "image/png", data }] },
  });
  expect(estimateTokens(image("A".repeat(100_000)))).toBe(estimateTokens(image("A")));
});

test("the tail fits the budget unless it is the newest turn alone", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 300 }), (list, budget) => {
      const all = list.map((size, index) => ({
        seq: size,
        body: index % 3 === 2 ? assistant("a") : user("u"),
      }));
      const sizeOf = (entry: ContextEntry): number => entry.seq ?? 0;
      const { from, textCap } = fitBudget(all, budget, sizeOf);
      const sent = all.slice(from);
      const total = sent.reduce((sum, entry) => sum + sizeOf(entry), 0);
      expect(sent.length).toBeGreaterThan(0);
      if (textCap === undefined) expect(total).toBeLessThanOrEqual(budget);
      else expect(sent.slice(1).some(({ body }) => body.kind === "user")).toBe(false);
    }),
  );
});

// Counting each sign of a thread that nobody held before cost as much as all else that a request is built of.
test("what fits whatever its signs cost is sent whole, and is counted as the rest when somebody asks", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1 }), (texts) => {
      const all = entries(...texts.map((text, index) => (index % 2 === 0 ? user(text) : assistant(text))));
      const { from, tokens } = fitBudget(all, 1_000_000);
      expect({ from, tokens }).toEqual(fitBudget(all, 1_000_000, estimateTokens));
    }),
  );
});
