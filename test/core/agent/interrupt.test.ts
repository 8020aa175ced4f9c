import { describe, expect, test } from "vitest";
import { assistant, outline, ports, startLoop, tool, type Ports } from "../../support/agent-library.ts";
import { calls, hangs } from "../../support/scripted-model.ts";
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
