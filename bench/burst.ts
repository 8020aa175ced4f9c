/** B3: many threads are written to at the same moment; how long until the last of them has its first model request. */

import { setTimeout as pause } from "node:timers/promises";
import { until } from "../test/support/until.ts";
import { inTurn, quantileOf, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { startModelServer } from "./model-server.ts";
import { startProductBot, startSkeletonBot, type WholeBot } from "./whole-bot.ts";

const SESSIONS = 500;
const WARM_UPS = 2;
const REST_MS = 500;

interface Times {
  readonly p50: number;
  readonly p99: number;
}

async function run(world: BenchWorld): Promise<readonly Comparison[]> {
  await using stack = new AsyncDisposableStack();
  /** When each session's first request came, by its mark. */
  const arrived = new Map<string, number>();
  const model = await startModelServer({
    onRequest: (body) => {
      const mark = /mark-\d+/.exec(body)?.[0];
      if (mark !== undefined && !arrived.has(mark)) arrived.set(mark, performance.now());
    },
  });
  stack.defer(() => model.close());
  const options = { modelUrl: model.url("fast/5"), concurrency: SESSIONS };
  const product = await startProductBot(world, options, stack);
  const skeleton = await startSkeletonBot(world, options, stack);

  let marks = 0;
  function burstOn({ place, sender, ended }: WholeBot): () => Promise<Times> {
    let sent = 0;
    return async () => {
      arrived.clear();
      const texts = Array.from({ length: SESSIONS }, () => `mark-${marks++}. What is the time?`);
      const requests = place.mentions(texts, () => place.newChannel());
      const start = performance.now();
      const sending = sender.send(requests);
      await until(() => arrived.size >= SESSIONS, { timeoutMs: 60_000, what: "every session has asked" });
      await sending;
      const times = [...arrived.values()].map((at) => at - start);
      await ended((sent += SESSIONS));
      await pause(REST_MS);
      return { p50: quantileOf(times, 0.5), p99: quantileOf(times, 0.99) };
    };
  }

  const measures = [burstOn(product), burstOn(skeleton)] as const;
  world.note(`${SESSIONS} sessions at once`);
  await inTurn(WARM_UPS, measures);
  const [ours, bare] = await inTurn(world.pairs, measures);
  return [
    {
      id: "B3",
      what: `${SESSIONS} sessions at once, first request, p99 ms`,
      product: ours.map(({ p99 }) => p99),
      reference: { name: "skeleton", samples: bare.map(({ p99 }) => p99) },
      bounds: { of: "ratio", better: "less", target: 1.2, limit: 1.5 },
    },
    {
      id: "B3",
      what: `${SESSIONS} sessions at once, first request, p50 ms`,
      product: ours.map(({ p50 }) => p50),
      reference: { name: "skeleton", samples: bare.map(({ p50 }) => p50) },
    },
  ];
}

export const burst: Benchmark = { name: "burst", run };
