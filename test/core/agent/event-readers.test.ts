import { describe, expect, test } from "vitest";
import { drain } from "../../../src/core/agent/drain.ts";
import { createEventStream, tee } from "../../../src/core/agent/event-stream.ts";
import { BobbinError } from "../../../src/core/errors.ts";
import type { RunEvent } from "../../../src/core/events.ts";
import {
  collect,
  kinds,
  outline,
  ports,
  sessionOver,
  textOf,
  tool,
  type Ports,
} from "../../support/agent-library.ts";
import { call, calls, fails, hangs, later, reply, usage } from "../../support/scripted-model.ts";

const END: RunEvent = { kind: "end", reason: "stop", rounds: 1, usage: {}, durationMs: 0 };
const image = { kind: "image", mimeType: "image/png", data: "AAAA" } as const;

describe("a reader owns what it reads", () => {
  /** Replaces every value at every depth, arrays and bytes included; answers how many there were. */
  function deface(value: unknown): number {
    if (typeof value !== "object" || value === null) return 0;
    let changed = 0;
    for (const key of Object.keys(value)) {
      const inner: unknown = Reflect.get(value, key);
      if (typeof inner === "object" && inner !== null) changed += deface(inner);
      else changed += Reflect.set(value, key, typeof inner === "number" ? -1 : "defaced") ? 1 : 0;
    }
    if (Array.isArray(value)) value.push("defaced");
    return changed;
  }

  function scripted(): Ports {
    return ports(
      reply({
        thinking: "hm",
        text: "look",
        images: [image],
        calls: [call("c1", "f", { a: 1 }), call("c2", "f", { a: 2 })],
        reasoning: "[1]",
        usage: { input: 3, output: 1 },
      }),
      {
        kind: "stream",
        events: [{ kind: "text", text: "x" }, { kind: "again", why: "cut" }, ...eventsOf(reply("done"))],
      },
      fails(new BobbinError("model_cut", "cut", { facts: { tries: 3 } })),
    );
  }

  function eventsOf(step: ReturnType<typeof reply>) {
    return step.kind === "stream" ? step.events : [];
  }

  async function play(deps: Ports, onEvent: (event: RunEvent) => void) {
    const session = sessionOver(deps, {
      persist: "round",
      tools: [
        tool("f", async (value, context) => {
          context.progress("half");
          if (context.call === "c1") session.steer("by the way");
          return { content: [{ kind: "text", text: JSON.stringify(value) }] };
        }),
      ],
    });
    const seen = new Set<string>();
    for (const input of ["go", "fail"]) {
      for await (const event of session.run(input)) {
        onEvent(event);
        seen.add(event.kind === "round" ? `round ${event.state}` : event.kind);
      }
    }
    const { requests } = deps.model;
    return {
      seen,
      requests: JSON.stringify(requests),
      history: JSON.stringify(await deps.history.read("s1")),
    };
  }

  test("changing any received event, image bytes included, changes neither run, next requests nor History", async () => {
    const untouched = await play(scripted(), () => {});
    let changed = 0;
    const defaced = await play(scripted(), (event) => {
      changed += deface(event);
    });
    // Each kind the core can send has to have been there, else nothing is proved for it.
    expect([...untouched.seen].toSorted()).toEqual(
      [
        "end",
        "error",
        "image",
        "round again",
        "round done",
        "round start",
        "steer",
        "text",
        "thinking",
        "tool_call",
        "tool_input",
        "tool_progress",
        "tool_result",
        "usage",
      ].toSorted(),
    );
    expect(changed).toBeGreaterThan(50);
    expect(defaced.requests).toBe(untouched.requests);
    expect(defaced.history).toBe(untouched.history);
  });

  test("two readers have copies of their own", async () => {
    const [a, b] = tee(sessionOver(ports(reply({ text: "x", images: [image] }))).run("go"));
    for await (const event of a) deface(event);
    const events = await collect(b);
    expect(kinds(events, "image")).toEqual([{ kind: "image", image }]);
  });

  test("an error stays one of ours in a copy, with its code, facts and cause", () => {
    const cause = new Error("socket");
    const stream = createEventStream();
    const error = new BobbinError("model_cut", "cut", { retryable: true, facts: { tries: 3 }, cause });
    stream.emit({ kind: "error", error });
    stream.emit(END);
    return collect(stream.events).then(([event]) => {
      const copy = event?.kind === "error" ? event.error : undefined;
      expect(copy).toBeInstanceOf(BobbinError);
      expect(copy).not.toBe(error);
      expect(copy).toMatchObject({ code: "model_cut", retryable: true, facts: { tries: 3 }, cause });
    });
  });
});

