/**
 * `npm run soak -- --minutes 10`: an hour's load in these minutes over one gateway and two workers, and whether anything of theirs
 * grows with what they have done. `--json FILE` writes down all samples; an even `--seed` is Slack over HTTP, an odd one over the socket.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { isGood, jsonOf, reportOf } from "./report.ts";
import { runSoak, type SoakOptions } from "./run.ts";

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "10" },
      seed: { type: "string", default: "1" },
      every: { type: "string", default: "5" },
      json: { type: "string", default: "test-results/soak.json" },
    },
  });
  const [minutes, seed, everyS] = [values.minutes, values.seed, values.every].map(Number) as [
    number,
    number,
    number,
  ];
  if (!(minutes > 0) || !(everyS > 0) || !Number.isInteger(seed)) {
    console.error("--minutes and --every (seconds) are above 0, --seed is a whole number.");
    return 2;
  }
  const begun = performance.now();
  const options: SoakOptions = {
    seed,
    minutes,
    everyMs: everyS * 1_000,
    note: (line) => console.log(`${((performance.now() - begun) / 1_000).toFixed(0).padStart(6)} ${line}`),
  };
  const outcome = await runSoak(options);
  mkdirSync(dirname(values.json), { recursive: true });
  writeFileSync(values.json, jsonOf(options, outcome));
  for (const line of reportOf(options, outcome)) console.log(line);
  return isGood(outcome) ? 0 : 1;
}

process.exitCode = await main();
process.exit();
