import { describe, expect, test } from "vitest";
import { drain } from "../../../src/core/agent/drain.ts";
import { collect, messagesOf, ports, sessionOver, textOf, tool, user } from "../../support/agent-library.ts";
import { calls, hangs, later, reply } from "../../support/scripted-model.ts";

async function bodies(deps: ReturnType<typeof ports>, id = "s1") {
  return (await deps.history.read(id)).map((entry) => entry.body);
}

describe("cancelling", () => {
  test("by the caller's signal ends the run as cancelled and History stays as it was", async () => {
    const deps = ports(hangs("half"));
    const controller = new AbortController();
    const drained = drain(sessionOver(deps).run("x", { signal: controller.signal }));
    await deps.model.reached(1);
    controller.abort();
    expect(await drained).toMatchObject({ reason: "cancelled", messages: [] });
    expect(await bodies(deps)).toEqual([]);
    expect(deps.clock.waiting).toBe(0);
  });

  test("by a deadline of the caller's ends the run with timeout", async () => {
    const deps = ports(hangs());
    const controller = new AbortController();
    const drained = drain(sessionOver(deps).run("x", { signal: controller.signal }));
    await deps.model.reached(1);
    controller.abort(new DOMException("The operation timed out", "TimeoutError"));
    expect((await drained).reason).toBe("timeout");
  });

  test("by stop waits for the clean end, says whether all ended, and isRunning is false then", async () => {
    const deps = ports(hangs("half"), reply("next"));
    const session = sessionOver(deps, { persist: "round" });
    const drained = drain(session.run("x"));
    await deps.model.reached(1);
    expect(session.isRunning).toBe(true);
    expect(await session.stop()).toBe(true);
    expect(session.isRunning).toBe(false);
    expect((await drained).reason).toBe("cancelled");
    expect((await drain(session.run("y"))).reason).toBe("stop");
  });

  test("by stop flushes what is complete under a deadline of its own", async () => {
    const deps = ports(calls(["c1", "f"]), hangs("half"));
    let appends = 0;
    const { history } = deps;
    const stalls = {
      ...deps,
      history: {
        read: (id: string) => history.read(id),
        append: (...given: Parameters<typeof history.append>) =>
          ++appends === 1 ? history.append(...given) : new Promise<never>(() => {}),
      },
    };
    const session = sessionOver(stalls, {
      persist: "round",
      tools: [tool("f", "r")],
      flushMs: 700,
      stopMs: 5_000,
    });
    const drained = drain(session.run("x"));
    await deps.model.reached(2);
    const stopped = session.stop();
    await deps.clock.advance(700);
    expect(await stopped).toBe(true);
    expect(await drained).toMatchObject({ reason: "error", error: { code: "history_failed" } });
    expect((await bodies(deps)).map(({ kind }) => kind)).toEqual(["user", "assistant", "tool"]);
  });

  test("by stop waits no longer than its bound", async () => {
    const deps = ports({ kind: "deaf", events: [] });
    const session = sessionOver(deps, { stopMs: 300 });
    const drained = drain(session.run("x"));
    await deps.model.reached(1);
    const stopped = session.stop();
    await deps.clock.advance(300);
    expect(await stopped).toBe(false);
    await deps.clock.advance(2_000);
    expect((await drained).reason).toBe("cancelled");
  });
});

describe("steer", () => {
  test("joins the run before its next model call, is stored, and is refused when nothing runs", async () => {
    const deps = ports(calls(["c1", "f"]), reply("both"));
    const session = sessionOver(deps, {
      tools: [
        tool("f", async () => {
          expect(session.steer("one more thing")).toBe(true);
          return "r";
        }),
      ],
    });
    expect(session.steer("too early")).toBe(false);
    const { messages } = await drain(session.run("go"));
    expect(messagesOf(deps.model.requests[1]).at(-1)).toEqual({
      role: "user",
      content: [{ kind: "text", text: "one more thing" }],
    });
    expect([user("go"), ...messages]).toEqual(await bodies(deps));
    expect(session.steer("too late")).toBe(false);
  });

  test("after a blank last reply is answered too", async () => {
    const gate = Promise.withResolvers<void>();
    const deps = ports(later(gate.promise, reply("")), reply("answer"));
    const session = sessionOver(deps);
    const events = session.run("go");
    await deps.clock.advance(0);
    expect(session.steer("still there?")).toBe(true);
    gate.resolve();
    expect(textOf(await collect(events))).toBe("answer");
  });
});
