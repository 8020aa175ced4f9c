import { describe, expect, test } from "vitest";
import { assistant, outline, ports, startLoop, tool, type Ports } from "../../support/agent-library.ts";
import { BobbinError } from "../../../src/core/errors.ts";
import { calls, fails, hangs, streams } from "../../support/scripted-model.ts";
import { requestRefusals } from "../../support/strict-provider.ts";

function check(deps: Ports): void {
  deps.model.assertComplete();
  for (const request of deps.model.requests) expect(requestRefusals(request)).toEqual([]);
  expect(deps.clock.waiting).toBe(0);
}

describe("an abort", () => {
  const reasons: readonly [string, object][] = [
    ["stopped", { kind: "ended", reason: "cancelled" }],
    ["whatever", { kind: "ended", reason: "cancelled" }],
    ["timeout", { kind: "ended", reason: "timeout" }],
    ["lost", { kind: "left", how: "lost" }],
    ["leave", { kind: "left", how: "handed_over" }],
  ];

  test.each(reasons)("with the reason %s in mid-reply ends as it says", async (reason, expected) => {
    const deps = ports(hangs("half a sen"));
    const controller = new AbortController();
    const run = startLoop(deps, { signal: controller.signal });
    await deps.model.reached(1);
    controller.abort(reason);
    expect(await run.outcome).toMatchObject(expected);
    check(deps);
  });

  test("a stop in mid-reply keeps the text that was shown, as interrupted", async () => {
    const deps = ports(
      hangs([
        { kind: "text", text: "half a sen" },
        { kind: "tool_input", call: "c1", name: "f", text: '{"a' },
      ]),
    );
    const controller = new AbortController();
    const run = startLoop(deps, { signal: controller.signal });
    await deps.model.reached(1);
    controller.abort("stopped");
    const outcome = await run.outcome;
    expect(outcome).toMatchObject({
      reason: "cancelled",
      modelCalls: [],
      round: {
        round: 1,
        state: "complete",
        entries: [{ ...assistant("half a sen"), interrupted: true }],
        modelCalls: [{ outcome: "aborted" }],
      },
    });
    expect(run.commits).toEqual([]);
  });

  test.each([
    ["a provider that breaks off", { reason: "error", error: { code: "model_cut" } }, {}],
    [
      "a call that takes too long",
      { reason: "timeout", error: { code: "model_timeout" } },
      { modelCallMs: 5_000 },
    ],
    ["the end of the run's time", { reason: "timeout" }, { runMs: 5_000 }],
  ])("%s in mid-reply keeps the text that was shown, as interrupted", async (_, ending, limits) => {
    const deps = ports(
      "error" in ending && ending.reason === "error" ? fails("model_cut", "half a sen") : hangs("half a sen"),
    );
    const run = startLoop(deps, { limits });
    await deps.model.reached(1);
    await deps.clock.advance(5_000);
    expect(await run.outcome).toMatchObject({
      ...ending,
      rounds: 0,
      modelCalls: [],
      round: { round: 1, state: "complete", entries: [{ ...assistant("half a sen"), interrupted: true }] },
    });
    check(deps);
  });

  test("a failure before anything was shown, or behind what became void, keeps nothing", async () => {
    const void_ = { kind: "again", why: "it broke" } as const;
    const error = new BobbinError("model_cut", "cut");
    const broken = streams({ kind: "text", text: "half" }, void_, { kind: "failed", error });
    for (const step of [fails("model_cut"), fails("model_cut", " \n"), broken]) {
      const outcome = await startLoop(ports(step)).outcome;
      expect(outcome).toMatchObject({ reason: "error", modelCalls: [{ outcome: "failed" }] });
      expect(outcome).not.toHaveProperty("round");
    }
  });

  test("a stop before anything was shown keeps nothing but the record of the call", async () => {
    const deps = ports(hangs([{ kind: "thinking", text: "hm" }]));
    const controller = new AbortController();
    const run = startLoop(deps, { signal: controller.signal });
    await deps.model.reached(1);
    controller.abort("stopped");
    const outcome = await run.outcome;
    expect(outcome).toMatchObject({ reason: "cancelled", modelCalls: [{ outcome: "aborted" }] });
    expect(outcome).not.toHaveProperty("round");
  });

  test("a stop while tools run keeps what came and closes the other calls as cancelled", async () => {
    const deps = ports(calls(["c1", "quick"], ["c2", "slow"]));
    const controller = new AbortController();
    const run = startLoop(deps, {
      tools: [tool("quick", "fast"), tool("slow", () => new Promise(() => controller.abort("stopped")))],
      signal: controller.signal,
    });
    const outcome = await run.outcome;
    if (outcome.kind !== "ended") throw new Error("left");
    expect(outcome.reason).toBe("cancelled");
    expect(outcome.round?.entries.slice(1)).toMatchObject([
      { call: "c1" },
      { call: "c2", ok: false, content: "cancelled: the run was stopped before this ended" },
    ]);
    expect(outline(run.events).slice(-2)).toEqual(["tool_result c1", "tool_result c2"]);
    check(deps);
  });

  test("a signal that is aborted beforehand makes no model call", async () => {
    const deps = ports();
    expect(await startLoop(deps, { signal: AbortSignal.abort("stopped") }).outcome).toMatchObject({
      reason: "cancelled",
      rounds: 0,
    });
    check(deps);
  });

  test("a model that does not hear it is left behind", async () => {
    const deps = ports({ kind: "deaf", events: [{ kind: "text", text: "x" }] });
    const controller = new AbortController();
    const run = startLoop(deps, { signal: controller.signal });
    await deps.model.reached(1);
    controller.abort("stopped");
    await deps.clock.advance(2_000);
    expect(await run.outcome).toMatchObject({ reason: "cancelled" });
  });
});

describe("time", () => {
  test("a model call that takes too long ends the run with timeout and says which limit it was", async () => {
    const deps = ports(hangs("slow"));
    const run = startLoop(deps, { limits: { modelCallMs: 5_000 } });
    await deps.model.reached(1);
    await deps.clock.advance(5_000);
    expect(await run.outcome).toMatchObject({
      reason: "timeout",
      error: { code: "model_timeout", facts: { limitMs: 5_000 } },
      durationMs: 5_000,
    });
    check(deps);
  });

  test("the run as a whole has a limit", async () => {
    const deps = ports(calls(["c1", "f"]), hangs());
    const run = startLoop(deps, { tools: [tool("f", "r")], limits: { runMs: 60_000 } });
    await deps.model.reached(2);
    await deps.clock.advance(60_000);
    expect(await run.outcome).toMatchObject({ reason: "timeout", rounds: 1 });
    check(deps);
  });
});
