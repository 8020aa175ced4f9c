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
  textOf,
  tool,
  user,
  type Ports,
} from "../../support/agent-library.ts";
import { call, calls, reply, streams, usage } from "../../support/scripted-model.ts";
import { requestRefusals } from "../../support/strict-provider.ts";

function check(deps: Ports): void {
  deps.model.assertComplete();
  for (const request of deps.model.requests) expect(requestRefusals(request)).toEqual([]);
  expect(deps.clock.waiting).toBe(0);
}

describe("the loop", () => {
  test("streams one reply, runs its calls, feeds the results back, until a reply without calls", async () => {
    const deps = ports(
      reply({ text: "Let me see.", calls: [call("c1", "clock", { zone: "UTC" })] }),
      calls(["c2", "clock"]),
      reply("It is noon."),
    );
    const run = startLoop(deps, {
      tools: [tool("clock", async (value) => `time for ${JSON.stringify(value)}`)],
    });
    expect(await run.outcome).toMatchObject({ kind: "ended", reason: "stop", rounds: 3, modelCalls: [] });
    expect(resultIn(deps.model.requests[1], "c1")).toBe('time for {"zone":"UTC"}');
    expect(messagesOf(deps.model.requests[2]).map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
    ]);
    expect(run.commits.map(({ round, state }) => [round, state])).toEqual([
      [1, "complete"],
      [2, "complete"],
      [3, "complete"],
    ]);
    expect(run.commits[0]?.entries).toEqual([
      assistant("Let me see.", call("c1", "clock", { zone: "UTC" })),
      result("c1", "clock", 'time for {"zone":"UTC"}'),
    ]);
    check(deps);
  });

  test("each request is the one before and then new messages", async () => {
    const deps = ports(calls(["c1", "f"]), calls(["c2", "f"]), reply("done"));
    await startLoop(deps, { tools: [tool("f", "r")] }).outcome;
    const [first, second, third] = deps.model.requests.map(messagesOf);
    expect(second?.slice(0, first?.length)).toEqual(first);
    expect(third?.slice(0, second?.length)).toEqual(second);
  });

  test("events come in order: all calls of a reply first, then their results in the same order", async () => {
    const deps = ports(
      reply({ thinking: "hm", text: "x", calls: [call("c1", "f"), call("c2", "f")], usage: { input: 1 } }),
      reply("done"),
    );
    const slow = Promise.withResolvers<string>();
    const run = startLoop(deps, {
      tools: [
        tool("f", async (_, { call: id }) => {
          if (id === "c1") return slow.promise;
          slow.resolve("late");
          return "early";
        }),
      ],
    });
    await run.outcome;
    expect(outline(run.events)).toEqual([
      "round start 1",
      "thinking",
      "text",
      "tool_input",
      "tool_input",
      "usage",
      "tool_call c1",
      "tool_call c2",
      "tool_result c1",
      "tool_result c2",
      "round done 1",
      "round start 2",
      "text",
      "round done 2",
    ]);
  });

  test("W12: calls are run although the provider says that it stopped for good", async () => {
    const deps = ports(reply({ calls: [call("c1", "f")], finish: "end" }), reply("done"));
    await startLoop(deps, { tools: [tool("f", "ran")] }).outcome;
    expect(resultIn(deps.model.requests[1], "c1")).toBe("ran");
    check(deps);
  });

  test("ends with max_turns when that many model calls brought no final reply, and the last round is stored", async () => {
    const deps = ports(calls(["c1", "f", { n: 1 }]), calls(["c2", "f", { n: 2 }]));
    const run = startLoop(deps, { tools: [tool("f", "r")], limits: { maxTurns: 2 } });
    expect(await run.outcome).toMatchObject({ reason: "max_turns", rounds: 2 });
    expect(run.commits).toHaveLength(2);
    check(deps);
  });

  test("rounds that were stored by an earlier attempt count against max_turns", async () => {
    const deps = ports();
    const entries = [
      stored(1, user("go")),
      stored(2, assistant("", call("c1", "f")), 1),
      stored(3, result("c1", "f", "r"), 1),
    ];
    const run = startLoop(deps, { entries, roundsDone: 1, limits: { maxTurns: 1 } });
    expect(await run.outcome).toMatchObject({ reason: "max_turns", rounds: 1 });
    check(deps);
  });

  test("a provider's failure ends the run with its error and the record of the call", async () => {
    const error = new BobbinError("model_auth", "bad key");
    const deps = ports(streams(usage({ input: 3 }), { kind: "failed", error }));
    const outcome = await startLoop(deps).outcome;
    expect(outcome).toMatchObject({ kind: "ended", reason: "error", error, usage: { input: 3 }, rounds: 0 });
    if (outcome.kind !== "ended") throw new Error("left");
    expect(outcome.modelCalls).toMatchObject([
      {
        round: 1,
        outcome: "failed",
        error: "model_auth",
        usage: [{ input: 3 }],
        bodyHash: "body-1",
        firstSeq: 1,
        lastSeq: 1,
      },
    ]);
    check(deps);
  });

  test("a model that throws, or ends without a final event, is an error and not a crash", async () => {
    const thrown = ports({ kind: "throw", events: [], error: new Error("socket hang up") });
    expect(await startLoop(thrown).outcome).toMatchObject({ reason: "error", error: { code: "panic" } });
    const silent = ports(streams({ kind: "text", text: "x" }));
    expect(await startLoop(silent).outcome).toMatchObject({
      reason: "error",
      error: { code: "model_garbage" },
    });
  });

  test("W19: when the stream breaks and is tried anew, the text stands once and the draft is void", async () => {
    const deps = ports(
      streams(
        { kind: "text", text: "Hello wor" },
        { kind: "again", why: "connection reset" },
        { kind: "text", text: "Hello world" },
        { kind: "done", text: "Hello world", calls: [], images: [], finish: "end" },
      ),
    );
    const run = startLoop(deps);
    await run.outcome;
    expect(run.commits[0]?.entries).toEqual([assistant("Hello world")]);
    expect(outline(run.events)).toEqual(["round start 1", "text", "round again 1", "text", "round done 1"]);
  });

  test("what people see equals what is stored, also when the pieces differ from the whole", async () => {
    const missing = ports(
      streams(
        { kind: "text", text: "a" },
        { kind: "done", text: "ab", calls: [], images: [], finish: "end" },
      ),
    );
    const first = startLoop(missing);
    await first.outcome;
    expect(textOf(first.events)).toBe("ab");
    const other = ports(
      streams(
        { kind: "text", text: "x" },
        { kind: "done", text: "ab", calls: [], images: [], finish: "end" },
      ),
    );
    const second = startLoop(other);
    await second.outcome;
    const from = second.events.findLastIndex((event) => event.kind === "round" && event.state === "again");
    expect(textOf(second.events.slice(from))).toBe("ab");
  });

  test("a character whose halves come in two pieces stays whole, and a lone half or NUL is replaced", async () => {
    const deps = ports(reply({ deltas: ["a\ud83d", "\ude42b", "\u0000", "\ud83d"] }));
    const run = startLoop(deps);
    await run.outcome;
    expect(textOf(run.events)).toBe("a🙂b\uFFFD\uFFFD");
    expect(run.commits[0]?.entries).toEqual([assistant("a🙂b\uFFFD\uFFFD")]);
  });

  test("H5: a reply without text, image and call ends the run with stop and is neither stored nor sent", async () => {
    const deps = ports(reply({ thinking: "only thought", text: " \u200B", usage: { output: 5 } }));
    const run = startLoop(deps);
    const outcome = await run.outcome;
    expect(outcome).toMatchObject({ reason: "stop", rounds: 1, modelCalls: [{ outcome: "done" }] });
    expect(run.commits).toEqual([]);
    expect(run.events.at(-1)).toEqual({ kind: "round", round: 1, state: "done", entries: [] });
  });

  test("a reply that the provider held back whole is an error, never a silent end", async () => {
    const deps = ports(reply({ text: "", finish: "filtered" }));
    expect(await startLoop(deps).outcome).toMatchObject({
      reason: "error",
      error: { code: "model_refused" },
    });
  });

  test("W7: a reply of which the provider held the rest back keeps its text, and is never taken for whole", async () => {
    const deps = ports(reply({ text: "The first half is", finish: "filtered" }));
    const run = startLoop(deps);
    expect(await run.outcome).toMatchObject({
      reason: "error",
      error: { code: "model_filtered" },
      rounds: 0,
      modelCalls: [],
      round: {
        entries: [{ ...assistant("The first half is"), interrupted: true }],
        modelCalls: [{ outcome: "done" }],
      },
    });
    expect(run.commits).toEqual([]);
    expect(textOf(run.events)).toBe("The first half is");
  });

  test("W7: a call that a filter cut is never run, and the model goes on", async () => {
    const ran: string[] = [];
    const deps = ports(
      reply({
        text: "I look.",
        calls: [call("c1", "f"), call("c2", "f", '{"path":"/da')],
        finish: "filtered",
        cutCall: true,
      }),
      reply("done"),
    );
    const f = tool("f", async (_, context) => {
      ran.push(context.call);
      return "ran";
    });
    expect(await startLoop(deps, { tools: [f] }).outcome).toMatchObject({ reason: "stop" });
    expect(ran).toEqual(["c1"]);
    expect(resultIn(deps.model.requests[1], "c2")).toContain("filter");
  });

  test("usage is reported once per try, summed in the outcome, and absent differs from zero", async () => {
    const deps = ports(
      streams(usage({ input: 1, cost: 0.5 }), { kind: "again", why: "cut" }, usage({ input: 2, output: 0 }), {
        kind: "done",
        text: "x",
        calls: [],
        images: [],
        finish: "end",
      }),
    );
    const run = startLoop(deps);
    expect(await run.outcome).toMatchObject({ usage: { input: 3, output: 0, cost: 0.5 } });
    expect(kinds(run.events, "usage").map((event) => event.usage.input)).toEqual([1, 2]);
    const outcome = await run.outcome;
    expect(outcome.kind === "ended" && outcome.usage).not.toHaveProperty("reasoning");
  });

  test("a call's record names prompt, tools, entries and hash of the body that was sent", async () => {
    const deps = ports(reply("hi"));
    const run = startLoop(deps, { tools: [tool("f", "r")], profile: { temperature: 0.5 } });
    await run.outcome;
    const [record] = run.commits[0]?.modelCalls ?? [];
    expect(record).toMatchObject({
      round: 1,
      model: "scripted",
      prompt: { text: "You are a test.", hash: deps.hash("You are a test.") },
      tools: { text: '[{"name":"f","description":"the tool f","schema":{"type":"object"}}]' },
      firstSeq: 1,
      lastSeq: 1,
      excluded: [],
      bodyHash: "body-1",
      outcome: "done",
    });
    expect(JSON.parse(record?.params ?? "")).toMatchObject({ temperature: 0.5, caching: true });
  });
});
