/**
 * Work of a tool that computes, in a thread of its own. In the worker's thread it would hold up every other run, its leases too, and
 * nobody could end it: a time limit, a stop and a lost lease only ask.
 */

import { Worker } from "node:worker_threads";
import type { ToolContext } from "../../core/agent/tool.ts";

/**
 * A `run` for a tool. The module at `file` is the thread: it finds what was given in `workerData`, and posts its result, once, to
 * its parent. What it throws is a result that the model reads. The thread ends with its result, and at once when the call does.
 */
export function inWorkerThread(
  file: URL,
): (given: unknown, context: Pick<ToolContext, "signal">) => Promise<unknown> {
  return async (given, { signal }) => {
    signal.throwIfAborted();
    const thread = new Worker(file, { workerData: given });
    const end = Promise.withResolvers<unknown>();
    thread.once("message", end.resolve);
    thread.once("error", end.reject);
    thread.once("exit", () => end.reject(new Error("it ended without a result")));
    const onAbort = (): void => end.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await end.promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      await thread.terminate();
    }
  };
}
