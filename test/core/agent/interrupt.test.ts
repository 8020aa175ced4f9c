import { describe, expect, test } from "vitest";
import type { Effect } from "../../../src/core/agent/tool.ts";
import { BobbinError } from "../../../src/core/errors.ts";
import {
  assistant,
  kinds,
  outline,
  ports,
  startLoop,
  tool,
  type LoopRun,
  type Ports,
} from "../../support/agent-library.ts";
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

describe("a process that has to end while tools run", () => {
  const NOT_BEGUN = /^not begun: /;
  const never = (): Promise<never> => new Promise(() => {});
  const resultsIn = ({ events }: LoopRun): readonly string[] =>
    kinds(events, "tool_result").map(({ result }) => `${result.call} ${result.modelContent}`);
  const committed = ({ commits }: LoopRun): readonly string[] =>
    commits.map(({ state, entries }) => `${state}: ${entries.map(({ kind }) => kind).join(" ")}`);

  test("stores what is known of the calls, and closes those that were cut or had not begun as what they are", async () => {
    const deps = ports(
      calls(["c1", "mail"], ["c2", "look"], ["c3", "build"], ["c4", "post"], ["c5", "look"]),
    );
    const controller = new AbortController();
    const run = startLoop(deps, {
      tools: [
        tool("mail", "sent, id 42", { effect: "external" }),
        tool("look", "seen"),
        tool("build", () => (controller.abort("leave"), never()), { effect: "write" }),
        tool("post", () => Promise.reject(new Error("begun")), { effect: "write" }),
      ],
      signal: controller.signal,
    });
    expect(await run.outcome).toEqual({ kind: "left", how: "handed_over" });
    expect(committed(run)).toEqual(["calls: assistant", "complete: tool tool tool tool tool"]);
    expect(resultsIn(run)).toEqual([
      "c1 sent, id 42",
      "c2 seen",
      "c3 outcome unknown: the process ended while this ran",
      expect.stringMatching(/^c4 not begun: /),
      expect.stringMatching(/^c5 not begun: /),
    ]);
    expect(outline(run.events).at(-1)).toBe("round done 1");
    check(deps);
  });

  test("tells what only read and was cut to ask again, where the round is stored for the sake of another call", async () => {
    const deps = ports(calls(["c1", "mail"], ["c2", "look"]));
    const controller = new AbortController();
    const run = startLoop(deps, {
      tools: [
        tool("mail", "sent", { effect: "external" }),
        tool("look", () => (controller.abort("leave"), never())),
      ],
      signal: controller.signal,
    });
    expect(await run.outcome).toEqual({ kind: "left", how: "handed_over" });
    expect(resultsIn(run)).toEqual(["c1 sent", expect.stringMatching(/^c2 cut off: /)]);
    check(deps);
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ["only read", ["look", "slow_look"], []],
    ["only the first had begun, and nobody knows what came of it", ["slow_write"], ["calls: assistant"]],
    ["what is done may be done again", ["again", "slow_write"], ["calls: assistant"]],
  ])("stores no results where the next attempt knows as much: %s", async (_, names, expected) => {
    const deps = ports(calls(...names.map((name, index) => [`c${index}`, name] as const)));
    const controller = new AbortController();
    const hang = (): Promise<never> => (controller.abort("leave"), never());
    const run = startLoop(deps, {
      tools: [
        tool("look", "seen"),
        tool("slow_look", hang),
        tool("slow_write", hang, { effect: "write" }),
        { ...tool("again", "kept", { effect: "write" }), mayRepeat: true },
      ],
      signal: controller.signal,
    });
    expect(await run.outcome).toEqual({ kind: "left", how: "handed_over" });
    expect(committed(run)).toEqual(expected);
    check(deps);
  });

  test("begins nothing more that changes something, nor what stands behind that", async () => {
    const ran: string[] = [];
    const note = (name: string, effect: Effect) =>
      tool(name, async (_value, { call }) => void ran.push(call), { effect });
    const deps = ports(calls(["c1", "write"], ["c2", "look"], ["c3", "write"], ["c4", "look"]));
    const run = startLoop(deps, {
      tools: [note("write", "write"), note("look", "read")],
      isLeaving: () => ran.length > 0,
      onCommit: ({ state }) => (state === "calls" ? undefined : { leave: true }),
    });
    expect(await run.outcome).toEqual({ kind: "left", how: "handed_over" });
    expect(ran).toEqual(["c1", "c2"]);
    expect(resultsIn(run).map((line) => line.slice(3))).toEqual([
      "(no output)",
      "(no output)",
      expect.stringMatching(NOT_BEGUN),
      expect.stringMatching(NOT_BEGUN),
    ]);
    check(deps);
  });

  test("before any has begun: the round is stored in one write, with the reply", async () => {
    const deps = ports(calls(["c1", "pay"]));
    const run = startLoop(deps, {
      tools: [tool("pay", () => Promise.reject(new Error("begun")), { effect: "external" })],
      isLeaving: () => true,
      onCommit: () => ({ leave: true }),
    });
    expect(await run.outcome).toEqual({ kind: "left", how: "handed_over" });
    expect(committed(run)).toEqual(["complete: assistant tool"]);
    expect(run.commits[0]?.modelCalls).toHaveLength(1);
    expect(resultsIn(run)).toEqual([expect.stringMatching(/^c1 not begun: /)]);
    check(deps);
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
