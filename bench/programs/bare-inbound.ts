/** Takes signed events of Slack's, and does with them only what makes them durable; with a worker, each job is taken up too. */

import { Worker } from "bullmq";
import { BARE_QUEUE, connectRedis, openBareIntake, type BareServers } from "../bare-intake.ts";
import { serveQuestions } from "../program.ts";
import { serveEvents } from "../signed-events.ts";

export interface BareInboundOptions extends BareServers {
  readonly signingSecret: string;
  readonly worker: "none" | "in the same process";
}

export interface BareInboundAnswer {
  readonly url: string;
  /** Jobs that the worker has done. */
  readonly handled: number;
}

const options = JSON.parse(process.argv[2] ?? "{}") as BareInboundOptions;
const { url } = await serveEvents(options.signingSecret, openBareIntake(options).take);
let handled = 0;
if (options.worker !== "none") {
  const work = (): Promise<void> => {
    handled++;
    return Promise.resolve();
  };
  const worker = new Worker(BARE_QUEUE, work, { connection: connectRedis(options), concurrency: 50 });
  await worker.waitUntilReady();
}
serveQuestions<object>((): Promise<BareInboundAnswer> => Promise.resolve({ url, handled }));
