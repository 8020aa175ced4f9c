/** A BullMQ worker that has nothing to do, with the lock times that Bobbin uses: shorter ones than BullMQ's own. */

import { Worker } from "bullmq";
import { Redis } from "ioredis";
import { JOB_LOCK_MS, STALLED_CHECK_MS } from "../../src/queue/lock-times.ts";
import { serveQuestions } from "../program.ts";

const connection = new Redis(process.argv[2] ?? "", { maxRetriesPerRequest: null });
const worker = new Worker("bare", () => Promise.resolve(), {
  connection,
  concurrency: 50,
  lockDuration: JOB_LOCK_MS,
  stalledInterval: STALLED_CHECK_MS,
});
await worker.waitUntilReady();
serveQuestions<object>(() => Promise.resolve({}));
