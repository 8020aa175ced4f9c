import { describe, expect, test } from "vitest";
import { kinds, outline, ports, startLoop, tool } from "../../support/agent-library.ts";
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
