import { describe, expect, test } from "vitest";
import type { Learnt } from "../../../src/core/context/gauge.ts";
import {
  assistant,
  messagesOf,
  outline,
  ports,
  resultIn,
  startLoop,
  stored,
  textOf,
  tool,
  user,
  type Ports,
} from "../../support/agent-library.ts";
import { call, fails, hangs, reply, scriptedRecord, streams } from "../../support/scripted-model.ts";
import { requestRefusals } from "../../support/strict-provider.ts";

function check(deps: Ports): void {
  deps.model.assertComplete();
  for (const request of deps.model.requests) expect(requestRefusals(request)).toEqual([]);
  expect(deps.clock.waiting).toBe(0);
}

describe("a reply that its length limit cut", () => {
  test("is asked for once more with the larger cap from unchanged history, and the draft is void", async () => {
    const deps = ports(reply({ text: "too lo", finish: "length" }), reply("short enough"));
    const run = startLoop(deps);
    expect(await run.outcome).toMatchObject({ reason: "stop", rounds: 1 });
    expect(deps.model.requests.map((request) => request.outputTokens)).toEqual([16_384, 64_000]);
    expect(messagesOf(deps.model.requests[1])).toEqual(messagesOf(deps.model.requests[0]));
    expect(outline(run.events)).toEqual(["round start 1", "text", "round again 1", "text", "round done 1"]);
    expect(run.commits).toMatchObject([
      { entries: [{ text: "short enough" }], modelCalls: [{ outcome: "cut" }, { outcome: "done" }] },
    ]);
    check(deps);
  });

  test("twice is continued, and the pieces are one reply", async () => {
    const deps = ports(
      reply({ text: "void", finish: "length" }),
      reply({ text: "one ", finish: "length" }),
      reply({ text: "two ", finish: "length" }),
      reply("three"),
    );
    const run = startLoop(deps);
    expect(await run.outcome).toMatchObject({ reason: "stop", rounds: 1 });
    expect(run.commits[0]?.entries).toEqual([assistant("one two three")]);
    expect(messagesOf(deps.model.requests[3]).at(-2)).toMatchObject({ role: "assistant", text: "one two " });
    check(deps);
  });

  test("after three continuations ends with max_tokens and keeps the text", async () => {
    const cut = (text: string) => reply({ text, finish: "length" });
    const deps = ports(cut("void"), cut("a"), cut("b"), cut("c"), cut("d"));
    const run = startLoop(deps);
    expect(await run.outcome).toMatchObject({ reason: "max_tokens", rounds: 1 });
    expect(run.commits[0]?.entries).toEqual([{ ...assistant("abcd"), cut: true }]);
    check(deps);
  });

  test("before it said anything ends with max_tokens and stores nothing", async () => {
    const cut = reply({ text: "", thinking: "so much", finish: "length" });
    const deps = ports(cut, cut);
    const run = startLoop(deps);
    expect(await run.outcome).toMatchObject({ reason: "max_tokens", rounds: 1 });
    expect(run.commits).toEqual([]);
    check(deps);
  });

  test("has no second try where the larger cap is not larger", async () => {
    const deps = ports(reply({ text: "one ", finish: "length" }), reply("two"));
    const model = { ...scriptedRecord, largerOutputTokens: scriptedRecord.outputTokens };
    const run = startLoop(deps, { profile: { model } });
    await run.outcome;
    expect(run.commits[0]?.entries).toEqual([assistant("one two")]);
    check(deps);
  });

  test("a call that was cut in its arguments is never run, the others are", async () => {
    const ran: string[] = [];
    const both = {
      calls: [call("c1", "f"), call("c2", "f", '{"path":"/da')],
      finish: "length",
      cutCall: true,
    } as const;
    const deps = ports(reply(both), reply(both), reply("sorry"));
    await startLoop(deps, {
      tools: [
        tool("f", async (_, context) => {
          ran.push(context.call);
          return "ran";
        }),
      ],
    }).outcome;
    expect(ran).toEqual(["c1"]);
    expect(resultIn(deps.model.requests[2], "c2")).toContain("cut off");
    check(deps);
  });

  test("a stop in a continuation keeps all that was shown", async () => {
    const deps = ports(
      reply({ text: "void", finish: "length" }),
      reply({ text: "one ", finish: "length" }),
      hangs("tw"),
    );
    const controller = new AbortController();
    const run = startLoop(deps, { signal: controller.signal });
    await deps.model.reached(3);
    controller.abort("stopped");
    expect(await run.outcome).toMatchObject({ round: { entries: [{ text: "one tw", interrupted: true }] } });
  });

  test("a continuation that is tried anew shows the part before it again", async () => {
    const deps = ports(
      reply({ text: "void", finish: "length" }),
      reply({ text: "one ", finish: "length" }),
      streams(
        { kind: "text", text: "tw" },
        { kind: "again", why: "cut" },
        { kind: "text", text: "two" },
        { kind: "done", text: "two", calls: [], images: [], finish: "end" },
      ),
    );
    const run = startLoop(deps);
    await run.outcome;
    const from = run.events.findLastIndex((event) => event.kind === "round" && event.state === "again");
    expect(textOf(run.events.slice(from))).toBe("one two");
    expect(run.commits[0]?.entries).toEqual([assistant("one two")]);
  });

  test("that has outgrown the window when it is continued ends with max_tokens and keeps its text", async () => {
    const deps = ports(
      reply({ text: "void", finish: "length" }),
      reply({ text: "one ", finish: "length" }),
      fails("context_length"),
    );
    const run = startLoop(deps);
    expect(await run.outcome).toMatchObject({ reason: "max_tokens", rounds: 1 });
    expect(run.commits[0]?.entries).toEqual([{ ...assistant("one "), cut: true }]);
  });

  describe("is shown again where the model has no room for the larger cap, and", () => {
    const long = "The heron stands in the shallow water and waits for a fish. ".repeat(600);
    const entries = [stored(1, user(long)), stored(2, assistant("ok")), stored(3, user(long))];
    const usage = { input: 15_000, output: 10 };

    test("goes on within the first cap, with the whole conversation; nothing is learnt of it", async () => {
      const learnt: Learnt = {};
      const deps = ports(
        reply({ text: "one ", usage, finish: "length" }),
        fails("context_length"),
        reply({ text: "two", usage }),
      );
      const run = startLoop(deps, { entries, learnt });
      expect(await run.outcome).toMatchObject({
        reason: "stop",
        rounds: 1,
        usage: { input: 30_000, output: 20 },
      });
      expect(run.commits).toMatchObject([
        {
          entries: [assistant("one two")],
          modelCalls: [
            { outcome: "cut" },
            { outcome: "failed", error: "context_length" },
            { outcome: "done" },
          ],
        },
      ]);
      expect(learnt).toEqual({});
      const from = run.events.findLastIndex((event) => event.kind === "round" && event.state === "again");
      expect(textOf(run.events.slice(from))).toBe("one two");
      const [first, , last] = deps.model.requests;
      expect(last?.outputTokens).toBe(16_384);
      expect(messagesOf(last).slice(0, -2)).toEqual(messagesOf(first));
      expect(messagesOf(last).at(-2)).toMatchObject({ role: "assistant", text: "one " });
      check(deps);
    });

    test("is kept as it was seen when what goes on from it fails", async () => {
      const deps = ports(
        reply({ text: "one ", finish: "length" }),
        fails("context_length", "void"),
        fails("model_rate_limited", "tw"),
      );
      const run = startLoop(deps, { entries });
      expect(await run.outcome).toMatchObject({
        reason: "error",
        error: { code: "model_rate_limited" },
        round: { entries: [{ text: "one tw", interrupted: true }] },
      });
      const from = run.events.findLastIndex((event) => event.kind === "round" && event.state === "again");
      expect(textOf(run.events.slice(from))).toBe("one tw");
    });

    test("runs the calls that were whole", async () => {
      const cut = {
        calls: [call("c1", "f"), call("c2", "f", "{")],
        finish: "length",
        cutCall: true,
      } as const;
      const deps = ports(reply(cut), fails("context_length"), reply("done"));
      const run = startLoop(deps, { entries, tools: [tool("f", "ran")] });
      expect(await run.outcome).toMatchObject({ reason: "stop", rounds: 2 });
      expect(resultIn(deps.model.requests[2], "c1")).toBe("ran");
      expect(resultIn(deps.model.requests[2], "c2")).toContain("cut off");
      check(deps);
    });
  });

  test("a failure in the second try is the run's error", async () => {
    const deps = ports(reply({ text: "void", finish: "length" }), fails("model_rate_limited"));
    expect(await startLoop(deps).outcome).toMatchObject({
      reason: "error",
      error: { code: "model_rate_limited" },
      modelCalls: [{ outcome: "cut" }, { outcome: "failed" }],
    });
  });
});
