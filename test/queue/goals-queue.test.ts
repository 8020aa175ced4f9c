// The second queue beside the first, over a real Redis, with two workers for each: what goals begin by themselves is never lost in it,
// and never before a person who waits.
import { expect, test } from "vitest";
import type { Serve } from "../../src/core/ports/run-queue.ts";
import { afterPeople } from "../../src/core/run/after-people.ts";
import { GOALS_BLOCK_S, GOALS_STALLED_CHECK_MS } from "../../src/queue/lock-times.ts";
import { createRedisRunQueue, GOALS_QUEUE } from "../../src/queue/run-queue.ts";
import { createRedisRunWorker } from "../../src/queue/worker.ts";
import { sessionNamed } from "../contract/run-queue.ts";
import { silentLog } from "../support/silent-log.ts";
import { until } from "../support/until.ts";
import { clock, openFreshParts, type RedisParts } from "./redis-parts.ts";

const TIMES = { blockS: GOALS_BLOCK_S, stalledMs: GOALS_STALLED_CHECK_MS };

async function twoGoalWorkers(
  { redis, queue: people }: RedisParts,
  serve: Serve,
  concurrency: number,
): Promise<{ readonly ring: (name: string) => Promise<void>; readonly stop: () => Promise<void> }> {
  const queue = createRedisRunQueue({ redis, clock }, { name: GOALS_QUEUE });
  const behind = afterPeople(serve, { ...people, clock });
  const workers = [1, 2].map(() =>
    createRedisRunWorker(
      { redis, queue, serve: behind, clock, log: silentLog },
      { name: GOALS_QUEUE, concurrency, ...TIMES },
    ),
  );
  await Promise.all(workers.map((worker) => worker.start()));
  return {
    ring: (name) => queue.wake(sessionNamed(name)),
    stop: async () => void (await Promise.all(workers.map((worker) => worker.close()))),
  };
}

test("G12: a turn that ends just as the queue runs empty: the next one begins, with no further message and with nobody who looks", async () => {
  await using parts = await openFreshParts();
  const TURNS = 40;
  const turns = new Map<string, number>();
  const goals = await twoGoalWorkers(
    parts,
    async (session) => {
      const count = (turns.get(session) ?? 0) + 1;
      turns.set(session, count);
      // As at the end of a turn: rung for while its own job is still there, now and then from outside just behind it.
      if (count >= TURNS) return;
      if (count % 2 === 0) await goals.ring(session.split(":").at(-1) ?? "");
      else setImmediate(() => void goals.ring(session.split(":").at(-1) ?? ""));
    },
    2,
  );
  const names = ["a", "b", "c"];
  for (const name of names) await goals.ring(name);
  await until(() => names.every((name) => turns.get(sessionNamed(name)) === TURNS), {
    what: "each goal had all its turns",
  });
  await goals.stop();
});

interface Line {
  readonly what: "person" | "goal";
  rung: number;
  begun: number;
}

test("a hundred goals and people who write at the same time: no person who waits begins after a goal that was rung for later", async () => {
  await using parts = await openFreshParts();
  const journal = new Map<string, Line>();
  let moments = 0;
  const noted = (what: Line["what"], name: string): Line => {
    const line: Line = { what, rung: Infinity, begun: Infinity };
    journal.set(sessionNamed(name), line);
    return line;
  };
  const personRings = async (name: string): Promise<void> => {
    const line = noted("person", name);
    await parts.queue.wake(sessionNamed(name));
    // From now on it waits for certain.
    line.rung = moments += 1;
  };
  const goalRings = (name: string): Promise<void> => {
    noted("goal", name).rung = moments += 1;
    return goals.ring(name);
  };
  const serve: Serve = async (session) => {
    const line = journal.get(session);
    if (line !== undefined && line.begun === Infinity) line.begun = moments += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  // Few places for people, so that they do wait, and many for goals.
  const people = [1, 2].map(() => parts.worker(serve, { concurrency: 1 }));
  const goals = await twoGoalWorkers(parts, serve, 10);
  await Promise.all(people.map((worker) => worker.start()));
  await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      if (n % 2 === 0) await personRings(`p${n}`);
      await goalRings(`g${n}`);
    }),
  );
  await until(() => [...journal.values()].every(({ begun }) => begun < Infinity), {
    what: "all of them were served",
  });
  const lines = [...journal.values()];
  const wrong = lines.filter(
    (person) =>
      person.what === "person" &&
      lines.some((goal) => goal.what === "goal" && goal.rung > person.rung && goal.begun < person.begun),
  );
  expect(wrong).toEqual([]);
  await goals.stop();
});
