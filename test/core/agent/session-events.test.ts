import { describe, expect, expectTypeOf, test } from "vitest";
import { drain } from "../../../src/core/agent/drain.ts";
import type { Session } from "../../../src/core/agent/session.ts";
import { BobbinError } from "../../../src/core/errors.ts";
import type { RunEvent } from "../../../src/core/events.ts";
import { collect, kinds, outline, ports, sessionOver, tool, user } from "../../support/agent-library.ts";
import { call, calls, fails, reply } from "../../support/scripted-model.ts";

async function bodies(deps: ReturnType<typeof ports>, id = "s1") {
  return (await deps.history.read(id)).map((entry) => entry.body);
}

describe("drain", () => {
  test("gives replies and results in order, with the copies that the model received, as run would store them", async () => {
    const deps = ports(calls(["c1", "f"]), reply("done"));
    const { messages } = await drain(
      sessionOver(deps, { tools: [tool("f", "y".repeat(100_000))] }).run("go"),
    );
    expect([user("go"), ...messages]).toEqual(await bodies(deps));
    expect(messages[1]).toMatchObject({ content: expect.stringContaining('"truncated":true') as string });
  });

  test("gives the first error, the end reason and the usage", async () => {
    const deps = ports(fails("model_auth"));
    expect(await drain(sessionOver(deps).run("go"))).toMatchObject({
      messages: [],
      error: { code: "model_auth" },
      reason: "error",
      rounds: 0,
      usage: {},
    });
  });
});

describe("events", () => {
  test("end with exactly one end, which carries rounds, usage and duration", async () => {
    const deps = ports(
      reply({ calls: [call("c1", "f")], usage: { input: 10, output: 2, cost: 0.1 } }),
      reply({ text: "done", usage: { input: 12, output: 3, cost: 0.2 } }),
    );
    const slow = tool("f", async () => {
      await deps.clock.advance(250);
      return "r";
    });
    const events = await collect(sessionOver(deps, { tools: [slow] }).run("go"));
    const [end, ...more] = kinds(events, "end");
    expect(more).toEqual([]);
    expect(events.at(-1)).toBe(end);
    expect(end).toMatchObject({
      reason: "stop",
      rounds: 2,
      usage: { input: 22, output: 5 },
      durationMs: 250,
    });
    expect(end?.usage.cost).toBeCloseTo(0.3);
  });

  test("of a failed call report its usage before the error, and the end follows the error", async () => {
    const deps = ports({
      kind: "stream",
      events: [
        { kind: "usage", usage: { model: "m", durationMs: 1, input: 7 } },
        { kind: "failed", error: new BobbinError("model_cut", "cut") },
      ],
    });
    const events = await collect(sessionOver(deps).run("go"));
    expect(outline(events)).toEqual(["round start 1", "usage", "error model_cut", "end error"]);
    expect(kinds(events, "end")[0]?.usage).toEqual({ input: 7 });
  });

  test("of thinking are shown and never stored", async () => {
    const deps = ports(reply({ thinking: "secret plan", text: "hi" }));
    const events = await collect(sessionOver(deps).run("go"));
    expect(kinds(events, "thinking")).toEqual([{ kind: "thinking", text: "secret plan" }]);
    expect(JSON.stringify(await bodies(deps))).not.toContain("secret plan");
  });

  test("of images are shown and stored with the reply", async () => {
    const image = { kind: "image", mimeType: "image/png", data: "AAAA" } as const;
    const deps = ports(reply({ images: [image] }));
    const events = await collect(sessionOver(deps).run("draw"));
    expect(kinds(events, "image")).toEqual([{ kind: "image", image }]);
    expect((await bodies(deps))[1]).toMatchObject({ kind: "assistant", text: "", images: [image] });
  });

  test("are typed so that a switch over them is checked", () => {
    expectTypeOf<Session["run"]>().returns.toEqualTypeOf<AsyncIterable<RunEvent>>();
  });

  test("end only once the run is durable", async () => {
    const deps = ports(reply("a"));
    const stored = Promise.withResolvers<void>();
    const { history } = deps;
    const slow = {
      ...deps,
      history: {
        read: (session: string) => history.read(session),
        append: async (...given: Parameters<typeof history.append>) => {
          await stored.promise;
          return history.append(...given);
        },
      },
    };
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of sessionOver(slow).run("x")) seen.push(event.kind);
    })();
    await deps.model.reached(1);
    await deps.clock.advance(0);
    expect(seen).not.toContain("end");
    stored.resolve();
    await reading;
    expect(seen.at(-1)).toBe("end");
  });
});
