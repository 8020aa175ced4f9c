import { describe, expect, test } from "vitest";
import type { Effect } from "../../../src/core/agent/tool.ts";
import { kinds, outline, ports, startLoop, tool, type LoopCase } from "../../support/agent-library.ts";
import { calls, reply } from "../../support/scripted-model.ts";

describe("effects", () => {
  test("before the first call that changes something starts, the reply is stored", async () => {
    const order: string[] = [];
    const deps = ports(calls(["c1", "look"], ["c2", "pay"]), reply("done"));
    const run = startLoop(deps, {
      tools: [
        tool("look", async () => void order.push("look")),
        tool("pay", async () => void order.push("pay"), { effect: "external" }),
      ],
      onCommit: ({ state, round }) => void order.push(`${state} ${round}`),
    });
    await run.outcome;
    expect(order).toEqual(["calls 1", "look", "pay", "complete 1", "complete 2"]);
    expect(run.commits.map(({ entries }) => entries.map((entry) => entry.kind))).toEqual([
      ["assistant"],
      ["tool", "tool"],
      ["assistant"],
    ]);
    expect(run.commits.map(({ modelCalls }) => modelCalls.length)).toEqual([1, 0, 1]);
    expect(kinds(run.events, "round").find(({ state }) => state === "done")).toMatchObject({
      entries: [{ kind: "assistant" }, { kind: "tool" }, { kind: "tool" }],
    });
  });

  test("each call that changes something waits for those before it; those that only read run side by side", async () => {
    const order: string[] = [];
    const slow = (effect: Effect) =>
      tool(
        effect,
        async (_, { call }) => {
          order.push(`${call} begins`);
          await Promise.resolve();
          order.push(`${call} ends`);
        },
        { effect },
      );
    const deps = ports(
      calls(
        ["r1", "read"],
        ["r2", "read"],
        ["w1", "write"],
        ["w2", "external"],
        ["r3", "read"],
        ["r4", "read"],
      ),
      reply("done"),
    );
    await startLoop(deps, { tools: [slow("read"), slow("write"), slow("external")] }).outcome;
    const happened = order.join(", ").replaceAll(" begins", "+").replaceAll(" ends", "-");
    expect(happened).toBe("r1+, r2+, r1-, r2-, w1+, w1-, w2+, w2-, r3+, r4+, r3-, r4-");
  });

  test("calls that have not begun when someone writes are skipped, and say so", async () => {
    const ran: string[] = [];
    const write = tool("write", async (_, { call }) => void ran.push(call), { effect: "write" });
    const look = tool("look", async (_, { call }) => void ran.push(call));
    const deps = ports(
      calls(["c1", "write"], ["c2", "write"], ["c3", "nothing"], ["c4", "look"]),
      reply("done"),
    );
    const run = startLoop(deps, {
      tools: [write, look],
      isSteered: () => Promise.resolve(true),
    });
    await run.outcome;
    expect(ran).toEqual(["c1"]);
    const results = kinds(run.events, "tool_result").map(
      ({ result }) => `${result.call} ${result.modelContent}`,
    );
    expect(results).toEqual([
      "c1 (no output)",
      expect.stringMatching(/^c2 skipped: someone wrote/),
      expect.stringMatching(/^c3 error: there is no tool/),
      expect.stringMatching(/^c4 skipped: someone wrote/),
    ]);
  });

  test.each<[string, LoopCase]>([
    ["nobody can be taken in any more", { limits: { maxTurns: 1 }, isSteered: async () => true }],
    ["it cannot be known whether someone wrote", { isSteered: () => Promise.reject(new Error("away")) }],
  ])("where %s, nothing is skipped", async (_, options) => {
    const ran: string[] = [];
    const write = tool("write", async (_value, { call }) => void ran.push(call), { effect: "write" });
    const deps = ports(calls(["c1", "write"], ["c2", "write"]), reply("done"));
    await startLoop(deps, { tools: [write], ...options }).outcome;
    expect(ran).toEqual(["c1", "c2"]);
  });

  test("a stop that is found there starts no tool and closes the calls as cancelled", async () => {
    let ran = false;
    const deps = ports(calls(["c1", "pay"]));
    const run = startLoop(deps, {
      tools: [
        tool(
          "pay",
          async () => {
            ran = true;
          },
          { effect: "external" },
        ),
      ],
      onCommit: () => ({ stopped: true }),
    });
    const outcome = await run.outcome;
    expect(ran).toBe(false);
    expect(outcome).toMatchObject({
      reason: "cancelled",
      round: { state: "complete", entries: [{ kind: "tool", call: "c1", ok: false }] },
    });
  });

  test("a hand-over that is asked for there waits for the round border", async () => {
    const deps = ports(calls(["c1", "pay"]));
    const run = startLoop(deps, {
      tools: [tool("pay", "paid", { effect: "external" })],
      onCommit: () => ({ leave: true }),
    });
    expect(await run.outcome).toEqual({ kind: "left", how: "handed_over" });
    expect(run.commits.map(({ state }) => state)).toEqual(["calls", "complete"]);
  });

  test("a reply that could not be stored starts no tool", async () => {
    let ran = false;
    const deps = ports(calls(["c1", "pay"]));
    const run = startLoop(deps, {
      tools: [
        tool(
          "pay",
          async () => {
            ran = true;
          },
          { effect: "write" },
        ),
      ],
      onCommit: () => ({ stored: [], leave: true }),
    });
    expect(await run.outcome).toEqual({ kind: "left", how: "handed_over" });
    expect(ran).toBe(false);
  });

  test("a lease that is not live any more starts no tool and ends the attempt as lost", async () => {
    const started: string[] = [];
    let live = true;
    const deps = ports(calls(["c1", "f"], ["c2", "g"]));
    const run = startLoop(deps, {
      tools: [
        tool("f", async () => {
          started.push("f");
          live = false;
          return new Promise(() => {});
        }),
        tool("g", async () => void started.push("g")),
      ],
      isLive: () => live,
    });
    expect(await run.outcome).toEqual({ kind: "left", how: "lost" });
    expect(started).toEqual(["f"]);
    expect(run.commits).toEqual([]);
    expect(outline(run.events)).not.toContain("tool_result c1");
  });
});
