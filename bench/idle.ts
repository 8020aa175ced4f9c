/** B14: what a worker costs while nobody writes. */

import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import { spawnProduct } from "../test/support/product.ts";
import type { Benchmark, BenchWorld, Comparison } from "./comparison.ts";
import { cpuMsOf } from "./process-figures.ts";
import { startProgram } from "./program.ts";

/** Whole multiples of 5 s, in which both look into their queue: else the windows differ by the looks that just fell into them. */
const WINDOW_MS = { short: 15_000, full: 60_000 };
/** What a process does once after its start is over by then. */
const SETTLE_MS = 5_000;

interface Figures {
  /** Thousandths of a core. */
  readonly cpu: number;
  readonly commandsPerSecond: number;
}

/** Both stand at the same time, each with a Redis of its own: idle, they cannot disturb each other, and noise meets both. */
async function run(world: BenchWorld): Promise<readonly Comparison[]> {
  await using stack = new AsyncDisposableStack();
  const [database, redis, bareRedis] = await Promise.all([
    world.newDatabase(),
    world.newRedis(),
    world.newRedis(),
  ]);
  const worker = stack.use(
    spawnProduct("worker", {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
      MODEL: "fake",
    }),
  );
  const bare = stack.use(
    await startProgram(new URL("./programs/bare-worker.ts", import.meta.url), [bareRedis.url]),
  );
  await worker.ready();
  await pause(SETTLE_MS);

  for (const { pid } of [worker, bare]) world.pin(pid);
  const windowMs = WINDOW_MS[world.length];
  const measures = await Promise.all([
    watch(stack, worker.pid, redis.url, windowMs),
    watch(stack, bare.pid, bareRedis.url, windowMs),
  ]);
  const ours: Figures[] = [];
  const theirs: Figures[] = [];
  for (let pair = 0; pair < world.pairs; pair++) {
    world.note(`${windowMs / 1000} s without traffic`);
    const [one, other] = await Promise.all(measures.map((measure) => measure()));
    if (one === undefined || other === undefined) throw new Error("a worker was not measured");
    ours.push(one);
    theirs.push(other);
  }
  const comparison = (what: string, figure: keyof Figures): Comparison => ({
    id: "B14",
    what,
    product: ours.map((each) => each[figure]),
    reference: { name: "bare BullMQ worker", samples: theirs.map((each) => each[figure]) },
    bounds: { of: "ratio", better: "less", target: 1.2, limit: 2 },
  });
  return [
    comparison("idle processor time, 1/1000 core", "cpu"),
    comparison("idle Redis commands per second", "commandsPerSecond"),
  ];
}

async function watch(
  stack: AsyncDisposableStack,
  pid: number,
  redisUrl: string,
  windowMs: number,
): Promise<() => Promise<Figures>> {
  const redis = new Redis(redisUrl);
  stack.defer(() => redis.disconnect());
  const commands = async (): Promise<number> =>
    Number(/total_commands_processed:(\d+)/.exec(await redis.info("stats"))?.[1]);
  await commands();
  return async () => {
    const cpuBefore = cpuMsOf(pid);
    const commandsBefore = await commands();
    await pause(windowMs);
    // One of them was our own question.
    const counted = (await commands()) - commandsBefore - 1;
    return {
      cpu: ((cpuMsOf(pid) - cpuBefore) / windowMs) * 1000,
      commandsPerSecond: counted / (windowMs / 1000),
    };
  };
}

export const idle: Benchmark = { name: "idle", run };
