/** `npm run bench`: Bobbin beside its references. `npm run bench -- <names> --pairs 5 --json FILE`. */

import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import type { Benchmark, Comparison } from "./comparison.ts";
import { deltaCost } from "./delta-cost.ts";
import { firstRequest } from "./first-request.ts";
import { history } from "./history.ts";
import { idle } from "./idle.ts";
import { memory } from "./memory.ts";
import { openServices } from "./services.ts";
import { jsonOf, tableOf } from "./table.ts";

const BENCHMARKS: readonly Benchmark[] = [firstRequest, deltaCost, memory, history, idle];
const LEAST_PAIRS = 3;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: "string" }, pairs: { type: "string", default: `${LEAST_PAIRS}` } },
  });
  const pairs = Number(values.pairs);
  const unknown = positionals.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name));
  if (unknown.length > 0 || !Number.isInteger(pairs) || pairs < LEAST_PAIRS) {
    const names = BENCHMARKS.map(({ name }) => name).join(", ");
    console.error(`Benchmarks: ${names}. --pairs is a whole number from ${LEAST_PAIRS}.`);
    return 2;
  }
  const chosen =
    positionals.length === 0 ? BENCHMARKS : BENCHMARKS.filter(({ name }) => positionals.includes(name));

  await using services = await openServices();
  const postgres = await services.describe();
  const loadBefore = loadavg()[0] ?? 0;
  const found: Comparison[] = [];
  for (const { name, run } of chosen) {
    const started = performance.now();
    const note = (line: string): void => console.log(`${name}: ${line}`);
    found.push(...(await run({ ...services, pairs, note })));
    note(`${Math.round((performance.now() - started) / 1000)} s`);
  }
  const conditions = {
    at: new Date().toISOString(),
    node: process.version,
    processor: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    load: { before: loadBefore, after: loadavg()[0] ?? 0 },
    postgres,
    pairs,
  };
  console.log(`\n${tableOf(found)}\n\n${JSON.stringify(conditions)}`);
  if (values.json !== undefined) writeFileSync(values.json, jsonOf(conditions, found));
  return 0;
}

process.exitCode = await main();
