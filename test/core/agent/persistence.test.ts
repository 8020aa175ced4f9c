import { describe, expect, test } from "vitest";
import { drain } from "../../../src/core/agent/drain.ts";
import type { EndReason } from "../../../src/core/events.ts";
import { ports, sessionOver, tool } from "../../support/agent-library.ts";
import { calls, fails, hangs, reply, type ScriptedStep } from "../../support/scripted-model.ts";

/** What each end reason appends, as kinds of entries; the run is always one round of calls and then the end. */
interface Row {
  readonly reason: EndReason;
  readonly title: string;
  readonly steps: readonly ScriptedStep[];
  readonly run: readonly string[];
  readonly round: readonly string[];
  readonly maxTurns?: number;
  /** Stopped, or out of time, once this call of the model streams. */
  readonly abort?: { readonly call: number; readonly how: "stop" | "time" };
}

const ROUND = ["user", "assistant", "tool"];
const same = calls(["c", "f"]);
const cut = reply({ text: "x", finish: "length" });

const ROWS: readonly Row[] = [
  {
    reason: "stop",
    title: "a final reply",
    steps: [same, reply("done")],
    run: [...ROUND, "assistant"],
    round: [...ROUND, "assistant"],
  },
  { reason: "stop", title: "a blank final reply", steps: [same, reply("")], run: ROUND, round: ROUND },
  { reason: "stop", title: "only a blank reply", steps: [reply("")], run: ["user"], round: ["user"] },
  {
    reason: "max_turns",
    title: "too many model calls",
    steps: [same],
    maxTurns: 1,
    run: ROUND,
    round: ROUND,
  },
  {
    reason: "max_tokens",
    title: "a reply that stays cut",
    steps: [same, cut, cut, cut, cut, cut],
    run: [...ROUND, "assistant"],
    round: [...ROUND, "assistant"],
  },
  {
    reason: "stuck",
    title: "the same round five times",
    steps: [same, same, same, same, same],
    run: ["user", ...Array.from({ length: 5 }, () => ["assistant", "tool"]).flat()],
    round: ["user", ...Array.from({ length: 5 }, () => ["assistant", "tool"]).flat()],
  },
  {
    reason: "cancelled",
    title: "a stop while a reply is shown",
    steps: [same, hangs("half")],
    abort: { call: 2, how: "stop" },
    run: [],
    round: [...ROUND, "assistant (interrupted)"],
  },
  {
    reason: "cancelled",
    title: "a stop before anything was shown",
    steps: [hangs()],
    abort: { call: 1, how: "stop" },
    run: [],
    round: [],
  },
  {
    reason: "timeout",
    title: "a model call that takes too long",
    steps: [same, hangs("half")],
    abort: { call: 2, how: "time" },
    run: [],
    round: [...ROUND, "assistant (interrupted)"],
  },
  {
    reason: "error",
    title: "a failure while a reply is shown",
    steps: [same, fails("model_cut", "half")],
    run: [],
    round: ROUND,
  },
  { reason: "error", title: "a failure after a round", steps: [same, fails()], run: [], round: ROUND },
  { reason: "error", title: "a failure before any round", steps: [fails()], run: [], round: [] },
];

async function appended(row: Row, persist: "run" | "round"): Promise<readonly string[]> {
  const deps = ports(...row.steps);
  const session = sessionOver(deps, {
    persist,
    tools: [tool("f", "r")],
    limits: { maxTurns: row.maxTurns ?? 20, modelCallMs: 1_000 },
  });
  const drained = drain(session.run("go"));
  if (row.abort !== undefined) {
    await deps.model.reached(row.abort.call);
    if (row.abort.how === "stop") await session.stop();
    else await deps.clock.advance(1_000);
  }
  const { reason, messages } = await drained;
  expect(reason).toBe(row.reason);
  deps.model.assertComplete();
  const entries = (await deps.history.read("s1")).map(({ body }) => body);
  // What a reader drains is what is stored after the user message, wherever anything is.
  if (persist === "round") expect(messages).toEqual(entries.slice(1));
  return entries.map((body) =>
    body.kind === "assistant" && body.interrupted ? "assistant (interrupted)" : body.kind,
  );
}

describe("what is appended to History", () => {
  for (const row of ROWS) {
    test(`${row.reason}, ${row.title}: with persist "run"`, async () => {
      expect(await appended(row, "run")).toEqual(row.run);
    });

    test(`${row.reason}, ${row.title}: with persist "round"`, async () => {
      expect(await appended(row, "round")).toEqual(row.round);
    });
  }

  test('with persist "run" everything comes in one append at the end', async () => {
    const deps = ports(same, reply("done"));
    const appends: number[] = [];
    const { history } = deps;
    const counting = {
      ...deps,
      history: {
        read: (id: string) => history.read(id),
        append: (...given: Parameters<typeof history.append>) => {
          appends.push(given[1].length);
          return history.append(...given);
        },
      },
    };
    await drain(sessionOver(counting, { tools: [tool("f", "r")] }).run("go"));
    expect(appends).toEqual([4]);
  });

  test('with persist "round" the user message comes with the first round, and a reply before its tool has an effect', async () => {
    const deps = ports(same, reply("done"));
    let before: readonly string[] = [];
    const pay = tool(
      "f",
      async () => {
        before = (await deps.history.read("s1")).map(({ body }) => body.kind);
        return "paid";
      },
      { effect: "external" },
    );
    await drain(sessionOver(deps, { persist: "round", tools: [pay] }).run("go"));
    expect(before).toEqual(["user", "assistant"]);
    expect((await deps.history.read("s1")).map(({ body }) => body.kind)).toEqual([...ROUND, "assistant"]);
  });

  test("a failed run leaves History as it was, so a retry begins from the same", async () => {
    const deps = ports(same, fails(), same, reply("done"));
    const session = sessionOver(deps, { tools: [tool("f", "r")] });
    expect((await drain(session.run("go"))).reason).toBe("error");
    expect(await deps.history.read("s1")).toEqual([]);
    expect((await drain(session.run("go"))).reason).toBe("stop");
    expect(deps.model.requests[2]).toEqual(deps.model.requests[0]);
  });

  test("H5: stops while the model only thinks add nothing, however often", async () => {
    const thinking = hangs([{ kind: "thinking", text: "hm" }]);
    const deps = ports(thinking, thinking, thinking, reply("hello"));
    const session = sessionOver(deps, { persist: "round" });
    for (const call of [1, 2, 3]) {
      const drained = drain(session.run("hi"));
      await deps.model.reached(call);
      await session.stop();
      await drained;
    }
    expect(await deps.history.read("s1")).toEqual([]);
    await drain(session.run("hi"));
    expect(deps.model.requests[3]?.messages).toHaveLength(1);
  });

  test("the loop is not transactional: what a tool did stays done when the run fails later", async () => {
    const files = new Map<string, string>();
    const deps = ports(same, fails());
    const write = tool("f", async () => void files.set("note.md", "text"), { effect: "write" });
    await drain(sessionOver(deps, { tools: [write] }).run("go"));
    expect(files.get("note.md")).toBe("text");
    expect(await deps.history.read("s1")).toEqual([]);
  });
});
