import { describe, expect, test } from "vitest";
import { BobbinError } from "../../../src/core/errors.ts";
import {
  assistant,
  kinds,
  messagesOf,
  outline,
  ports,
  result,
  resultIn,
  startLoop,
  stored,
  tool,
  user,
  type Ports,
} from "../../support/agent-library.ts";
import { call, calls, reply } from "../../support/scripted-model.ts";
import { requestRefusals } from "../../support/strict-provider.ts";

function check(deps: Ports): void {
  deps.model.assertComplete();
  for (const request of deps.model.requests) expect(requestRefusals(request)).toEqual([]);
  expect(deps.clock.waiting).toBe(0);
}

describe("people who write while it works", () => {
  test("join before the next model call, as one user turn with speakers kept apart", async () => {
    const deps = ports(calls(["c1", "f"]), reply("both"));
    const run = startLoop(deps, {
      tools: [tool("f", "r")],
      onCommit: ({ round }) =>
        round === 1
          ? { steered: [stored(200, user("wait", "Ana"), 1), stored(201, user("no", "Bob"), 1)] }
          : undefined,
    });
    expect(await run.outcome).toMatchObject({ reason: "stop", rounds: 2 });
    expect(messagesOf(deps.model.requests[1]).at(-1)).toEqual({
      role: "user",
      content: [{ kind: "text", text: "[from Ana (U-Ana)]\nwait\n\n[from Bob (U-Bob)]\nno" }],
    });
    expect(kinds(run.events, "steer").map((event) => event.messages.length)).toEqual([2]);
    check(deps);
  });

  test("join after the final reply too, and then the loop goes on", async () => {
    const deps = ports(reply("first"), reply("second"));
    const run = startLoop(deps, {
      onCommit: ({ round }) => (round === 1 ? { steered: [stored(200, user("and?"), 1)] } : undefined),
    });
    expect(await run.outcome).toMatchObject({ reason: "stop", rounds: 2 });
    expect(outline(run.events)).toEqual([
      "round start 1",
      "text",
      "round done 1",
      "steer",
      "round start 2",
      "text",
      "round done 2",
    ]);
    check(deps);
  });
});

describe("what the store answers", () => {
  test("stopped ends the run as cancelled after the round that was stored", async () => {
    const deps = ports(calls(["c1", "f"]));
    const run = startLoop(deps, { tools: [tool("f", "r")], onCommit: () => ({ stopped: true }) });
    const outcome = await run.outcome;
    expect(outcome).toMatchObject({ reason: "cancelled", rounds: 1 });
    expect(outcome).not.toHaveProperty("round");
    check(deps);
  });

  test("leave hands the run over at the round border, but a run that ends here ends", async () => {
    const going = ports(calls(["c1", "f"]));
    const run = startLoop(going, { tools: [tool("f", "r")], onCommit: () => ({ leave: true }) });
    expect(await run.outcome).toEqual({ kind: "left", how: "handed_over" });
    const ending = ports(reply("done"));
    expect(await startLoop(ending, { onCommit: () => ({ leave: true }) }).outcome).toMatchObject({
      reason: "stop",
    });
    check(going);
  });

  test("leave with nothing stored leaves at once: the round is not done, be it the last or not", async () => {
    for (const step of [reply("done"), calls(["c1", "f"])]) {
      const deps = ports(step);
      const run = startLoop(deps, { tools: [tool("f", "r")], onCommit: () => ({ stored: [], leave: true }) });
      expect(await run.outcome).toEqual({ kind: "left", how: "handed_over" });
      expect(outline(run.events)).not.toContain("round done 1");
    }
  });

  test("the next request is made of the entries as they were stored", async () => {
    const deps = ports(calls(["c1", "f"]), reply("done"));
    await startLoop(deps, {
      tools: [tool("f", "key sk-123")],
      onCommit: ({ round }) =>
        round === 1
          ? {
              stored: [
                stored(100, assistant("", call("c1", "f")), 1),
                stored(101, result("c1", "f", "key [masked]"), 1),
              ],
            }
          : undefined,
    }).outcome;
    expect(resultIn(deps.model.requests[1], "c1")).toBe("key [masked]");
  });

  test.each(["stale_fence", "lease_lost"] as const)("%s ends the attempt as lost, quietly", async (code) => {
    const deps = ports(reply("x"));
    const run = startLoop(deps, {
      onCommit: () => {
        throw new BobbinError(code, "another has it");
      },
    });
    expect(await run.outcome).toEqual({ kind: "left", how: "lost" });
  });

  test("any other failure of the store ends the run with error, and the calls it lost are in the outcome", async () => {
    const deps = ports(reply("x"));
    const run = startLoop(deps, {
      onCommit: () => {
        throw new BobbinError("store_full", "no room");
      },
    });
    expect(await run.outcome).toMatchObject({
      reason: "error",
      error: { code: "store_full" },
      modelCalls: [{ round: 1 }],
    });
  });
});