describe("a reader that breaks off", () => {
  test("cancels the run, which releases its lock and stores nothing", async () => {
    const deps = ports(hangs("half"), reply("next"));
    const session = sessionOver(deps);
    for await (const event of session.run("x")) if (event.kind === "text") break;
    expect((await drain(session.run("y"))).reason).toBe("stop");
    expect(await deps.history.read("s1")).toHaveLength(2);
    deps.model.assertComplete();
  });

  test("after the end changes nothing", async () => {
    const deps = ports(reply("a"));
    for await (const event of sessionOver(deps).run("x")) if (event.kind === "end") break;
    expect(await deps.history.read("s1")).toHaveLength(2);
  });

  test("of two leaves the other reading; when both have, the run is cancelled", async () => {
    const gate = Promise.withResolvers<void>();
    const deps = ports(later(gate.promise, reply("whole answer")), hangs("half"));
    const session = sessionOver(deps);
    const [a, b] = tee(session.run("x"));
    for await (const _ of a) break;
    gate.resolve();
    expect(textOf(await collect(b))).toBe("whole answer");

    const [c, d] = tee(session.run("y"));
    for await (const event of c) if (event.kind === "text") break;
    expect(session.isRunning).toBe(true);
    for await (const event of d) if (event.kind === "text") break;
    expect(await session.stop()).toBe(true);
    deps.model.assertComplete();
  });
});

describe("a slow reader", () => {
  test("stalls neither the run nor its lock: the run ends and another goes on while nothing was read", async () => {
    const many = reply({ deltas: Array.from({ length: 5_000 }, (_, index) => `${index} `) });
    const deps = ports(many, reply("second"));
    const session = sessionOver(deps);
    const unread = session.run("x");
    expect((await drain(session.run("y"))).reason).toBe("stop");
    expect(await session.stop()).toBe(true);
    expect(session.isRunning).toBe(false);
    const events = await collect(unread);
    expect(textOf(events).split(" ")).toHaveLength(5_001);
    expect(events.length).toBeLessThan(10);
    expect(outline(events).at(-1)).toBe("end stop");
  });

  test("gets all text in order and the newest line of progress, however the deltas mix", async () => {
    const stream = createEventStream({ capacity: 4 });
    for (let index = 0; index < 1_000; index++) {
      stream.emit({ kind: "text", text: `${index % 10}` });
      stream.emit({ kind: "thinking", text: "t" });
      stream.emit({ kind: "tool_input", call: `c${index % 2}`, name: "f", text: "i" });
      stream.emit({ kind: "tool_progress", call: "c1", text: `line ${index}` });
    }
    stream.emit(END);
    const events = await collect(stream.events);
    expect(events.length).toBeLessThanOrEqual(6);
    expect(textOf(events)).toBe("0123456789".repeat(100));
    expect(kinds(events, "thinking")).toEqual([{ kind: "thinking", text: "t".repeat(1_000) }]);
    expect(kinds(events, "tool_input").map(({ text }) => text.length)).toEqual([500, 500]);
    expect(kinds(events, "tool_progress").at(-1)?.text).toBe("line 999");
  });

  test("never gets text across the border of a round or of a new try", async () => {
    const stream = createEventStream({ capacity: 1 });
    stream.emit({ kind: "text", text: "void" });
    stream.emit({ kind: "round", round: 1, state: "again", why: "cut" });
    stream.emit({ kind: "text", text: "good" });
    stream.emit(END);
    expect(outline(await collect(stream.events))).toEqual(["text", "round again 1", "text", "end stop"]);
  });
});

describe("two readers", () => {
  test("at different paces get the same events", async () => {
    const deps = ports(reply({ text: "x", calls: [call("c1", "f")], usage: {} }), reply("done"));
    const [a, b] = tee(sessionOver(deps, { tools: [tool("f", "r")] }).run("go"));
    const first = await collect(a);
    const second: RunEvent[] = [];
    for await (const event of b) {
      await deps.clock.advance(100);
      second.push(event);
    }
    expect(second).toEqual(first);
    expect(outline(first).at(-1)).toBe("end stop");
  });

  test("of one stream without tee are refused with the way out", async () => {
    const events = sessionOver(ports(reply("a"))).run("x");
    const first = collect(events);
    expect(() => events[Symbol.asyncIterator]()).toThrow("tee(events)");
    await first;
  });

  test("one of which drains while the other shows", async () => {
    const deps = ports(calls(["c1", "f"]), reply("done"));
    const [shown, log] = tee(sessionOver(deps, { tools: [tool("f", "r")] }).run("go"));
    const [events, drained] = await Promise.all([collect(shown), drain(log)]);
    expect(textOf(events)).toBe("done");
    expect(drained.messages).toHaveLength(3);
  });
});

test("usage that a provider reports late, after the stop, still comes before the end", async () => {
  const deps = ports({ kind: "hang", events: [{ kind: "text", text: "x" }] });
  const inner = deps.model;
  const reporting = {
    ...deps,
    model: {
      async *stream(...given: Parameters<typeof inner.stream>) {
        for await (const event of inner.stream(...given)) {
          if (event.kind === "aborted") yield usage({ input: 9 });
          yield event;
        }
      },
    },
  };
  const session = sessionOver(reporting);
  const events = collect(session.run("x"));
  await inner.reached(1);
  await session.stop();
  expect(outline(await events)).toEqual(["round start 1", "text", "usage", "end cancelled"]);
  expect(kinds(await events, "end")[0]?.usage).toEqual({ input: 9 });
});
