/** Jobs that bare BullMQ workers hold until they end, for how long others take to have them. */

import { setTimeout as pause } from "node:timers/promises";
import { Queue } from "bullmq";
import { connectRedis } from "./bare-intake.ts";
import type { BenchWorld } from "./comparison.ts";
import { startProgram, type Program } from "./program.ts";
import type { HandoverAnswer, HandoverQuestion } from "./programs/bare-handover.ts";

export interface BareHeldJobs {
  /** A worker in a process of its own. */
  start(): Promise<Program>;
  /** Adds all jobs. */
  add(): Promise<void>;
  /** Once this one has all of them: when it took each, ms since 1970. */
  takenBy(program: Program): Promise<readonly number[]>;
}

export async function openBareHeldJobs(
  world: BenchWorld,
  jobs: number,
  stack: AsyncDisposableStack,
): Promise<BareHeldJobs> {
  const { url: redisUrl } = await world.newRedis();
  const file = new URL("./programs/bare-handover.ts", import.meta.url);
  const options = JSON.stringify({ redisUrl, queue: "bare" });
  const connection = connectRedis({ redisUrl, databaseUrl: "" });
  stack.defer(() => connection.disconnect());
  const queue = new Queue("bare", { connection });
  return {
    start: () => startProgram(file, [options]),
    async add() {
      for (let job = 0; job < jobs; job++) await queue.add("job", { job });
    },
    async takenBy(program) {
      for (;;) {
        const { takenAt } = await program.ask<HandoverAnswer>({ kind: "waits" } satisfies HandoverQuestion);
        if (takenAt.length >= jobs) return takenAt;
        await pause(5);
      }
    },
  };
}
