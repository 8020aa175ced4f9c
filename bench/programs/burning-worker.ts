/** A worker with two tools that compute for three seconds, one in its own thread and one not, that is asked how late its timers are. */

import { z } from "zod";
import { inWorkerThread } from "../../src/adapters/tools/in-worker-thread.ts";
import { toolOf } from "../../src/adapters/tools/define.ts";
import { startProduct, type Environment } from "../../test/support/product.ts";
import { quantileOf } from "../comparison.ts";
import { serveQuestions } from "../program.ts";

export interface LoopAnswer {
  /** How late a timer was since the last question, ms; all but one in a hundred. */
  readonly p99: number;
  readonly longest: number;
}

const COMPUTES_MS = 3_000;
const TICK_MS = 10;

const computes = {
  effect: "read",
  arguments: z.object({}),
  description: "Computes for three seconds.",
} as const;
const burn = (): Promise<string> => {
  const until = performance.now() + COMPUTES_MS;
  while (performance.now() < until);
  return Promise.resolve("computed");
};
const thread = inWorkerThread(new URL("./computing-thread.ts", import.meta.url));
const tools = [
  toolOf({ ...computes, name: "compute_here", run: burn }),
  toolOf({
    ...computes,
    name: "compute_in_thread",
    run: (_, context) => thread({ ms: COMPUTES_MS }, context),
  }),
];
await startProduct("worker", JSON.parse(process.argv[2] ?? "{}") as Environment, { tools });

let late: number[] = [];
let expected = performance.now() + TICK_MS;
setInterval(() => {
  const now = performance.now();
  // Each tick that did not come counts: one pause of three seconds is three hundred late ticks, and not one.
  for (; expected <= now; expected += TICK_MS) late.push(now - expected);
}, TICK_MS);
serveQuestions<object>((): Promise<LoopAnswer> => {
  const since = late;
  late = [];
  return Promise.resolve({ p99: quantileOf(since, 0.99), longest: Math.max(...since) });
});
