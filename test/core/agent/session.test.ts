import { describe, expect, test } from "vitest";
import { drain } from "../../../src/core/agent/drain.ts";
import { createLocalSession } from "../../../src/core/agent/local-session.ts";
import type { Thinking } from "../../../src/core/ports/model.ts";
import {
  assistant,
  messagesOf,
  ports,
  result,
  sessionOver,
  tool,
  user,
} from "../../support/agent-library.ts";
import { call, calls, later, reply, scriptedRecord } from "../../support/scripted-model.ts";

async function bodies(deps: ReturnType<typeof ports>, id = "s1") {
  return (await deps.history.read(id)).map((entry) => entry.body);
}

describe("a session", () => {
  test("is local when history and lock are left out: they are filled in", async () => {
    const { model, clock, newId, hash } = ports(reply("hello"), reply("again"));
    const session = createLocalSession({ model, clock, newId, hash }, { model: scriptedRecord });
    await drain(session.run("hi"));
    await drain(session.run("hi again"));
    expect(model.requests[1]?.messages).toHaveLength(3);
    expect(session.id).not.toBe("");
  });

  test("built anew for each request goes on with the conversation, as long as history and locker are shared", async () => {
    const deps = ports(reply("one"), reply("two"));
    await drain(sessionOver(deps).run("first"));
    await drain(sessionOver(deps).run("second"));
    expect(messagesOf(deps.model.requests[1])).toEqual([
      { role: "user", content: [{ kind: "text", text: "first" }] },
      { role: "assistant", text: "one", calls: [] },
      { role: "user", content: [{ kind: "text", text: "second" }] },
    ]);
  });

  test("serialises the runs of one id, also over two objects, while other ids run", async () => {
    const gate = Promise.withResolvers<void>();
    const deps = ports(later(gate.promise, reply("first")), reply("other"), reply("second"));
    const first = drain(sessionOver(deps).run("1"));
    const second = drain(sessionOver(deps).run("2"));
    const other = drain(sessionOver(deps, { id: "s2" }).run("3"));
    await other;
    expect(deps.model.requests).toHaveLength(2);
    gate.resolve();
    await Promise.all([first, second]);
    expect(messagesOf(deps.model.requests[2])).toHaveLength(3);
  });

  test("copies its options, and a run copies its own: changing them later changes neither", async () => {
    const deps = ports(reply("a"), reply("b"));
    const thinking = { kind: "effort", effort: "low" } as { kind: "effort"; effort: "low" | "high" };
    const model = { ...scriptedRecord, name: "before" };
    const tools = [tool("f", "r")];
    const options = { model, thinking, tools, system: "before", temperature: 0.1 };
    const session = sessionOver(deps, options);
    thinking.effort = "high";
    Object.assign(model, { name: "after" });
    Object.assign(options, { system: "after", temperature: 2 });
    tools.push(tool("g", "r"));
    const own: Thinking = { kind: "effort", effort: "medium" };
    await drain(session.run("x"));
    const events = session.run("y", { thinking: own });
    Object.assign(own, { effort: "high" });
    await drain(events);
    expect(deps.model.requests.map(({ thinking: sent }) => sent)).toEqual([
      { kind: "effort", effort: "low" },
      { kind: "effort", effort: "medium" },
    ]);
    for (const request of deps.model.requests) {
      expect(request).toMatchObject({ model: { name: "before" }, system: "before", temperature: 0.1 });
      expect(request.tools.map(({ name }) => name)).toEqual(["f"]);
    }
  });

  test("sends the system prompt first on every model call and never stores it", async () => {
    const deps = ports(calls(["c1", "f"]), reply("done"));
    await drain(sessionOver(deps, { system: "You keep notes.", tools: [tool("f", "r")] }).run("hi"));
    expect(deps.model.requests.map(({ system }) => system)).toEqual(["You keep notes.", "You keep notes."]);
    expect(JSON.stringify(await bodies(deps))).not.toContain("You keep notes");
  });

  test("without tools offers none, and a call then fails where the model sees it", async () => {
    const deps = ports(calls(["c1", "f"]), reply("sorry"));
    await drain(sessionOver(deps).run("hi"));
    expect(deps.model.requests[0]?.tools).toEqual([]);
    expect(deps.model.requests[1]?.messages.at(-1)).toMatchObject({ role: "tool", call: "c1" });
  });

  test("has a fingerprint that is equal for equal behaviour and differs otherwise", () => {
    const deps = ports();
    const print = (options: Parameters<typeof sessionOver>[1]) => sessionOver(deps, options).fingerprint;
    expect(print({ id: "a" })).toBe(print({ id: "b" }));
    const others = [
      print({}),
      print({ system: "x" }),
      print({ temperature: 1 }),
      print({ caching: false }),
      print({ tools: [tool("f", "r")] }),
      print({ limits: { maxTurns: 3 } }),
      print({ thinking: { kind: "effort", effort: "low" } }),
      print({ model: { ...scriptedRecord, name: "other" } }),
    ];
    expect(new Set(others).size).toBe(others.length);
  });
});

