/** B10: a worker is killed with runs in mid-stream: how long until each goes on elsewhere, beside BullMQ as it comes. */

import { setTimeout as pause } from "node:timers/promises";
import { Queue } from "bullmq";
import { connectRedis } from "./bare-intake.ts";
import { quantileOf, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { openHeldRuns } from "./held-runs.ts";
import { startProgram, type Program } from "./program.ts";
import type { HandoverAnswer, HandoverQuestion } from "./programs/bare-handover.ts";

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
  const { url: redisUrl } = await world.newRedis();
  const file = new URL("./programs/bare-handover.ts", import.meta.url);
  const options = JSON.stringify({ redisUrl, queue: "bare" });
  const connection = connectRedis({ redisUrl, databaseUrl: "" });
  stack.defer(() => connection.disconnect());
  const queue = new Queue("bare", { connection });
  const takenBy = async (program: Program): Promise<readonly number[]> => {
    for (;;) {
      const { takenAt } = await program.ask<HandoverAnswer>({ kind: "waits" } satisfies HandoverQuestion);
      if (takenAt.length >= RUNS) return takenAt;
      await pause(20);
    }
  };
  let from: number;
  const next = await (async () => {
    await using holder = await startProgram(file, [options]);
    for (let job = 0; job < RUNS; job++) await queue.add("job", { job });
    await takenBy(holder);
    const standingBy = stack.use(await startProgram(file, [options]));
    await pause(Math.random() * 5_000);
    from = Date.now();
    return standingBy;
  })();
  return (await takenBy(next)).map((at) => at - from);
}

export const recovery: Benchmark = { name: "recovery", run };
