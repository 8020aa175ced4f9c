// A thread with a goal beside a small model of it, whatever people, the language model, workers and the clock do, in any order: the real
// steps over the real ledger, with workers that die or leave at any point of a turn.
import fc from "fast-check";
import { expect, test } from "vitest";
import { createGoalTools } from "../../../src/adapters/tools/goals.ts";
import type { Tool } from "../../../src/core/agent/tool.ts";
import type { GoalEvent } from "../../../src/core/goal/event.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";
import { command } from "../../contract/store-samples.ts";
import { tool } from "../../support/agent-library.ts";
import { goalTimePasses } from "../../support/goal-time.ts";
import { owner, setGoal, someone } from "../../support/goals.ts";
import { RunBench } from "../../support/run-bench.ts";
import { computed, fails, reply, type ScriptedStep } from "../../support/scripted-model.ts";

const backend = postgresBackend();

const TOKENS_PER_CALL = 1_000;
const limits = { tokens: 4_000, turns: 6, minutes: 60 };
/** Model calls of a turn that only says how far it came. */
const LAST_CALLS = 3;
const MOST_CALLS = 1_000;

/** Whether anything may begin by itself, as those see it who gave orders in the thread. */
interface Model {
  mayGoOn: boolean;
}
type Act = fc.AsyncCommand<Model, RunBench>;

const act = (name: string, run: (model: Model, bench: RunBench) => Promise<void>): Act => ({
  check: () => true,
  async run(model, bench) {
    await run(model, bench);
    await mustHold(bench);
  },
  toString: () => name,
});

const runsOf = (bench: RunBench) => bench.stores.transcripts.runs(bench.session);
const ownTurns = async (bench: RunBench): Promise<number> =>
  (await runsOf(bench)).filter(({ cause }) => cause === "continuation").length;

interface Line {
  readonly goal: string;
  readonly kind: string;
  readonly status: string;
  readonly generation: number;
  readonly turns: number;
  readonly used: number;
  readonly limit: number;
}

const AUDIT = {
  text: `
select e.goal, e.kind, e.status, (e.body->'generation')::integer as generation, (e.body->'windows'->'turns'->'used')::integer as turns,
  (e.body->'windows'->'tokens'->'used')::integer as used, (e.body->'windows'->'tokens'->'limit')::integer as limit
from goal_events e join goals g on g.id = e.goal where g.session = $1 order by e.n`,
};

/** No invalid state, no turn that is begun twice or that nobody planned, and no turn that costs more than it may. */
async function mustHold(bench: RunBench): Promise<void> {
  const goal = await bench.stores.goals.read(bench.session);
  const runs = await runsOf(bench);
  expect(runs.filter(({ reply: its }) => its === "open").length).toBeLessThanOrEqual(1);
  const lines = await backend.sql().query<Line>(AUDIT, [bench.session]);
  const begins = lines.filter(({ kind }) => kind === "begin");
  expect(begins).toHaveLength(runs.filter(({ cause }) => cause === "continuation").length);
  const turns = begins.filter(({ status }) => status === "active");
  expect(new Set(turns.map((line) => `${line.goal} ${line.generation} ${line.turns}`)).size).toBe(
    turns.length,
  );
  let begun: Line | undefined;
  for (const line of lines) {
    if (line.kind === "begin") begun = line;
    if (line.kind !== "turn" || begun?.goal !== line.goal) continue;
    const isLast = begun.status === "budget_limited";
    const most = isLast ? begun.used + LAST_CALLS * TOKENS_PER_CALL : line.limit + TOKENS_PER_CALL;
    expect(line.used).toBeLessThanOrEqual(most);
    begun = undefined;
  }
  if (goal === undefined) return;
  const { next, status, closed, windows } = goal;
  if (closed !== undefined || ["paused", "blocked", "complete", "waiting"].includes(status))
    expect(next).toBeUndefined();
  if (next !== undefined)
    expect(next).toMatchObject({ generation: goal.generation, revision: goal.revision });
  if (status === "waiting" && closed === undefined) expect(goal.wait).toBeDefined();
  expect(windows.turns.used).toBeLessThanOrEqual(windows.turns.limit);
}

const asks = (name: string, event: () => GoalEvent): Act =>
  act(name, async (model, { stores, session }) => {
    const asked = event();
    const { kind } = await stores.goals.apply(session, asked);
    if (kind === "refused" && asked.kind !== "pause") return;
    // Where there was nothing to pause, nothing goes on either.
    model.mayGoOn = asked.kind !== "pause" && asked.kind !== "clear";
  });

const takesBack = (how: "stop" | "reset"): Act =>
  act(`somebody types ${how}`, async (model, bench) => {
    await bench.receive(command(bench.session, how));
    model.mayGoOn = false;
  });

const MOMENTS = [
  "before open",
  "after open",
  "after commitCalls",
  "before commitRound",
  "after commitRound",
  "before end",
  "after end",
  "before settled",
] as const;

interface Service {
  readonly how: "goes well" | "dies" | "leaves";
  readonly moment: (typeof MOMENTS)[number];
  readonly isPaused: boolean;
}

