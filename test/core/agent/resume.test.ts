import { describe, expect, test } from "vitest";
import { isStuck } from "../../../src/core/agent/stuck.ts";
import type { RunId } from "../../../src/core/ids.ts";
import {
  assistant,
  note,
  outline,
  ports,
  result,
  resultIn,
  startLoop,
  stored,
  tool,
  user,
} from "../../support/agent-library.ts";
import { call, calls, reply } from "../../support/scripted-model.ts";

describe("a run that another attempt began", () => {
  test("goes on after the last stored round without asking again", async () => {
    const deps = ports(reply("done"));
    const entries = [
      stored(1, user("go")),
      stored(2, assistant("", call("c1", "f")), 1),
      stored(3, result("c1", "f", "r"), 1),
    ];
    const run = startLoop(deps, { entries, roundsDone: 1, tools: [tool("f", "again?")] });
    expect(await run.outcome).toMatchObject({ reason: "stop", rounds: 2 });
    expect(resultIn(deps.model.requests[0], "c1")).toBe("r");
    expect(run.commits.map(({ round }) => round)).toEqual([2]);
    deps.model.assertComplete();
  });

  test("runs a call without result again where its tool only reads; of any other, and of one whose arguments were masked, the outcome is unknown", async () => {
    const ran: string[] = [];
    const noting = (name: string, effect: "read" | "write" | "external") =>
      tool(
        name,
        async (value) => {
          ran.push(`${name} ${JSON.stringify(value)}`);
          return "fresh";
        },
        { effect },
      );
    const deps = ports(reply("done"));
    const entries = [
      stored(1, user("go")),
      stored(
        2,
        assistant(
          "on it",
          call("c1", "look", { at: 1 }),
          call("c2", "write"),
          call("c3", "pay"),
          call("c4", "gone"),
          { ...call("c5", "look", { at: "***" }), isMasked: true },
        ),
        1,
      ),
    ];
    const run = startLoop(deps, {
      entries,
      tools: [noting("look", "read"), noting("write", "write"), noting("pay", "external")],
    });
    expect(await run.outcome).toMatchObject({ reason: "stop", rounds: 2 });
    expect(ran).toEqual(['look {"at":1}']);
    const unknown = "outcome unknown: the process ended while this ran";
    expect(["c1", "c2", "c3", "c5"].map((id) => resultIn(deps.model.requests[0], id))).toEqual([
      "fresh",
      unknown,
      unknown,
      unknown,
    ]);
    expect(resultIn(deps.model.requests[0], "c4")).toContain("no tool");
    expect(run.commits[0]).toMatchObject({ round: 1, state: "complete", modelCalls: [] });
    expect(run.commits[0]?.entries.map((entry) => entry.kind)).toEqual([
      "tool",
      "tool",
      "tool",
      "tool",
      "tool",
    ]);
    expect(outline(run.events).slice(0, 12)).toEqual([
      "round start 1",
      "tool_call c1",
      "tool_call c2",
      "tool_call c3",
      "tool_call c4",
      "tool_call c5",
      "tool_result c1",
      "tool_result c2",
      "tool_result c3",
      "tool_result c4",
      "tool_result c5",
      "round done 1",
    ]);
    deps.model.assertComplete();
  });

  test("keeps the results that are there", async () => {
    const deps = ports(reply("done"));
    const entries = [
      stored(1, user("go")),
      stored(2, assistant("", call("c1", "f"), call("c2", "f")), 1),
      stored(3, result("c1", "f", "kept"), 1),
    ];
    const run = startLoop(deps, { entries, tools: [tool("f", "new")] });
    await run.outcome;
    expect(resultIn(deps.model.requests[0], "c1")).toBe("kept");
    expect(resultIn(deps.model.requests[0], "c2")).toBe("new");
  });

  test("whose answer was stored ends without another model call", async () => {
    const deps = ports();
    const entries = [stored(1, user("go")), stored(2, assistant("the answer"), 1)];
    const run = startLoop(deps, { entries, roundsDone: 1 });
    expect(await run.outcome).toMatchObject({ reason: "stop", rounds: 1, modelCalls: [] });
    expect(run.commits).toEqual([]);
  });

  test("whose answer was stored as cut by its length limit ends as it would have ended then", async () => {
    const cut = (text: string) => reply({ text, finish: "length" });
    const first = startLoop(ports(cut("void"), cut("a"), cut("b"), cut("c"), cut("d")));
    const { reason } = Object.assign({ reason: undefined }, await first.outcome);
    const [entry] = first.commits[0]?.entries ?? [];
    if (entry === undefined) throw new Error("nothing was stored");
    const deps = ports();
    const run = startLoop(deps, { entries: [stored(1, user("go")), stored(2, entry, 1)], roundsDone: 1 });
    expect(await run.outcome).toMatchObject({ reason, rounds: 1, modelCalls: [] });
    expect([reason, run.commits]).toEqual(["max_tokens", []]);
  });

  test("is a new one where the calls without result are another run's: they are closed, not run", async () => {
    let ran = false;
    const deps = ports(reply("done"));
    const entries = [
      stored(1, user("go")),
      { ...stored(2, assistant("", call("c1", "f")), 1), run: "other" as RunId },
      stored(3, note("the previous turn ended: error")),
    ];
    const run = startLoop(deps, {
      entries,
      tools: [
        tool("f", async () => {
          ran = true;
        }),
      ],
    });
    expect(await run.outcome).toMatchObject({ reason: "stop", rounds: 1 });
    expect(ran).toBe(false);
    expect(resultIn(deps.model.requests[0], "c1")).toContain("outcome unknown");
  });
});

describe("stuck", () => {
  const same = () => calls(["c", "f", { q: 1 }]);

  test("the same calls with the same results five times in a row end the run", async () => {
    const deps = ports(same(), same(), same(), same(), same());
    const run = startLoop(deps, { tools: [tool("f", "nothing new")] });
    expect(await run.outcome).toMatchObject({ reason: "stuck", rounds: 5 });
    expect(run.commits).toHaveLength(5);
    deps.model.assertComplete();
  });

  test("other arguments, another result or a person in between begin the count anew", async () => {
    let round = 0;
    const deps = ports(...Array.from({ length: 8 }, same), reply("done"));
    const run = startLoop(deps, {
      tools: [tool("f", async () => (++round === 3 ? "something new" : "nothing new"))],
      onCommit: (record) => (record.round === 6 ? { steered: [stored(500, user("go on"), 6)] } : undefined),
    });
    expect(await run.outcome).toMatchObject({ reason: "stop", rounds: 9 });
    deps.model.assertComplete();
  });

  test("is known across attempts, and a retry begins anew", () => {
    const round = (n: number, run: string) => [
      { run: run as RunId, round: n, body: assistant("", call(`c${n}`, "f")) },
      { run: run as RunId, round: n, body: result(`c${n}`, "f", "same") },
    ];
    const five = [1, 2, 3, 4, 5].flatMap((n) => round(n, "r1"));
    expect(isStuck(five)).toBe(true);
    expect(isStuck(five.slice(2))).toBe(false);
    expect(isStuck([...five, ...round(1, "r2")])).toBe(false);
  });
});
