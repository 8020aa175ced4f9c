/**
 * `npm run chaos -- --seconds 60 --seed 7`: real processes that are killed, paused and cut off while people write, and what
 * holds all the same. `--on slack` or `--on discord` is one platform of both. `--undo fence|look|ack`, or `plan|begin|pause|count` of goals, takes one rule of the product
 * out: then it has to fail. With `--goals off` people give no goals. `--keep FILE` writes down
 * everything that the checker read. `--scope workers` breaks nothing but workers and has no sweeps, `--scope late` stops workers just before they write.
 * `--plan b9` is a benchmark: `--messages 5000` in `--threads 200`, each brought twice, over
 * kills of workers and restarts of Redis and Postgres.
 */

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { UNDOS, type Undo } from "./orders.ts";
import type { Scope } from "./plan.ts";
import { HEAD, linesOf, rowOf } from "./report.ts";
import { runChaos, type ChaosOptions } from "./run.ts";
import { CHAOS_PLATFORMS } from "./world.ts";

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "60" },
      seed: { type: "string" },
      undo: { type: "string", multiple: true, default: [] },
      "per-second": { type: "string", default: "2.5" },
      scope: { type: "string" },
      on: { type: "string" },
      goals: { type: "string", default: "on" },
      plan: { type: "string", default: "usual" },
      messages: { type: "string", default: "5000" },
      threads: { type: "string", default: "200" },
      keep: { type: "string" },
    },
  });
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
  const seconds = Number(values.seconds);
  const perSecond = Number(values["per-second"]);
  const undo = UNDOS.filter((name) => values.undo.includes(name));
  const isB9 = values.plan === "b9";
  // The figures of the benchmark are of Slack, which brings each event twice.
  const wanted = (values.on ?? (isB9 ? "slack" : CHAOS_PLATFORMS.join(","))).split(",");
  const on = CHAOS_PLATFORMS.filter((platform) => wanted.includes(platform));
  const crowd = { messages: Number(values.messages), threads: Number(values.threads) };
  const isWrong =
    undo.length < values.undo.length ||
    on.length < wanted.length ||
    !Number.isInteger(seed) ||
    !(seconds > 0) ||
    !(perSecond > 0) ||
    !(values.goals === "on" || values.goals === "off") ||
    !(isB9 || values.plan === "usual") ||
    !(crowd.threads > 0 && crowd.messages >= crowd.threads);
  if (isWrong) {
    console.error(
      `--seconds and --per-second are above 0, --seed is a whole number, --undo is one of ${UNDOS.join(", ")}, --on ${CHAOS_PLATFORMS.join(" and ")} or one of them, --goals on or off, --plan usual or b9, --messages not below --threads.`,
    );
    return 2;
  }
  const begun = performance.now();
  const options: ChaosOptions = {
    seed,
    seconds,
    perSecond,
    undo,
    on,
    goals: values.goals === "off" ? "off" : "on",
    ...(isB9 ? { crowd } : {}),
    scope: scopeOf(undo, values.scope),
    quietMs: isB9 ? 300_000 : 240_000,
    note: (line) => console.log(`${((performance.now() - begun) / 1_000).toFixed(1).padStart(6)} ${line}`),
  };
  const outcome = await runChaos(options);
  if (values.keep !== undefined) writeFileSync(values.keep, JSON.stringify(outcome.record));
  for (const line of [...linesOf(outcome), "", ...HEAD, rowOf(options, outcome)]) console.log(line);
  return outcome.broken.length === 0 ? 0 : 1;
}

/** Where a rule is taken out, what it is there for has to happen. */
function scopeOf(undo: readonly Undo[], wanted: string | undefined): Scope {
  if (undo.includes("fence") || wanted === "late") return "late writers";
  // A sweep of the ledger would find what nobody looked for.
  return undo.includes("look") || wanted === "workers" ? "workers alone" : "everything";
}

process.exitCode = await main();
process.exit();
