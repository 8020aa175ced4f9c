// Somebody else looks whether a goal is reached, in the middle of a run: over crashes, stops and deploys, and what that costs.
import { expect, test } from "vitest";
import { sha256 } from "../../../src/adapters/ids.ts";
import { createGoalTools } from "../../../src/adapters/tools/goals.ts";
import { createVerifier } from "../../../src/adapters/tools/verifier.ts";
import type { Goals } from "../../../src/core/ports/goals.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";
import { setGoal } from "../../support/goals.ts";
import { RunBench } from "../../support/run-bench.ts";
import {
  calls,
  fails,
  hangs,
  reply,
  scriptedModel,
  scriptedRecord,
  type ScriptedModel,
  type ScriptedStep,
} from "../../support/scripted-model.ts";

const backend = postgresBackend();
let ids = 0;

const claims = (call = "c1"): ScriptedStep =>
  calls([call, "update_goal", { status: "complete", evidence: "all pages are there" }]);
const judges = (verdict: "accept" | "reject", usage = { input: 900, output: 20 }): ScriptedStep =>
  reply({
    calls: [{ id: "v1", name: "verdict", arguments: JSON.stringify({ verdict, reason: "page 3 is empty" }) }],
    usage: { model: "lite", ...usage },
  });

interface Verified {
  readonly bench: RunBench;
  readonly lite: ScriptedModel;
}

async function world(
  script: readonly ScriptedStep[],
  looks: readonly ScriptedStep[],
  more: {
    readonly tokens?: number;
    readonly goals?: (of: Goals) => Goals;
  } = {},
): Promise<Verified> {
  const lite = scriptedModel(...looks);
  const record = { ...scriptedRecord, name: "lite" };
  const tools: ReturnType<typeof createGoalTools>[number][] = [];
  const bench = new RunBench(backend.sql(), script, { takes: "goals", tools });
  const { clock } = bench;
  const verifier = createVerifier(
    { model: lite, clock, hash: sha256, newId: () => `${bench.session}/m${++ids}` },
    { record, bookkeeping: new Set(["update_goal"]) },
  );
  const { goals } = bench.stores;
  tools.push(...createGoalTools({ goals: more.goals?.(goals) ?? goals, verifierOf: () => verifier }));
  const limits = { tokens: more.tokens ?? 500_000, turns: 20, minutes: 60 };
  await goals.apply(bench.session, setGoal("tidy the wiki", { limits }));
  return { bench, lite };
}

const goalOf = ({ bench }: Verified) => bench.stores.goals.read(bench.session);
const audit = async ({ bench }: Verified): Promise<readonly string[]> =>
  (
    await backend.sql().query<{ kind: string }>(
      {
        text: "select e.kind from goal_events e join goals g on g.id = e.goal where g.session = $1 order by e.n",
      },
      [bench.session],
    )
  ).map(({ kind }) => kind);

test("refused, the model hears at once why, may mend it in the same turn, and is then believed", async () => {
  const w = await world([claims(), claims("c2"), reply("done")], [judges("reject"), judges("accept")]);
  await w.bench.worker().serve();
  expect(w.bench.asked(2).join("\n")).toContain("page 3 is empty");
  expect(await goalOf(w)).toMatchObject({ status: "complete", closed: "complete" });
  expect(await audit(w)).toEqual(["set", "begin", "propose", "rejected", "propose", "accepted", "turn"]);
  expect(JSON.stringify(w.lite.requests[1]?.messages)).not.toContain("all pages are there");
});

test("G7: budget crossed by a helper call: the next model call is the last one, and the goal stands at its budget", async () => {
  const w = await world(
    [claims(), reply("so far I came")],
    [judges("reject", { input: 9_000, output: 500 })],
    { tokens: 10_000 },
  );
  await w.bench.worker().serve();
  expect(w.bench.asked(2).join("\n")).toContain("is used up");
  const goal = await goalOf(w);
  expect(goal).toMatchObject({ status: "budget_limited" });
  expect(goal?.next).toBeUndefined();
  expect(goal?.windows.tokens.used).toBeGreaterThanOrEqual(9_500);
  const { models } = await w.bench.stores.transcripts.usage(w.bench.session);
  expect(models).toContainEqual(
    expect.objectContaining({ model: "lite", calls: 1, usage: expect.objectContaining({ input: 9_000 }) }),
  );
});

