/** What stands in Redis, for those who watch: wakes, leases and budgets. Read by them, and by nothing else. */

import { Queue } from "bullmq";
import type { BudgetState, QueueDepth, Watched } from "../core/ports/watched.ts";
import { isBudgetOf } from "../core/reply/pacing.ts";
import { leaseOf } from "../core/run/serve-session.ts";
import type { RedisConnections } from "./connection.ts";
import { GOALS_QUEUE, RUNS_QUEUE } from "./run-queue.ts";

/** Rounds of one look through the keys, of a thousand each: a Redis that others fill as well is not read to its end. */
const MOST_ROUNDS = 50;
/** Budgets that are told of. */
const MOST_BUDGETS = 200;

/** What one may look at in detail, as an app below a path; made by who asks first, like all that is needed for it. */
export type Board = (path: string) => Promise<{ fetch(request: Request): Response | Promise<Response> }>;

/** Each question rejects where Redis does not answer. */
export function watchRedis(redis: RedisConnections): Watched & { readonly board: Board } {
  // Made by who asks first: most processes are never asked.
  const queues = new Map<string, Queue>();

  function queueOf(name: string): Queue {
    let queue = queues.get(name);
    if (queue === undefined) {
      queue = new Queue(name, {
        connection: redis.commands,
        prefix: redis.prefix,
        skipVersionCheck: true,
        skipMetasUpdate: true,
      });
      queue.on("error", () => {});
      queues.set(name, queue);
    }
    return queue;
  }

  async function depthOf(name: string): Promise<QueueDepth> {
    // BullMQ would wait until Redis is back.
    if (!redis.isConnected) throw new Error("Redis is not connected");
    const { wait = 0, active = 0 } = await queueOf(name).getJobCounts("wait", "active");
    return { waiting: wait, active };
  }

  async function stateOf(base: string, key: string, now: number): Promise<BudgetState | undefined> {
    const [stored, line] = await Promise.all([
      redis.commands.get(base),
      redis.commands.zcount(`${base}:due`, now, "+inf"),
    ]);
    if (stored === null && line === 0) return undefined;
    const [free = 0, binding = 0] = (stored ?? "").split(" ").map(Number);
    return { key, fullInMs: Math.max(0, free - now), bindsForMs: Math.max(0, binding - now), line };
  }

  return {
    async board(path) {
      const { createBoard } = await import("./board.ts");
      const app = createBoard([RUNS_QUEUE, GOALS_QUEUE].map(queueOf), path);
      return {
        fetch: (request) =>
          redis.isConnected
            ? app.fetch(request)
            : new Response("Redis is not reachable just now.", { status: 503 }),
      };
    },
    async depth() {
      const [runs, goals] = await Promise.all([depthOf(RUNS_QUEUE), depthOf(GOALS_QUEUE)]);
      return { [RUNS_QUEUE]: runs, [GOALS_QUEUE]: goals };
    },
    async leases(sessions) {
      const left = await Promise.all(
        sessions.map((session) => redis.commands.pttl(`${redis.prefix}:lease:${leaseOf(session)}`)),
      );
      return left.map((ms) => (ms < 0 ? undefined : ms));
    },
    async budgets(space) {
      const begins = `${redis.prefix}:pacer:`;
      const found = new Set<string>();
      let cursor = "0";
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const match = `${escaped(begins)}${escaped(space.platform)}:*`;
        const [next, keys] = await redis.commands.scan(cursor, "MATCH", match, "COUNT", 1_000);
        for (const each of keys) {
          // Where nothing was written yet there is a line alone.
          const key = each.slice(begins.length).replace(/:(?:line|due)$/, "");
          if (isBudgetOf({ key }, space) && found.size < MOST_BUDGETS) found.add(key);
        }
        cursor = next;
        if (cursor === "0") break;
      }
      const [seconds, micros] = (await redis.commands.time()).map(Number);
      const now = (seconds ?? 0) * 1_000 + Math.floor((micros ?? 0) / 1_000);
      const states = await Promise.all([...found].map((key) => stateOf(begins + key, key, now)));
      return states.filter((state) => state !== undefined);
    },
  };
}

/** What a pattern of Redis would read as more than itself. */
function escaped(text: string): string {
  return text.replaceAll(/[\\*?[\]]/g, (sign) => `\\${sign}`);
}
