/** B10: a worker is killed with runs in mid-stream: how long until each goes on elsewhere, beside BullMQ as it comes. */

import { setTimeout as pause } from "node:timers/promises";
import { openBareHeldJobs } from "./bare-held-jobs.ts";
import { quantileOf, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { openHeldRuns } from "./held-runs.ts";

const RUNS = 10;
const KILLS = { short: 1, full: 5 } as const;

/** Both at the same time: they wait nearly all of it, and wait for nothing of each other's. */
async function run(world: BenchWorld): Promise<readonly Comparison[]> {
  const kills = KILLS[world.length];
  world.note(`${kills} kills, ${RUNS} runs each; BullMQ's defaults take a minute for each`);
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let kill = 0; kill < kills; kill++) {
    const [product, bare] = await Promise.all([ofProduct(world), ofBullMq(world)]);
    ours.push(...product);
    theirs.push(...bare);
  }
  return [
    {
      id: "B10",
      what: "kill -9 to the next step of the run, p95 s",
      product: [quantileOf(ours, 0.95) / 1_000],
      reference: { name: "BullMQ's defaults", samples: [quantileOf(theirs, 0.95) / 1_000] },
      bounds: { of: "ratio", better: "less", target: 0.25, limit: 0.35 },
    },
    {
      id: "B10",
      what: "kill -9 to the next step of the run, longest s",
      product: [Math.max(...ours) / 1_000],
      reference: { name: "BullMQ's defaults", samples: [Math.max(...theirs) / 1_000] },
    },
  ];
}

async function ofProduct(world: BenchWorld): Promise<readonly number[]> {
  await using stack = new AsyncDisposableStack();
  const { takenOverAfter } = await openHeldRuns(world, RUNS, stack);
  // Not always at the same place between two renewals and two checks.
  await pause(Math.random() * 5_000);
  return await takenOverAfter("SIGKILL");
}

async function ofBullMq(world: BenchWorld): Promise<readonly number[]> {
  await using stack = new AsyncDisposableStack();
  const { start, add, takenBy } = await openBareHeldJobs(world, RUNS, stack);
  let from: number;
  const next = await (async () => {
    await using holder = await start();
    await add();
    await takenBy(holder);
    const standingBy = stack.use(await start());
    await pause(Math.random() * 5_000);
    from = Date.now();
    return standingBy;
  })();
  return (await takenBy(next)).map((at) => at - from);
}

export const recovery: Benchmark = { name: "recovery", run };
