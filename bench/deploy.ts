/** B11: a worker is told to end with fifty runs in mid-stream: how long until each goes on elsewhere, and until it has gone. */

import { setTimeout as pause } from "node:timers/promises";
import { openBareHeldJobs } from "./bare-held-jobs.ts";
import { inTurn, quantileOf, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { openHeldRuns } from "./held-runs.ts";
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
  const { start, add, takenBy } = await openBareHeldJobs(world, RUNS, stack);
  const holder = stack.use(await start());
  await add();
  await takenBy(holder);
  const next = stack.use(await start());
  world.pin(next.pid);
  const from = Date.now();
  const left = holder
    .ask<HandoverAnswer>({ kind: "leaves" } satisfies HandoverQuestion)
    .then(() => Date.now() - from);
  const times = (await takenBy(next)).map((at) => at - from);
  return { p95: quantileOf(times, 0.95), median: quantileOf(times, 0.5), exit: await left };
}

export const deploy: Benchmark = { name: "deploy", run };