describe("run", () => {
  test("answers the history so far plus the new user message", async () => {
    const deps = ports(reply("hi Ana"));
    await deps.history.append("s1", [user("earlier"), assistant("answer")]);
    await drain(sessionOver(deps).run(user("hello", "Ana")));
    expect(messagesOf(deps.model.requests[0])).toHaveLength(3);
    expect(await bodies(deps)).toEqual([
      user("earlier"),
      assistant("answer"),
      user("hello", "Ana"),
      assistant("hi Ana"),
    ]);
  });

  test("with a system suffix adds it to the system prompt of this run only", async () => {
    const deps = ports(reply("a"), reply("b"));
    const session = sessionOver(deps, { system: "Base." });
    await drain(session.run("x", { systemSuffix: "It is Monday." }));
    await drain(session.run("y"));
    expect(deps.model.requests.map(({ system }) => system)).toEqual(["Base.\n\nIt is Monday.", "Base."]);
  });

  test("with thinking replaces the session's for this run only", async () => {
    const deps = ports(reply("a"), reply("b"));
    const session = sessionOver(deps, { thinking: { kind: "effort", effort: "low" } });
    await drain(session.run("x", { thinking: { kind: "budget", tokens: 20_000 } }));
    await drain(session.run("y"));
    expect(deps.model.requests.map(({ thinking }) => thinking)).toEqual([
      { kind: "effort", effort: "high" },
      { kind: "effort", effort: "low" },
    ]);
  });

  test("without thinking leaves the model's default", async () => {
    const deps = ports(reply("a"));
    await drain(sessionOver(deps).run("x"));
    expect(deps.model.requests[0]).not.toHaveProperty("thinking");
    expect(deps.model.requests[0]).not.toHaveProperty("temperature");
  });

  test("begins at once, also when nobody reads yet", async () => {
    const deps = ports(reply("a"));
    const session = sessionOver(deps);
    const events = session.run("x");
    expect(session.isRunning).toBe(true);
    await deps.model.reached(1);
    expect((await drain(events)).reason).toBe("stop");
  });
});

describe("runMessages", () => {
  test("answers exactly these messages, with the session's system prompt, and never touches History", async () => {
    const deps = ports(calls(["c1", "clock"]), reply("noon"));
    await deps.history.append("s1", [user("untouched")]);
    const session = sessionOver(deps, { system: "S", tools: [tool("clock", "12:00")], persist: "round" });
    const { messages } = await drain(session.runMessages([user("What time is it?")]));
    expect(messagesOf(deps.model.requests[0])).toEqual([
      { role: "user", content: [{ kind: "text", text: "What time is it?" }] },
    ]);
    expect(deps.model.requests[0]?.system).toBe("S");
    expect(messages).toEqual([
      assistant("", call("c1", "clock")),
      result("c1", "clock", "12:00"),
      assistant("noon"),
    ]);
    expect(await bodies(deps)).toEqual([user("untouched")]);
  });

  test("refuses an empty list before anything begins", () => {
    expect(() => sessionOver(ports()).runMessages([])).toThrow(RangeError);
  });

  test("keeps its messages: changing them after the call changes nothing", async () => {
    const deps = ports(reply("a"));
    const messages = [user("as it was")];
    const events = sessionOver(deps).runMessages(messages);
    messages.push(user("added"));
    await drain(events);
    expect(deps.model.requests[0]?.messages).toHaveLength(1);
  });
});
