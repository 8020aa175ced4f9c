/**
 * `npm run bench`: Bobbin beside its references. `npm run bench -- <names> --pairs 5 --json FILE`. With `--full` it measures
 * longer, and a bound that is exceeded twice is an exit code.
 */

import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { burst } from "./burst.ts";
import { coalescing } from "./coalescing.ts";
import type { Benchmark, BenchWorld, Comparison } from "./comparison.ts";
import { findCores, pinTo } from "./cores.ts";
import { deploy } from "./deploy.ts";
import { crowd } from "./crowd.ts";
import { deltaCost } from "./delta-cost.ts";
import { firstRequest } from "./first-request.ts";
import { beyondInAll } from "./gate.ts";
import { goals } from "./goals.ts";
import { history } from "./history.ts";
import { idle } from "./idle.ts";
import { inbound } from "./inbound.ts";
import { memory } from "./memory.ts";
import { recovery } from "./recovery.ts";
import { openServices } from "./services.ts";
import { slowNeighbour } from "./slow-neighbour.ts";
import { stop } from "./stop.ts";
import { jsonOf, tableOf } from "./table.ts";
import { visibleLatency } from "./visible-latency.ts";
import { wholeRuns } from "./whole-runs.ts";

const BENCHMARKS: readonly Benchmark[] = [
  inbound,
  firstRequest,
  burst,
  wholeRuns,
  deltaCost,
  memory,
  coalescing,
  visibleLatency,
  history,
  idle,
];
/** What would make the short form longer than five minutes: only where it is named, or all is measured at length. */
const LONG: readonly Benchmark[] = [stop, deploy, slowNeighbour, recovery, crowd, goals];
const LEAST_PAIRS = 3;
const FULL_PAIRS = 5;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: "string" },
      pairs: { type: "string" },
      full: { type: "boolean", default: false },
    },
  });
  const { full } = values;
  const pairs = Number(values.pairs ?? (full ? FULL_PAIRS : LEAST_PAIRS));
  const all = [...BENCHMARKS, ...LONG];
  const unknown = positionals.filter((name) => !all.some((benchmark) => benchmark.name === name));
  if (unknown.length > 0 || !Number.isInteger(pairs) || pairs < LEAST_PAIRS) {
    const names = all.map(({ name }) => name).join(", ");
    console.error(`Benchmarks: ${names}. --pairs is a whole number from ${LEAST_PAIRS}.`);
    return 2;
  }
  const usual = full ? all : BENCHMARKS;
  const chosen = positionals.length === 0 ? usual : all.filter(({ name }) => positionals.includes(name));

  const processors = availableParallelism();
  const cores = findCores();
  // What is started from here stays on this core, unless it is put on the other one.
  if (cores !== undefined) pinTo(cores.services, process.pid);
  await using services = await openServices();
  const postgres = await services.describe();
  const loadBefore = loadavg()[0] ?? 0;
  const found: Comparison[] = [];
  const faults: Comparison[] = [];
  for (const benchmark of chosen) {
    const world: BenchWorld = {
      ...services,
      pairs,
      length: full ? "full" : "short",
      pin: (pid) => {
        if (cores !== undefined) pinTo(cores.client, pid);
      },
      note: (line) => console.log(`${benchmark.name}: ${line}`),
    };
    const once = await measure(benchmark, world);
    const isDoubtful = full && beyondInAll([once]).length > 0;
    if (isDoubtful) world.note("beyond a bound; once more");
    const twice = isDoubtful ? await measure(benchmark, world) : once;
    found.push(...twice);
    if (full) faults.push(...beyondInAll([once, twice]));
  }
  const conditions = {
    at: new Date().toISOString(),
    node: process.version,
    processor: cpus()[0]?.model ?? "unknown",
    cores: processors,
    pinned: cores ?? "no",
    load: { before: loadBefore, after: loadavg()[0] ?? 0 },
    postgres,
    pairs,
    length: full ? "full" : "short",
  };
  console.log(`\n${tableOf(found)}\n\n${JSON.stringify(conditions)}`);
  if (values.json !== undefined) writeFileSync(values.json, jsonOf(conditions, found));
  for (const { id, what } of faults) console.error(`${id} is beyond its bound, twice: ${what}`);
  return faults.length === 0 ? 0 : 1;
}

async function measure({ run }: Benchmark, world: BenchWorld): Promise<readonly Comparison[]> {
  const started = performance.now();
  const found = await run(world);
  world.note(`${Math.round((performance.now() - started) / 1000)} s`);
  return found;
}

process.exitCode = await main();