/** A worker serves the thread once. In the middle of it it dies, or leaves as at a deploy, and somebody may pause the goal. */
const serves = ({ how, moment, isPaused }: Service): Act =>
  act(`a worker serves, ${how} ${moment}${isPaused ? ", and somebody pauses" : ""}`, async (model, bench) => {
    const before = await ownTurns(bench);
    const { mayGoOn } = model;
    const worker = bench.worker();
    const dead = Promise.withResolvers<void>();
    const [when, name = ""] = moment.split(" ");
    if (how !== "goes well")
      bench.moments.at(name, when === "after" ? "after" : "before", () => {
        if (how === "leaves") return worker.leave();
        worker.die();
        dead.resolve();
      });
    if (isPaused)
      bench.moments.at("open", "after", async () => {
        await bench.stores.goals.apply(bench.session, { kind: "pause", by: someone });
        model.mayGoOn = false;
      });
    await Promise.race([worker.serve().catch(() => {}), dead.promise]);
    bench.moments.clear();
    const begun = (await ownTurns(bench)) - before;
    expect(begun).toBeLessThanOrEqual(mayGoOn ? 1 : 0);
  });

const DOES = ["changes", "looks", "says", "completes", "blocks", "waits", "fails", "is limited"] as const;

/** The model does one of these after the other, and says something whenever it has heard what came of it. */
function playing(script: readonly (typeof DOES)[number][]): ScriptedStep {
  let count = 0;
  return computed(({ messages }) => {
    // Turns of several calls, so that a budget ends in the middle of one.
    const isAnswer = messages.at(-1)?.role === "tool" && count % 4 === 0;
    const does = isAnswer ? "says" : (script[count % script.length] ?? "says");
    count += 1;
    const spent = { usage: { input: TOKENS_PER_CALL - 100, output: 100 } };
    const uses = (name: string, given: object): ScriptedStep =>
      reply({ calls: [{ id: `c${count}`, name, arguments: JSON.stringify(given) }], ...spent });
    switch (does) {
      case "changes":
        return uses("write_page", {});
      case "looks":
        return uses("read_page", {});
      case "completes":
        return uses("update_goal", { status: "complete", evidence: "it is" });
      case "blocks":
        return uses("update_goal", { status: "blocked", evidence: "no key", blocker: "no-key" });
      case "waits":
        return uses("wait_for", { kind: "time", minutes: 5, reason: "the build" });
      case "fails":
        return fails("model_unavailable");
      case "is limited":
        return fails("model_rate_limited");
      case "says":
        return reply({ text: "So far.", ...spent });
      default:
        return does satisfies never;
    }
  });
}

const people: readonly fc.Arbitrary<Act>[] = [
  fc.constant(asks("somebody sets a goal", () => setGoal("tidy", { limits }))),
  fc.constant(asks("its owner replaces it", () => setGoal("tidy more", { mode: "replace", limits }))),
  fc.constant(asks("its owner edits it", () => ({ kind: "edit", by: owner, objective: "tidy half of it" }))),
  fc.constant(
    asks("its owner raises it", () => ({ kind: "raise", by: owner, more: { tokens: 5_000, turns: 2 } })),
  ),
  fc.constant(asks("somebody pauses it", () => ({ kind: "pause", by: someone }))),
  fc.constant(asks("its owner resumes it", () => ({ kind: "resume", by: owner }))),
  fc.constant(asks("somebody else resumes it", () => ({ kind: "resume", by: someone }))),
  fc.constant(asks("its owner clears it", () => ({ kind: "clear", by: owner }))),
  fc.constantFrom("stop" as const, "reset" as const).map(takesBack),
  fc.constant(act("somebody writes", async (_, bench) => void (await bench.say("how far are you?")))),
];
const time: fc.Arbitrary<Act> = fc
  .constantFrom(2_000, 31_000, 301_000, 700_000)
  .map((ms) => act(`${ms} ms pass`, (_, { session }) => goalTimePasses(backend.sql(), session, ms)));
const service: fc.Arbitrary<Act> = fc
  .record({
    how: fc.constantFrom<Service["how"][]>("goes well", "goes well", "dies", "leaves"),
    moment: fc.constantFrom(...MOMENTS),
    isPaused: fc.nat(5).map((n) => n === 0),
  })
  .map(serves);
// Most of what happens is work: else few goals would get far.
const acts = fc.commands(
  [...people, ...Array.from({ length: 6 }, () => time), ...Array.from({ length: 10 }, () => service)],
  {
    maxCommands: 40,
    size: "max",
  },
);

async function benchOf(script: readonly (typeof DOES)[number][]): Promise<RunBench> {
  const tools: Tool[] = [];
  const plays = playing(script);
  const bench = new RunBench(
    backend.sql(),
    Array.from({ length: MOST_CALLS }, () => plays),
    { takes: "goals", tools },
  );
  const { goals } = bench.stores;
  tools.push(
    ...createGoalTools({ goals, verifierOf: () => undefined }),
    tool("write_page", "written", { effect: "write" }),
    tool("read_page", "the same as ever"),
  );
  await goals.apply(bench.session, setGoal("tidy", { limits }));
  return bench;
}

test("the last reply of a used-up budget is asked for once, also where its worker dies behind it", async () => {
  const bench = await benchOf(["changes", "changes", "changes"]);
  const model = { mayGoOn: true };
  await serves({ how: "dies", moment: "before end", isPaused: true }).run(model, bench);
  await serves({ how: "goes well", moment: "before open", isPaused: true }).run(model, bench);
  expect((await bench.stores.goals.read(bench.session))?.windows.tokens.used).toBe(
    limits.tokens + TOKENS_PER_CALL,
  );
});

test("people, the model, workers that die and the clock, in any order: no turn is begun twice, none behind pause, clear, stop or reset, and budgets hold", async () => {
  await fc.assert(
    fc.asyncProperty(
      acts,
      fc.array(fc.constantFrom(...DOES, ...DOES.slice(0, 3)), { minLength: 3, maxLength: 12 }),
      async (all, script) => {
        const bench = await benchOf(script);
        await fc.asyncModelRun(() => ({ model: { mayGoOn: true }, real: bench }), all);
      },
    ),
    { numRuns: 25 },
  );
});
