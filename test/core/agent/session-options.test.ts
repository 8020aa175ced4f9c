import { describe, expect, test } from "vitest";
import { drain } from "../../../src/core/agent/drain.ts";
import { DEFAULT_LIMITS } from "../../../src/core/agent/limits.ts";
import { ports, sessionOver, tool } from "../../support/agent-library.ts";
import { calls, reply, scriptedRecord } from "../../support/scripted-model.ts";

describe("options", () => {
  test("have the documented defaults", () => {
    expect(DEFAULT_LIMITS).toEqual({
      maxTurns: 20,
      runMs: 600_000,
      modelCallMs: 180_000,
      toolCallMs: 120_000,
      toolResultBytes: 40_000,
    });
  });

  test.each(["maxTurns", "runMs", "modelCallMs", "toolCallMs", "toolResultBytes"] as const)(
    "zero and negative limits.%s are refused by name",
    (name) => {
      for (const value of [0, -1, Number.NaN]) {
        expect(() => sessionOver(ports(), { limits: { [name]: value } })).toThrow(`limits.${name}`);
      }
    },
  );

  test("Infinity means no cap where a cap may be absent and is refused elsewhere", async () => {
    const free = { toolCallMs: Number.POSITIVE_INFINITY, toolResultBytes: Number.POSITIVE_INFINITY };
    const deps = ports(calls(["c1", "f"]), reply("done"));
    await drain(sessionOver(deps, { limits: free, tools: [tool("f", "z".repeat(100_000))] }).run("x"));
    expect(deps.model.requests[1]?.messages.at(-1)).toMatchObject({ content: "z".repeat(100_000) });
    for (const name of ["maxTurns", "runMs", "modelCallMs"]) {
      expect(() => sessionOver(ports(), { limits: { [name]: Number.POSITIVE_INFINITY } })).toThrow(
        `limits.${name}`,
      );
    }
  });

  test("that are wrong are refused with their name", () => {
    const wrong = (options: object) => () => sessionOver(ports(), options);
    expect(wrong({ id: "" })).toThrow("id");
    expect(wrong({ temperature: 3 })).toThrow("temperature");
    expect(wrong({ persist: "never" })).toThrow("persist");
    expect(wrong({ stopMs: 0 })).toThrow("stopMs");
    expect(wrong({ thinking: { kind: "budget", tokens: 0 } })).toThrow("thinking.tokens");
    expect(wrong({ tools: [tool("f", ""), tool("f", "")] })).toThrow("two tools have the name f");
    expect(wrong({ tools: [tool("bad name", "")] })).toThrow("bad name");
    expect(wrong({ model: { ...scriptedRecord, largerOutputTokens: 1 } })).toThrow("largerOutputTokens");
    expect(wrong({ limits: { turns: 5 } })).toThrow("limits.turns is no limit");
    expect(wrong({ limits: { maxTurns: 1.5 } })).toThrow("limits.maxTurns");
  });
});
