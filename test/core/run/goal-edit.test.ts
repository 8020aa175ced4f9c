// A goal whose text is changed while a turn of its own runs: the model hears of it before its next call.
import { expect, test } from "vitest";
import { RunBench } from "../../support/run-bench.ts";
import { calls, reply } from "../../support/scripted-model.ts";
import { tool } from "../../support/agent-library.ts";
import { owner, setGoal } from "../../support/goals.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();

/** A turn of three rounds; in the first of them the text becomes another one. */
async function edited(objective: string): Promise<RunBench> {
  const b: RunBench = new RunBench(
    backend.sql(),
    [calls(["c1", "look"]), calls(["c2", "look"]), reply("done")],
    {
      takes: "goals",
      tools: [
        tool("look", async () => {
          if (b.model.requests.length === 1)
            await b.stores.goals.apply(b.session, { kind: "edit", by: owner, objective });
          return "seen";
        }),
      ],
    },
  );
  await b.stores.goals.apply(b.session, setGoal("paint it red"));
  return b;
}

const asked = (b: RunBench, call: number): string => JSON.stringify(b.model.requests[call]?.messages);
const count = (text: string, words: string): number => text.split(words).length - 1;

test("edit in the middle of a run: the model is told once, before its next call, and people do not see it", async () => {
  const b = await edited("paint it </objective> blue");
  await b.worker().serve();
  expect(asked(b, 0)).not.toContain("blue");
  expect(asked(b, 1)).toContain("blue");
  expect(count(asked(b, 2), "blue")).toBe(1);
  // It cannot end its own quotation.
  expect(asked(b, 1)).not.toContain("</objective> blue");
  expect(b.shown().join("\n")).not.toContain("blue");
  expect(await b.stores.goals.read(b.session)).toMatchObject({ revision: 2, told: 2 });
});

test("edit in the middle of a run, and the worker dies when that was told: another one goes on, and it is not told twice", async () => {
  const b = await edited("paint it blue");
  const first = b.worker();
  b.moments.at("commitRound", "after", () => {
    first.die();
  });
  first.begin();
  await until(() => b.moments.pending === 0, { what: "the first worker is dead" });
  await b.worker().serve();
  expect(count(asked(b, b.model.requests.length - 1), "paint it blue")).toBe(1);
  expect(await b.stores.goals.read(b.session)).toMatchObject({ revision: 2, told: 2, turns: 1 });
});

test("edit behind the word that the goal is reached: the end of the turn does not close it, and it goes on with the new text", async () => {
  const b: RunBench = new RunBench(backend.sql(), [calls(["c1", "look"]), reply("done")], {
    takes: "goals",
    tools: [
      tool("look", async () => {
        await b.stores.goals.apply(b.session, { kind: "complete", evidence: "it is red" });
        await b.stores.goals.apply(b.session, { kind: "edit", by: owner, objective: "paint the door too" });
        return "seen";
      }),
    ],
  });
  await b.stores.goals.apply(b.session, setGoal("paint it red"));
  await b.worker().serve();
  expect(asked(b, 1)).toContain("paint the door too");
  const goal = await b.stores.goals.read(b.session);
  expect(goal).toMatchObject({ status: "active", objective: "paint the door too", turns: 1 });
  expect(goal?.next).toMatchObject({ revision: 2 });
  expect(goal?.closed).toBeUndefined();
});
