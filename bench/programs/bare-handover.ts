/** BullMQ by itself in a deploy: jobs that do not end, and that are put back for another worker when this one is told to leave. */

import { setTimeout as pause } from "node:timers/promises";
import { WaitingError, Worker } from "bullmq";
import { Redis } from "ioredis";
import { serveQuestions } from "../program.ts";

/** `waits`: how many jobs it has, and when each was taken up, ms since 1970; `leaves`: hands over what it has, and ends. */
export type HandoverQuestion = { readonly kind: "waits" } | { readonly kind: "leaves" };

export interface HandoverAnswer {
  readonly takenAt: readonly number[];
}

interface Options {
  readonly redisUrl: string;
  readonly queue: string;
  readonly lockMs?: number;
  readonly stalledMs?: number;
}

/** Handed over in the moment in which it closes, a job would come back to the very worker. */
const LEAVE_AFTER_MS = 20;

const { redisUrl, queue, lockMs, stalledMs } = JSON.parse(process.argv[2] ?? "{}") as Options;
const leaving = new AbortController();
const takenAt: number[] = [];
const worker = new Worker(
  queue,
  async (job, token, _signal) => {
    takenAt.push(Date.now());
    await new Promise<void>((resolve) =>
      leaving.signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    await job.moveToWait(token);
    throw new WaitingError();
  },
  {
    connection: new Redis(redisUrl, { maxRetriesPerRequest: null }),
    concurrency: 100,
    ...(lockMs === undefined ? {} : { lockDuration: lockMs }),
    ...(stalledMs === undefined ? {} : { stalledInterval: stalledMs }),
  },
);
worker.on("error", () => {});
await worker.waitUntilReady();
serveQuestions<HandoverQuestion>(async ({ kind }): Promise<HandoverAnswer> => {
  if (kind === "leaves") {
    const closed = worker.close();
    await pause(LEAVE_AFTER_MS);
    leaving.abort();
    await closed;
  }
  return { takenAt };
});
