/**
 * A thousand replies that grow at once in one workspace of Slack, which takes fifty edits a minute, while forty a minute end: on a
 * simulated clock, with the real surfaces and writers of four processes that share their budget over a real Redis.
 */

import { createLocalPacer } from "../src/adapters/local/pacer.ts";
import type { Pacer } from "../src/core/ports/pacer.ts";
import { runCrowd, type Crowd, type CrowdOptions } from "../test/support/crowd/crowd.ts";
import { openSharedPacers } from "../test/support/crowd/shared-pacers.ts";
import { medianOf, quantileOf, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";

const PROCESSES = 4;
/** Simulated. Who asks nobody is refused some thousand times a minute, so that a few of them say enough. */
const MINUTES = { short: { usual: 10, heedless: 2 }, full: { usual: 30, heedless: 5 } } as const;
/** What the issue of a final is worth: nobody waits longer for an answer that is there. */
const LATEST_MS = 15_000;

const heedless: Pacer = {
  take: () => Promise.resolve(0),
  leave: () => Promise.resolve(),
  hold: () => Promise.resolve(),
};

async function run(world: BenchWorld): Promise<readonly Comparison[]> {
  const { url } = await world.newRedis();
  // A simulation begins at a time that the one before has left behind.
  using shared = await openSharedPacers({ url, prefix: "{usual}" }, PROCESSES);
  using strictly = await openSharedPacers({ url, prefix: "{strict}" }, PROCESSES);
  const { usual, heedless: few } = MINUTES[world.length];
  const crowdOf = async (
    what: string,
    minutes: number,
    pacerOf: CrowdOptions["pacerOf"],
    burst?: number,
  ): Promise<Crowd> => {
    const started = performance.now();
    const crowd = await runCrowd({
      seed: 1,
      processes: PROCESSES,
      runs: 1_000,
      endsPerMinute: 40,
      minutes,
      channels: 50,
      pacerOf,
      ...(burst === undefined ? {} : { burst }),
    });
    world.note(`${what}: ${minutes} minutes in ${Math.round((performance.now() - started) / 1000)} s`);
    return crowd;
  };
  const ours = await crowdOf("shared", usual, shared.pacerOf);
  const strict = await crowdOf("shared, eight at once", usual, strictly.pacerOf, 8);
  const apart = await crowdOf("each for itself", usual, (_process, clock) => createLocalPacer(clock));
  const none = await crowdOf("no budget", few, () => heedless);

  const figures = (crowd: Crowd) => ({
    p50: medianOf(crowd.finals),
    p99: quantileOf(crowd.finals, 0.99),
    missing: (100 * crowd.missing) / (crowd.missing + crowd.finals.length),
    refused: (100 * crowd.calls.filter(({ isRefused }) => isRefused).length) / crowd.calls.length,
    writes: crowd.writes.reduce((sum, each) => sum + each, 0) / crowd.writes.length,
  });
  type Figure = keyof ReturnType<typeof figures>;
  const others = [
    ["each process for itself", figures(apart)],
    ["no budget, only Slack's refusals", figures(none)],
    ["shared, Slack takes 8 at once", figures(strict)],
  ] as const;
  const own = figures(ours);
  const rows = (what: string, figure: Figure, most?: number): readonly Comparison[] =>
    others.map(([name, other], at) => ({
      id: "Crowd",
      what,
      product: [own[figure]],
      reference: { name, samples: [other[figure]] },
      ...(most === undefined || at > 0
        ? {}
        : { bounds: { of: "figure", better: "less", target: most, limit: most } as const }),
    }));
  return [
    ...rows("end to whole answer, p50 ms", "p50"),
    ...rows("end to whole answer, p99 ms", "p99", LATEST_MS),
    ...rows("ends without their answer two minutes later, %", "missing", 0),
    ...rows("calls that Slack refused, %", "refused", 0),
    ...rows("writes a run", "writes"),
  ];
}

export const crowd: Benchmark = { name: "crowd", run };