test("a budget that the claim itself has crossed is not crossed further: nobody looks, and the audit says so", async () => {
  const claim = claims();
  if (claim.kind !== "stream") return expect.unreachable();
  const dear = { kind: "usage", usage: { model: "scripted", durationMs: 1, input: 10_000 } } as const;
  const w = await world([{ ...claim, events: [dear, ...claim.events] }, reply("done")], [], {
    tokens: 10_000,
  });
  await w.bench.worker().serve();
  expect(w.lite.requests).toHaveLength(0);
  expect(await audit(w)).toContain("neutral");
});

test("verifier unavailable: what the model says counts, and the audit says that nobody looked", async () => {
  const w = await world([claims(), reply("done")], [fails("model_rate_limited")]);
  await w.bench.worker().serve();
  expect(await goalOf(w)).toMatchObject({ closed: "complete", evidence: "all pages are there" });
  expect(await audit(w)).toContain("neutral");
});

test("a worker that dies while somebody looks: another one has it looked at again, in the same run", async () => {
  const w = await world([claims(), reply("done")], [hangs(), judges("accept")]);
  const first = w.bench.worker();
  first.begin();
  await w.lite.reached(1);
  first.die();
  await w.bench.worker().serve();
  expect(await goalOf(w)).toMatchObject({ closed: "complete" });
  expect([w.lite.requests.length, w.bench.model.requests.length]).toEqual([2, 2]);
  expect(await w.bench.stores.transcripts.runs(w.bench.session)).toHaveLength(1);
});

test("a worker that dies when it was decided: nobody looks again, and it is decided once", async () => {
  let kill = (): void => {};
  const goals = (of: Goals): Goals => ({
    ...of,
    async apply(session, event, key, run) {
      const applied = await of.apply(session, event, key, run);
      if (event.kind === "verdict") kill();
      return applied;
    },
  });
  const w = await world([claims(), reply("not yet")], [judges("reject")], { goals });
  const first = w.bench.worker();
  const died = Promise.withResolvers<void>();
  kill = () => {
    first.die();
    died.resolve();
  };
  first.begin();
  await died.promise;
  await w.bench.worker().serve();
  expect(await goalOf(w)).toMatchObject({ status: "active", rejections: 1 });
  expect(w.lite.requests).toHaveLength(1);
  expect(w.bench.asked(2).join("\n")).toContain("page 3 is empty");
});

test("typed stop while somebody looks: it is cut, and the goal is paused and not reached", async () => {
  const w = await world([claims()], [hangs()]);
  const served = w.bench.worker().serve();
  await w.lite.reached(1);
  await w.bench.command("stop");
  await w.bench.passes(served);
  expect(await goalOf(w)).toMatchObject({ status: "paused", reason: "interrupted" });
});

test("a deploy while somebody looks: it is handed over, and looked at again by whoever takes it", async () => {
  const w = await world([claims(), reply("done")], [hangs(), judges("accept")]);
  const first = w.bench.worker();
  const served = first.serve();
  await w.lite.reached(1);
  first.leave();
  await w.bench.passes(served);
  expect(await goalOf(w)).toMatchObject({ status: "active" });
  await w.bench.worker().serve();
  expect(await goalOf(w)).toMatchObject({ closed: "complete" });
  expect((await w.bench.attempts())[0]).toEqual(["handed_over", "ended"]);
});

test("the next turn is told why the last claim was refused, and the one after it is not", async () => {
  const w = await world(
    [claims(), reply("a page more"), reply("and one more"), reply("still at it")],
    [judges("reject")],
  );
  const told = async (): Promise<string> => {
    await backend.sql().query(
      {
        text: "update goals set body = jsonb_set(body, '{next,dueAt}', '0'), wake_at = 0 where session = $1",
      },
      [w.bench.session],
    );
    await w.bench.worker().serve();
    const request = w.bench.model.requests.at(-1);
    return JSON.stringify(request?.messages.findLast(({ role }) => role === "user"));
  };
  await w.bench.worker().serve();
  expect(await told()).toContain("page 3 is empty");
  expect(await told()).not.toContain("page 3 is empty");
});
