/** The round trips that nobody can do without between a message and a model request, each by itself and as bare as it gets. */

import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import pg from "pg";
import { request } from "undici";
import { BARE_CLAIM, createBareSession, createBareTables } from "./bare-store.ts";

export interface BareTrips {
  /** Makes each trip once; ms, by the name of the trip. */
  measure(): Promise<Readonly<Record<string, number>>>;
}

/** As between two messages of the product. */
const REST_MS = 20;
const HISTORY = 50;

/** For as long as the process lives. */
export async function openBareTrips(at: {
  readonly url: string;
  readonly redisUrl: string;
  /** Of a server that answers what it is sent. */
  readonly echoUrl: string;
}): Promise<BareTrips> {
  const pool = new pg.Pool({ connectionString: at.url, max: 1 });
  await createBareTables(pool);
  await createBareSession(pool, "s1", HISTORY);
  const connect = (): Redis => new Redis(at.redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue("bare", { connection: connect(), defaultJobOptions: { removeOnComplete: true } });
  let entered = (): void => {};
  const worker = new Worker("bare", () => Promise.resolve(entered()), {
    connection: connect(),
    concurrency: 50,
  });
  await worker.waitUntilReady();

  const post = async (): Promise<number> => {
    const body = JSON.stringify({
      id: randomBytes(10).toString("hex"),
      text: "What is the time? ".repeat(15),
    });
    const sentAt = performance.now();
    const answer = await request(at.echoUrl, { method: "POST", body });
    await answer.body.text();
    return performance.now() - sentAt;
  };
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  const insert = {
    name: "bare-insert",
    text: "insert into bare_inbox (id, session, body) values ($1, 's0', $2)",
  };
  const trips: Readonly<Record<string, () => Promise<number>>> = {
    http: post,
    insert: () =>
      timed(() =>
        pool.query({
          ...insert,
          values: [randomBytes(10).toString("hex"), JSON.stringify({ text: "x".repeat(300) })],
        }),
      ),
    "add to start": async () => {
      const start = performance.now();
      const end = new Promise<number>((resolve) => {
        entered = () => resolve(performance.now());
      });
      const added = queue.add(
        "wake",
        { session: "s1" },
        { deduplication: { id: "s1", keepLastIfActive: true } },
      );
      await added;
      return (await end) - start;
    },
    claim: () => timed(() => pool.query({ ...BARE_CLAIM, values: ["s1", HISTORY] })),
    // There and back; the request is at the model after a part of it.
    "model request": post,
  };

  return {
    async measure() {
      const times: Record<string, number> = {};
      for (const [name, trip] of Object.entries(trips)) {
        times[name] = await trip();
        await pause(REST_MS);
      }
      return times;
    },
  };
}
