// H17: a thread whose signs are dear goes on, with a model that counts by itself and refuses what is above its window.
import { describe, expect, test } from "vitest";
import type { Learnt } from "../../../src/core/context/gauge.ts";
import { rebuildRequest } from "../../../src/core/context/request.ts";
import type { ContextEntry } from "../../../src/core/entry.ts";
import type { ModelRecord, ModelRequest } from "../../../src/core/ports/model.ts";
import type { ModelCallRecord } from "../../../src/core/round.ts";
import { assistant, ports, startLoop, stored, user, type LoopCase } from "../../support/agent-library.ts";
import {
  calls,
  computed,
  fails,
  reply,
  scriptedRecord,
  type ScriptedStep,
} from "../../support/scripted-model.ts";
import { requestRefusals } from "../../support/strict-provider.ts";
import { countTokens } from "../../support/token-count.ts";

const record: ModelRecord = {
  ...scriptedRecord,
  contextWindow: 32_000,
  outputTokens: 4_000,
  largerOutputTokens: 8_000,
};

const CHINESE = "苍鹭站在浅水里,等着一条游近的鱼,然后它飞走了。".repeat(40);
const BASE64 = Buffer.from(Array.from({ length: 900 }, (_, at) => (at * 7_919) % 251)).toString("base64");
const PROSE = "The heron stands in the shallow water and waits for a fish. ".repeat(16);

function tokensOf({ system, tools, messages }: ModelRequest): number {
  return countTokens(system) + countTokens(JSON.stringify(tools)) + countTokens(JSON.stringify(messages));
}

/** Answers what fits into its window beside the reply, and says how much it was. */
function answersWithin(window: number, refused: number[] = []): ScriptedStep {
  return computed((request) => {
    const input = tokensOf(request);
    if (input + request.outputTokens <= window) return reply({ text: "ok", usage: { input, output: 1 } });
    refused.push(input);
    return fails("context_length");
  });
}

interface Said {
  readonly refused: number;
  readonly calls: readonly ModelCallRecord[];
  readonly entries: readonly ContextEntry[];
}

/** A thread of so many turns, each with a run of its own. */
async function thread(text: string, turns: number, window = record.contextWindow): Promise<readonly Said[]> {
  const entries: ContextEntry[] = [];
  const learnt: Learnt = {};
  const said: Said[] = [];
  for (let turn = 0; turn < turns; turn++) {
    entries.push(stored(entries.length + 1, user(`${turn}: ${text}`)));
    const refused: number[] = [];
    const deps = ports(...Array.from({ length: 4 }, () => answersWithin(window, refused)));
    const run = startLoop(deps, caseOf({ entries: [...entries], learnt }));
    expect(await run.outcome, `turn ${turn}`).toMatchObject({ reason: "stop" });
    for (const request of deps.model.requests) expect(requestRefusals(request)).toEqual([]);
    const made = run.commits.flatMap(({ modelCalls }) => modelCalls);
    for (const [at, call] of made.entries()) {
      const named = entries.filter(({ seq = 0 }) => seq >= call.firstSeq && seq <= call.lastSeq);
      expect(JSON.stringify(rebuildRequest(call, named))).toBe(JSON.stringify(deps.model.requests[at]));
    }
    said.push({ refused: refused.length, calls: made, entries: [...entries] });
    entries.push(stored(entries.length + 1, assistant("ok")));
  }
  return said;
}

const caseOf = (given: LoopCase): LoopCase => ({ profile: { model: record }, ...given });
const refusals = (said: readonly Said[]): number => said.reduce((sum, { refused }) => sum + refused, 0);

