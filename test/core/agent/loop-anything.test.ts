import fc from "fast-check";
import { expect, test } from "vitest";
import type { ContextEntry } from "../../../src/core/entry.ts";
import { compose } from "../../../src/core/context/compose.ts";
import type { RunEvent } from "../../../src/core/events.ts";
import { ports, startLoop, stored, tool, user } from "../../support/agent-library.ts";
import { call, fails, hangs, reply, streams, type ScriptedStep } from "../../support/scripted-model.ts";
import { refusals, requestRefusals } from "../../support/strict-provider.ts";

/** One call of the model in an adverse world. */
const steps: fc.Arbitrary<ScriptedStep> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({
        text: fc.constantFrom("", "some text", "\ud83d\u0000", "[system note]"),
        names: fc.array(fc.constantFrom("read", "write", "slow", "bad", "gone", ""), { maxLength: 3 }),
        given: fc.constantFrom("{}", "", "{oops", '{"a":"\\u0000"}'),
        id: fc.constantFrom("c", "", "same"),
        finish: fc.constantFrom("end" as const, "length" as const, "filtered" as const),
        isCut: fc.boolean(),
      })
      .map(({ text, names, given, id, finish, isCut }) =>
        reply({
          text,
          finish,
          calls: names.map((name, index) => call(id === "c" ? `c${index}` : id, name, given)),
          ...(isCut && finish === "length" ? { cutCall: true as const } : {}),
        }),
      ),
  },
  { weight: 1, arbitrary: fc.constant(fails("model_unavailable", "half")) },
  { weight: 1, arbitrary: fc.constant(hangs("half")) },
  { weight: 1, arbitrary: fc.constant(streams({ kind: "text", text: "no end" })) },
  {
    weight: 1,
    arbitrary: fc.constant<ScriptedStep>({ kind: "throw", events: [], error: new Error("thrown") }),
  },
);

const worlds = fc.record({
  script: fc.array(steps, { minLength: 1, maxLength: 8 }),
  abortAtEvent: fc.option(fc.nat(40), { nil: undefined }),
  reason: fc.constantFrom("stopped", "lost", "leave", "timeout"),
  steerAfter: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  stopAfter: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
});

async function play(world: typeof worlds extends fc.Arbitrary<infer W> ? W : never) {
  const deps = ports(...world.script);
  const controller = new AbortController();
  let seq = 1_000;
  const tools = [
    tool("read", "r"),
    tool("write", "w", { effect: "write" }),
    tool("slow", () => new Promise(() => {}), { effect: "external" }),
    tool("bad", () => Promise.reject(new Error("bad"))),
  ];
  const run = startLoop(deps, {
    tools,
    signal: controller.signal,
    onCommit: ({ state, round }) => {
      if (run.events.length > (world.abortAtEvent ?? Number.POSITIVE_INFINITY))
        controller.abort(world.reason);
      if (state === "calls") return undefined;
      return {
        steered: round === world.steerAfter ? [stored(seq++, user("more", "Ana"), round)] : [],
        stopped: round === world.stopAfter,
      };
    },
  });
  let settled = false;
  const outcome = run.outcome.finally(() => (settled = true));
  while (!settled) {
    await deps.clock.advance(30_000);
    if (run.events.length > (world.abortAtEvent ?? Number.POSITIVE_INFINITY)) controller.abort(world.reason);
  }
  return { deps, run, outcome: await outcome };
}

test("whatever model, tools and people do, the run ends, requests are valid and every call has one result", async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      const { deps, run, outcome } = await play(world);
      for (const request of deps.model.requests) expect(requestRefusals(request)).toEqual([]);
      expect(deps.clock.waiting).toBe(0);
      expect(orderProblems(run.events)).toEqual([]);
      const last = outcome.kind === "ended" && outcome.round !== undefined ? [outcome.round] : [];
      const records = [...run.commits, ...last];
      const entries = records.flatMap((record) => record.entries);
      // Only an attempt that leaves may leave calls open: the next one closes them.
      if (outcome.kind === "ended" && outcome.error === undefined) {
        const asked = entries.flatMap((body) => (body.kind === "assistant" ? body.calls.length : []));
        const answered = entries.filter((body) => body.kind === "tool").length;
        expect(answered).toBe(asked.reduce((a, b) => a + b, 0));
      }
      const history: ContextEntry[] = [user("hello"), ...entries].map((body) => ({ body }));
      expect(refusals(compose(history, { seesImages: true }))).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

/** The order of events that `core/events` promises. */
function orderProblems(events: readonly RunEvent[]): string[] {
  const problems: string[] = [];
  let asked: string[] = [];
  let answered = 0;
  for (const event of events) {
    switch (event.kind) {
      case "round":
        if (event.state === "done" && answered !== asked.length)
          problems.push("a round is done without all results");
        if (event.state === "start") asked = [];
        if (event.state === "start") answered = 0;
        break;
      case "tool_call":
        if (answered > 0) problems.push("a call after a result");
        asked.push(event.call.id);
        break;
      case "tool_result":
        if (event.result.call !== asked[answered]) problems.push("a result out of order");
        answered += 1;
        break;
      case "text":
      case "usage":
        if (asked.length > 0) problems.push(`${event.kind} after the calls`);
        break;
      default:
        break;
    }
  }
  return problems;
}
