// Whoever looks whether a goal is reached: what counts as an answer, and that nothing else stands in anybody's way.
import { expect, test } from "vitest";
import { sha256 } from "../../../src/adapters/ids.ts";
import { createVerifier } from "../../../src/adapters/tools/verifier.ts";
import { rebuildRequest } from "../../../src/core/context/request.ts";
import { BobbinError } from "../../../src/core/errors.ts";
import type { ToVerify, Verified } from "../../../src/core/ports/verifier.ts";
import { manualClock } from "../../support/manual-clock.ts";
import {
  calls,
  fails,
  hangs,
  reply,
  scriptedModel,
  scriptedRecord,
  type ScriptedModel,
  type ScriptedStep,
} from "../../support/scripted-model.ts";

const asked: ToVerify = {
  goal: { objective: "tidy the wiki", doneWhen: ["no link is dead", "it has an index"] },
  as: "complete",
  entries: [],
};
const holds = (...lines: readonly boolean[]) =>
  lines.map((one, index) => ({ line: index + 1, holds: one, why: one ? "seen" : "not seen" }));
const verdict = (word: string, done_when: unknown = holds(true, true)): ScriptedStep =>
  calls(["v1", "verdict", { verdict: word, reason: "so it is", done_when }]);

interface World {
  readonly model: ScriptedModel;
  readonly clock: ReturnType<typeof manualClock>;
  verify(of?: ToVerify, signal?: AbortSignal): Promise<Verified>;
}

function world(...script: readonly ScriptedStep[]): World {
  const model = scriptedModel(...script);
  const clock = manualClock();
  let ids = 0;
  const verifier = createVerifier(
    { model, clock, hash: sha256, newId: () => `m${++ids}` },
    { record: scriptedRecord, bookkeeping: new Set() },
  );
  const forever = new AbortController().signal;
  return { model, clock, verify: (of = asked, signal = forever) => verifier.verify(of, signal) };
}

test("a yes to every line is accepted, and a no is rejected with its reason", async () => {
  expect((await world(verdict("accept")).verify()).verdict).toEqual({ kind: "accepted", reason: "so it is" });
  expect((await world(verdict("reject")).verify()).verdict).toEqual({ kind: "rejected", reason: "so it is" });
});

test("a yes beside a line that does not hold is a no that names the line", async () => {
  const { verdict: found } = await world(verdict("accept", holds(true, false))).verify();
  expect(found).toEqual({ kind: "rejected", reason: "Line 2 does not hold: not seen" });
});

test("the answer may stand in the text, as JSON, for a model that calls no tools", async () => {
  const json = JSON.stringify({ verdict: "accept", reason: "seen", done_when: holds(true, true) });
  for (const text of [json, `\`\`\`json\n${json}\n\`\`\``])
    expect((await world(reply(text)).verify()).verdict.kind).toBe("accepted");
});

test.each<[string, ScriptedStep]>([
  ["words (G6)", reply("Sure! I think so.")],
  ["a word that is none", verdict("maybe")],
  ["a line that was not judged", verdict("accept", holds(true))],
  ["nothing", reply("")],
  ["a call that was cut", reply({ calls: [{ id: "v", name: "verdict", arguments: "{" }], cutCall: true })],
  ["a server that is down", fails(new BobbinError("model_unavailable", "503", { retryable: true }))],
])("%s is asked for once more, and then nobody has judged", async (_, step) => {
  const { verify, model } = world(step, step);
  const { verdict: found, calls: made } = await verify();
  expect(found.kind).toBe("neutral");
  expect([model.requests.length, made.length]).toEqual([2, 2]);
});

test("garbage and then an answer is an answer", async () => {
  expect((await world(reply("hm"), verdict("accept")).verify()).verdict.kind).toBe("accepted");
});

test.each(["model_rate_limited", "model_auth", "model_refused"] as const)(
  "%s is not asked again",
  async (code) => {
    const { verify, model } = world(
      fails(new BobbinError(code, "no", { retryable: code === "model_rate_limited" })),
    );
    expect((await verify()).verdict.kind).toBe("neutral");
    expect(model.requests).toHaveLength(1);
  },
);

test("one that never answers is left after 20 seconds, whatever it does then", async () => {
  for (const step of [hangs(), { kind: "deaf", events: [] } as const]) {
    const { verify, clock, model } = world(step);
    const verified = verify();
    await model.reached(1);
    await clock.advance(20_000);
    expect((await verified).verdict).toEqual({ kind: "neutral", reason: "it did not answer in time" });
    expect(clock.waiting).toBe(0);
  }
});

test("a stop cuts it", async () => {
  const { verify, model } = world(hangs());
  const stop = new AbortController();
  const verified = verify(asked, stop.signal);
  await model.reached(1);
  stop.abort("stopped");
  expect((await verified).verdict.kind).toBe("neutral");
});

test("what it asked and what that took is told, and can be rebuilt; what it may write is bounded", async () => {
  const usage = { input: 900, output: 20 };
  const { verify, model } = world(reply({ text: "hm", usage }), reply({ text: "hm", usage }));
  const { calls: made } = await verify();
  expect(made.map((call) => call.usage[0])).toEqual([
    expect.objectContaining(usage),
    expect.objectContaining(usage),
  ]);
  const [call] = made;
  if (call === undefined) return expect.unreachable();
  expect(call).toMatchObject({ purpose: "verify", round: 0, outcome: "done" });
  expect(rebuildRequest(call, [])).toEqual(model.requests[0]);
  expect(model.requests[0]?.outputTokens).toBeLessThanOrEqual(4_000);
});
