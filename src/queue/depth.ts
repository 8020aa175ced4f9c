/** How many wakes wait in a queue, and how many are being served. Read by those who watch, and by nothing else. */

import { Queue } from "bullmq";
import type { RedisConnections } from "./connection.ts";

/** @returns a question that rejects where Redis does not answer. */
export function queueDepth(
  redis: RedisConnections,
  name: string,
): () => Promise<{ readonly waiting: number; readonly active: number }> {
  const queue = new Queue(name, {
    connection: redis.commands,
    prefix: redis.prefix,
    skipVersionCheck: true,
    skipMetasUpdate: true,
  });
  queue.on("error", () => {});
  return async () => {
    const { wait = 0, active = 0 } = await queue.getJobCounts("wait", "active");
    return { waiting: wait, active };
  };
}
