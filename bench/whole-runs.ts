/** B4: how many whole runs a second of processor time is enough for: a mention, a tool call, 20 deltas, the reply. */

import { setTimeout as pause } from "node:timers/promises";
import { inTurn, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { startModelServer } from "./model-server.ts";
import { cpuMsOf } from "./process-figures.ts";
import { startProgram } from "./program.ts";
import type { JobsAnswer, JobsQuestion } from "./programs/bare-jobs.ts";
import { startProductBot, startSkeletonBot, type WholeBot } from "./whole-bot.ts";

const AT_ONCE = 50;
const WARM_UPS = 3;
const JOBS = 5_000;
/** A run's lease and job end after its reply. */
const REST_MS = 200;

async function run(world: BenchWorld): Promise<readonly Comparison[]> {
  await using stack = new AsyncDisposableStack();
  const model = await startModelServer();
  stack.defer(() => model.close());
  const options = { modelUrl: model.url("tool/20"), concurrency: AT_ONCE };
  const product = await startProductBot(world, options, stack);
  const skeleton = await startSkeletonBot(world, options, stack);
  const { url: redisUrl } = await world.newRedis();
  const queue = stack.use(
    await startProgram(new URL("./programs/bare-jobs.ts", import.meta.url), [redisUrl]),
  );
  world.pin(queue.pid);

  const waves = world.length === "full" ? 8 : 3;
  const measures = [
    runsOf(product, waves),
    runsOf(skeleton, waves),
    async (): Promise<number> => {
      const { cpuMs } = await queue.ask<JobsAnswer>({ jobs: JOBS } satisfies JobsQuestion);
      return JOBS / (cpuMs / 1000);
    },
  ] as const;
  world.note(`${waves} times ${AT_ONCE} runs`);
  await inTurn(WARM_UPS, measures);
  const calls = product.place.slack.calls.length;
  const [ours, bare, jobs] = await inTurn(world.pairs, measures);
  const callsPerRun = (product.place.slack.calls.length - calls) / (world.pairs * waves * AT_ONCE);
  world.note(`calls of Slack's API a run: Bobbin ${callsPerRun.toFixed(1)}, skeleton 3`);
  const what = "whole runs per CPU-second";
  return [
    {
      id: "B4",
      what,
      product: ours,
      reference: { name: "skeleton", samples: bare },
      bounds: { of: "ratio", better: "more", target: 0.65, limit: 0.5 },
    },
    {
      id: "B4",
      what,
      product: ours,
      // Without a bound: ADR 13.
      reference: { name: "BullMQ jobs that do nothing", samples: jobs },
    },
  ];
}

/** @returns runs per second of the bot's processor time. */
function runsOf({ pid, place, sender, ended }: WholeBot, waves: number): () => Promise<number> {
  let sent = 0;
  return async () => {
    const texts = Array.from({ length: AT_ONCE }, () => "what is the time in Lisbon?");
    const before = cpuMsOf(pid);
    for (let wave = 0; wave < waves; wave++) {
      // A channel each: Slack takes one post a second in a channel, and the product keeps to that.
      await sender.send(place.mentions(texts, () => place.newChannel()));
      await ended((sent += AT_ONCE));
    }
    await pause(REST_MS);
    return (waves * AT_ONCE) / ((cpuMsOf(pid) - before) / 1000);
  };
}

export const wholeRuns: Benchmark = { name: "whole-runs", run };
