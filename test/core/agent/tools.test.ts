import { describe, expect, test } from "vitest";
import type { Tool, ToolGate, ToolOutput } from "../../../src/core/agent/tool.ts";
import type { RoundRecord } from "../../../src/core/round.ts";
import {
  kinds,
  ports,
  resultIn,
  startLoop,
  tool,
  type LoopCase,
  type Ports,
} from "../../support/agent-library.ts";
import { call, calls, reply } from "../../support/scripted-model.ts";
import { requestRefusals } from "../../support/strict-provider.ts";

/** One round of these calls, then a final reply; answers what the model received for each call. */
async function answersTo(
  given: readonly (readonly [string, string, unknown?])[],
  options: LoopCase,
): Promise<{ deps: Ports; result(id: string): string; commits: readonly RoundRecord[] }> {
  const deps = ports(calls(...given), reply("done"));
  const run = startLoop(deps, options);
  expect(await run.outcome).toMatchObject({ reason: "stop", rounds: 2 });
  for (const request of deps.model.requests) expect(requestRefusals(request)).toEqual([]);
  expect(deps.clock.waiting).toBe(0);
  return { deps, result: (id) => resultIn(deps.model.requests[1], id) ?? "no result", commits: run.commits };
}

describe("a call that cannot be run gets a result that the model reads", () => {
  test("T4: a tool that does not exist: the result names those that do", async () => {
    const { result } = await answersTo([["c1", "serch", {}]], {
      tools: [tool("search", "r"), tool("clock", "r")],
    });
    expect(result("c1")).toContain("serch");
    expect(result("c1")).toContain("search, clock");
  });

  test("arguments that are not JSON, or no object", async () => {
    const { result, commits } = await answersTo(
      [
        ["c1", "f", '{"cmd": ls}'],
        ["c2", "f", "[1]"],
      ],
      {
        tools: [tool("f", "r")],
      },
    );
    expect(result("c1")).toContain("not valid JSON");
    expect(result("c2")).toContain("JSON object");
    expect(commits[0]?.entries[0]).toMatchObject({
      calls: [
        { arguments: '{"invalid_arguments":"{\\"cmd\\": ls}"}' },
        { arguments: '{"invalid_arguments":"[1]"}' },
      ],
    });
  });

  test("arguments that the tool refuses", async () => {
    const strict = tool("f", "r", {
      parse: () => {
        throw new Error("zone is missing");
      },
    });
    const { result } = await answersTo([["c1", "f", {}]], { tools: [strict] });
    expect(result("c1")).toBe("error: wrong arguments for f: zone is missing");
  });

  test("blank arguments are an empty object, and the tool runs", async () => {
    const { result } = await answersTo([["c1", "f", ""]], {
      tools: [tool("f", async (value) => `got ${JSON.stringify(value)}`)],
    });
    expect(result("c1")).toBe("got {}");
  });

  test("T10: a NUL in an argument", async () => {
    let ran = false;
    const { result, commits } = await answersTo([["c1", "f", '{"path":"a\\u0000b"}']], {
      tools: [
        tool("f", async () => {
          ran = true;
        }),
      ],
    });
    expect(ran).toBe(false);
    expect(result("c1")).toContain("NUL");
    expect(JSON.stringify(commits)).not.toContain("\\u0000");
  });

  test("a call that the gate denies, or cannot check", async () => {
    const gate: ToolGate = {
      async decide({ name }) {
        if (name === "broken") throw new Error("gate down");
        return name === "f" ? { kind: "allow" } : { kind: "deny", reason: "not on Fridays" };
      },
    };
    const ran: string[] = [];
    const noting = (name: string): Tool =>
      tool(name, async () => {
        ran.push(name);
        return "ran";
      });
    const { result } = await answersTo(
      [
        ["c1", "f"],
        ["c2", "deploy"],
        ["c3", "broken"],
      ],
      {
        tools: [noting("f"), noting("deploy"), noting("broken")],
        profile: { gate },
      },
    );
    expect([result("c1"), result("c2"), result("c3")]).toEqual([
      "ran",
      "denied: not on Fridays",
      "denied: it could not be checked",
    ]);
    expect(ran).toEqual(["f"]);
  });

  test("with no tools at all", async () => {
    const { result } = await answersTo([["c1", "f"]], {});
    expect(result("c1")).toContain("There are no tools");
  });
});

