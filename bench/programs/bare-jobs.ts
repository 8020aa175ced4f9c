/** BullMQ by itself: jobs that do nothing, from added to completed. */

import { Queue, Worker } from "bullmq";
import { connectRedis } from "../bare-intake.ts";
import { serveQuestions } from "../program.ts";

export interface JobsQuestion {
  readonly jobs: number;
}

export interface JobsAnswer {
  /** Of the whole process, ms. */
  readonly cpuMs: number;
}

const AT_ONCE = 50;
const servers = { databaseUrl: "", redisUrl: process.argv[2] ?? "" };
const queue = new Queue("jobs", {
  connection: connectRedis(servers),
  defaultJobOptions: { removeOnComplete: true },
});
const worker = new Worker("jobs", () => Promise.resolve(), {
  connection: connectRedis(servers),
  concurrency: AT_ONCE,
});
let completed = (): void => {};
worker.on("completed", () => completed());
await worker.waitUntilReady();

serveQuestions<JobsQuestion>(async ({ jobs }): Promise<JobsAnswer> => {
  const before = process.cpuUsage();
  let added = 0;
  let left = jobs;
  const ended = new Promise<void>((resolve) => {
    completed = () => {
      if (--left === 0) resolve();
    };
  });
  const add = async (): Promise<void> => {
    while (added < jobs) await queue.add("job", { number: added++ });
  };
  const producers = Promise.all(Array.from({ length: AT_ONCE }, add));
  await Promise.all([producers, ended]);
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000 };
});