describe("H17: a thread that outgrows the window", () => {
  test.each([
    ["Chinese", CHINESE],
    ["base64", BASE64],
    ["prose", PROSE],
  ])("of %s is served at each message, and hardly ever pays for a refusal", async (_, text) => {
    const said = await thread(text, 80);
    expect(refusals(said)).toBeLessThanOrEqual(2);
    // It still reads as much as there is room for.
    const newest = said.at(-1)?.calls.at(-1);
    expect(newest?.usage[0]?.input).toBeGreaterThan(record.contextWindow / 3);
  });

  test("of a model whose window is smaller than it is said to be pays once, and not at each message", async () => {
    const said = await thread(PROSE, 100, 16_000);
    expect(refusals(said)).toBeLessThanOrEqual(3);
    expect(refusals(said.slice(-20))).toBe(0);
  });

  test("by one giant message of dear signs is served, and the next message too", async () => {
    const refused: number[] = [];
    const learnt: Learnt = {};
    const giant = [stored(1, user(`start ${CHINESE.repeat(60)} end`))];
    const first = ports(...Array.from({ length: 4 }, () => answersWithin(record.contextWindow, refused)));
    expect(await startLoop(first, caseOf({ entries: giant, learnt })).outcome).toMatchObject({
      reason: "stop",
    });
    const sent = JSON.stringify(first.model.requests.at(-1)?.messages);
    for (const part of ["start", "end", "characters left out"]) expect(sent).toContain(part);
    const before = refused.length;
    const next = [...giant, stored(2, assistant("ok")), stored(3, user("a short one"))];
    const second = ports(answersWithin(record.contextWindow, refused));
    expect(await startLoop(second, caseOf({ entries: next, learnt })).outcome).toMatchObject({
      reason: "stop",
    });
    expect(refused).toHaveLength(before);
    second.model.assertComplete();
  });

  test("in the middle of a run is asked again with less, and what it was fitted by stands with the call", async () => {
    const many = Array.from({ length: 20 }, (_, at) => [
      stored(2 * at + 1, user(`${at}: ${PROSE}`)),
      stored(2 * at + 2, assistant("ok")),
    ]).flat();
    const entries = [...many, stored(41, user("now"))];
    const deps = ports(calls(["c1", "f"]), fails("context_length"), fails("context_length"), reply("done"));
    const run = startLoop(deps, caseOf({ entries }));
    expect(await run.outcome).toMatchObject({ reason: "stop", rounds: 2 });
    const [, whole, less, least] = deps.model.requests.map(({ messages }) => messages.length);
    expect(less).toBeLessThan(whole ?? 0);
    expect(least).toBeLessThan(less ?? 0);
    const made = run.commits.flatMap(({ modelCalls }) => modelCalls);
    expect(made.map(({ outcome, error }) => error ?? outcome)).toEqual([
      "done",
      "context_length",
      "context_length",
      "done",
    ]);
    const shares = made.map(
      ({ params }) => (JSON.parse(params) as { fitting?: { share: number } }).fitting?.share,
    );
    expect(shares.slice(0, 2)).toEqual([undefined, undefined]);
    expect(shares[2]).toBeLessThan(1);
    expect(shares[3]).toBeLessThanOrEqual((shares[2] ?? 0) / 2);
  });

  test("that is refused whatever is left out ends with its error after a few calls, and the next message begins with less", async () => {
    const learnt: Learnt = {};
    const entries = Array.from({ length: 41 }, (_, at) =>
      stored(at + 1, at % 2 === 0 ? user(`${at}: ${PROSE}`) : assistant("ok")),
    );
    const deps = ports(...Array.from({ length: 4 }, () => fails("context_length")));
    expect(await startLoop(deps, caseOf({ entries, learnt })).outcome).toMatchObject({
      reason: "error",
      error: { code: "context_length" },
    });
    deps.model.assertComplete();
    expect(learnt.gauge?.share).toBeLessThan(1 / 8);
  });

  test("is no matter of a short one: what is refused there is asked once", async () => {
    const deps = ports(fails("context_length"));
    expect(await startLoop(deps, caseOf({})).outcome).toMatchObject({ error: { code: "context_length" } });
    deps.model.assertComplete();
  });
});