describe("a tool", () => {
  test("T1: that never settles and ignores its signal is left behind at its time limit, and the run goes on", async () => {
    const deps = ports(calls(["c1", "f"]), reply("done"));
    const late = Promise.withResolvers<string>();
    let signal: AbortSignal | undefined;
    const stubborn = tool("f", async (_, context) => {
      signal = context.signal;
      return late.promise;
    });
    const run = startLoop(deps, { tools: [stubborn], limits: { toolCallMs: 120_000 } });
    await deps.clock.advance(120_000);
    late.reject(new Error("too late to matter"));
    expect(await run.outcome).toMatchObject({ reason: "stop" });
    expect(resultIn(deps.model.requests[1], "c1")).toBe("error: tool f timed out after 120 s");
    expect(signal?.aborted).toBe(true);
  });

  test("T1: that never settles does not hold up a stop", async () => {
    const deps = ports(calls(["c1", "f"]));
    const controller = new AbortController();
    const started = Promise.withResolvers<void>();
    const run = startLoop(deps, {
      tools: [
        tool("f", async () => {
          started.resolve();
          return new Promise(() => {});
        }),
      ],
      signal: controller.signal,
    });
    await started.promise;
    controller.abort("stopped");
    expect(await run.outcome).toMatchObject({ reason: "cancelled" });
    expect(deps.clock.waiting).toBe(0);
  });

  test("may have a time limit of its own", async () => {
    const deps = ports(calls(["c1", "f"]), reply("done"));
    const run = startLoop(deps, {
      tools: [tool("f", () => new Promise(() => {}), { timeoutMs: 1_500 })],
    });
    await deps.clock.advance(1_500);
    await run.outcome;
    expect(resultIn(deps.model.requests[1], "c1")).toBe("error: tool f timed out after 1.5 s");
  });

  test("T5: that fails beside others loses none of their results", async () => {
    const deps = ports(calls(["c1", "bad"], ["c2", "good"]), reply("done"));
    const later = (ms: number) => new Promise<void>((resolve) => void deps.clock.after(ms, resolve));
    const run = startLoop(deps, {
      tools: [
        tool("bad", async () => {
          await later(10);
          throw new Error("broke");
        }),
        tool("good", async () => {
          await later(50);
          return "fine";
        }),
      ],
    });
    await deps.clock.advance(50);
    await run.outcome;
    expect(resultIn(deps.model.requests[1], "c1")).toBe("error: broke");
    expect(resultIn(deps.model.requests[1], "c2")).toBe("fine");
    expect(run.commits[0]?.entries.map((entry) => entry.kind)).toEqual(["assistant", "tool", "tool"]);
    expect(run.commits[0]?.results.map(({ ok }) => ok)).toEqual([false, true]);
  });

  test("that throws before its first promise, or throws what is no error, fails as any other", async () => {
    const { result } = await answersTo(
      [
        ["c1", "f"],
        ["c2", "g"],
      ],
      {
        tools: [
          tool("f", () => {
            throw new Error("at once");
          }),
          // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- what is no error is the case
          tool("g", () => Promise.reject("just text")),
        ],
      },
    );
    expect([result("c1"), result("c2")]).toEqual(["error: at once", "error: just text"]);
  });

  test("T11: that returns nothing, a circle, or a bigint gives a text", async () => {
    const circle: Record<string, unknown> = { name: "o" };
    circle["self"] = circle;
    const returns = (name: string, value: unknown): Tool => tool(name, async () => value);
    const { result } = await answersTo(
      [
        ["c1", "u"],
        ["c2", "o"],
        ["c3", "b"],
      ],
      {
        tools: [returns("u", undefined), returns("o", circle), returns("b", 10n)],
      },
    );
    expect([result("c1"), result("c2"), result("c3")]).toEqual([
      "(no output)",
      '{"name":"o","self":"[circular]"}',
      '"10"',
    ]);
  });

  test("T14: whose answer is flagged as an error counts as failed, for the model and in what is stored", async () => {
    const answer = { isError: true, content: [{ type: "text", text: "no access" }] };
    const { result, commits } = await answersTo([["c1", "f"]], { tools: [tool("f", async () => answer)] });
    expect(result("c1")).toBe("no access");
    expect(commits[0]?.results).toEqual([{ call: "c1", name: "f", ok: false, content: "no access" }]);
    expect(commits[0]?.entries[1]).toMatchObject({ kind: "tool", ok: false });
  });

  test("may answer with text and images; a model reads a line for each image", async () => {
    const answer: ToolOutput = {
      content: [
        { kind: "text", text: "the chart" },
        { kind: "image", mimeType: "image/png", data: "AAAA" },
      ],
    };
    const { result } = await answersTo([["c1", "f"]], { tools: [tool("f", async () => answer)] });
    expect(result("c1")).toBe("the chart\n[image, image/png]");
  });

  test("T2: with a giant result is cut for the model, while people and store get the whole", async () => {
    const giant = `start${"x".repeat(3_000_000)}end`;
    const deps = ports(calls(["c1", "f"]), reply("done"));
    const run = startLoop(deps, { tools: [tool("f", giant)] });
    await run.outcome;
    const sent = resultIn(deps.model.requests[1], "c1") ?? "";
    expect(Buffer.byteLength(sent)).toBeLessThanOrEqual(40_000);
    expect(JSON.parse(sent)).toMatchObject({ truncated: true, total_bytes: 3_000_008 });
    const [event] = kinds(run.events, "tool_result");
    expect(event?.result.content).toBe(giant);
    expect(event?.result.modelContent).toBe(sent);
    expect(run.commits[0]?.results[0]?.content).toBe(giant);
    expect(run.commits[0]?.entries[1]).toMatchObject({ content: sent });
  });

  test("says what it does while it runs, and nothing once it has ended", async () => {
    const deps = ports(calls(["c1", "f"]), reply("done"));
    let say: (text: string) => void = () => {};
    const run = startLoop(deps, {
      tools: [
        tool("f", async (_, context) => {
          say = (text) => context.progress(text);
          say("half\u0000way");
          return "r";
        }),
      ],
    });
    await run.outcome;
    say("too late");
    expect(kinds(run.events, "tool_progress")).toEqual([
      { kind: "tool_progress", call: "c1", text: "half\uFFFDway" },
    ]);
  });

  test("has its requester's rights and knows session, run and call", async () => {
    const { result } = await answersTo([["c1", "f"]], {
      tools: [tool("f", async (_, { session, run, call: id }) => `${session} ${run} ${id}`)],
    });
    expect(result("c1")).toBe("s1 run1 c1");
  });
});

test("ids that a provider gives twice or leaves blank are made unique before anyone sees them", async () => {
  const deps = ports(
    reply({ calls: [call("c", "f", { n: 1 }), call("c", "f", { n: 2 }), call("", "f", { n: 3 })] }),
    reply("done"),
  );
  const run = startLoop(deps, { tools: [tool("f", async (value) => JSON.stringify(value))] });
  await run.outcome;
  const ids = kinds(run.events, "tool_call").map((event) => event.call.id);
  expect(new Set(ids).size).toBe(3);
  expect(ids.map((id) => resultIn(deps.model.requests[1], id))).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
});
