/** A tool's thread: computes for as long as it is told. */

import { parentPort, workerData } from "node:worker_threads";

const { ms } = workerData as { readonly ms: number };
const until = performance.now() + ms;
while (performance.now() < until);
parentPort?.postMessage("computed");
