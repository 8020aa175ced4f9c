/** B11: a worker is told to end with fifty runs in mid-stream: how long until each goes on elsewhere, and until it has gone. */

import { setTimeout as pause } from "node:timers/promises";
import { Queue } from "bullmq";
import { connectRedis } from "./bare-intake.ts";
import { inTurn, quantileOf, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { openHeldRuns } from "./held-runs.ts";
import { startProgram } from "./program.ts";
import type { HandoverAnswer, HandoverQuestion } from "./programs/bare-handover.ts";

const RUNS = 50;
/** Some seconds into their streams. */
const REST_MS = 1_000;

interface Handover {
  /** Until all but one in twenty go on, ms. */
  readonly p95: number;
  readonly median: number;
  /** Until the process has gone, ms. */
  readonly exit: number;
}

async function run(world: BenchWorld): Promise<readonly Comparison[]> {
  world.note(`${RUNS} runs in mid-stream`);
  const [ours, bare] = await inTurn(world.pairs, [() => ofProduct(world), () => ofBullMq(world)]);
  const row = (what: string, figure: keyof Handover, bounds?: Comparison["bounds"]): Comparison => ({
    id: "B11",
    what,
    product: ours.map((each) => each[figure]),
    reference: { name: "bare jobs, put back", samples: bare.map((each) => each[figure]) },
    ...(bounds === undefined ? {} : { bounds }),
  });
  const bounds = (target: number, limit: number): Comparison["bounds"] => ({
    of: "figure",
    better: "less",
    target,
    limit,
  });
  return [
    row("SIGTERM to the next request elsewhere, p95 ms", "p95", bounds(250, 1_000)),
    row("SIGTERM to the next request elsewhere, p50 ms", "median"),
    row("SIGTERM to the end of the process, ms", "exit", bounds(2_000, 10_000)),
  ];
}

async function ofProduct(world: BenchWorld): Promise<Handover> {
  await using stack = new AsyncDisposableStack();
  const { holder, takenOverAfter } = await openHeldRuns(world, RUNS, stack);
  await pause(REST_MS);
  const from = performance.now();
  const gone = holder.exited.then(() => performance.now() - from);
  const times = await takenOverAfter("SIGTERM");
  return { p95: quantileOf(times, 0.95), median: quantileOf(times, 0.5), exit: await gone };
}

async function ofBullMq(world: BenchWorld): Promise<Handover> {
  await using stack = new AsyncDisposableStack();
  const { url: redisUrl } = await world.newRedis();
  const file = new URL("./programs/bare-handover.ts", import.meta.url);
  const options = JSON.stringify({ redisUrl, queue: "bare" });
  const connection = connectRedis({ redisUrl, databaseUrl: "" });
  stack.defer(() => connection.disconnect());
  const queue = new Queue("bare", { connection });
  const holder = stack.use(await startProgram(file, [options]));
  for (let job = 0; job < RUNS; job++) await queue.add("job", { job });
  const takenBy = async (program: typeof holder): Promise<readonly number[]> => {
    for (;;) {
      const { takenAt } = await program.ask<HandoverAnswer>({ kind: "waits" } satisfies HandoverQuestion);
      if (takenAt.length >= RUNS) return takenAt;
      await pause(5);
    }
  };
  await takenBy(holder);
  const next = stack.use(await startProgram(file, [options]));
  world.pin(next.pid);
  const from = Date.now();
  const left = holder
    .ask<HandoverAnswer>({ kind: "leaves" } satisfies HandoverQuestion)
    .then(() => Date.now() - from);
  const times = (await takenBy(next)).map((at) => at - from);
  return { p95: quantileOf(times, 0.95), median: quantileOf(times, 0.5), exit: await left };
}

export const deploy: Benchmark = { name: "deploy", run };
