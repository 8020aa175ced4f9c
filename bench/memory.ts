/** B6: memory for each run that streams, many at once, in a worker as it is deployed. */

import { setTimeout as pause } from "node:timers/promises";
import { createNewId } from "../src/adapters/ids.ts";
import { createInbox } from "../src/adapters/postgres/inbox.ts";
import { openPostgres } from "../src/adapters/postgres/pool.ts";
import { createSystemClock } from "../src/adapters/system-clock.ts";
import { RedisConnections } from "../src/queue/connection.ts";
import { createRedisRunQueue } from "../src/queue/run-queue.ts";
import type { SessionId } from "../src/core/thread.ts";
import { message, newSession } from "../test/contract/store-samples.ts";
import { spawnProduct } from "../test/support/product.ts";
import { silentLog } from "../test/support/silent-log.ts";
import { until } from "../test/support/until.ts";
import { inTurn, medianOf, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { rssOf } from "./process-figures.ts";
import { startProgram } from "./program.ts";
import type { ReaderName, ReadQuestion } from "./programs/reader.ts";
import { createLongSession } from "./long-session.ts";

const RUNS = 200;
const HISTORY = 50;
const PER_SECOND = 20;
const SECONDS = 8;
/** Runs before the base is taken, so that code and pools count to the process and not to the runs. */
const WARM_UPS = 20;
/** From the start: by then all stream. */
const PLATEAU_MS = 4_000;

const messages = Array.from({ length: HISTORY }, (_, index) => ({
  role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
  content: "word ".repeat(110),
}));

async function run(world: BenchWorld): Promise<readonly Comparison[]> {
  await using model = await startProgram(new URL("./programs/model.ts", import.meta.url), []);
  const { url } = await model.ask<{ url: string }>({});
  const way = `${url}slow/${PER_SECOND * SECONDS}/${PER_SECOND}`;
  world.note(`${RUNS} runs of ${SECONDS} s at ${PER_SECOND} deltas a second`);
  const [ours, bySdk, byHand] = await inTurn(world.pairs, [
    () => ofWorker(world, way),
    () => ofReader("sdk", way, url),
    () => ofReader("hand", way, url),
  ]);
  const what = `KB a run, ${RUNS} at once`;
  const comparison = (
    name: string,
    samples: readonly number[],
    target: string,
    limit: string,
  ): Comparison => ({
    id: "B6",
    what,
    product: ours,
    reference: { name, samples },
    target,
    limit,
  });
  return [
    comparison("SDK iterator, no run around it", bySdk, "<= 0.55", "1"),
    comparison("parser by hand, no run around it", byHand, "-", "-"),
  ];
}

/** Most bytes over the base for each run, from the plateau on, KB. */
async function growth(pid: number, base: number): Promise<number> {
  const seen: number[] = [];
  await pause(PLATEAU_MS);
  for (let sample = 0; sample < 10; sample++) {
    seen.push((rssOf(pid) - base) / RUNS / 1024);
    await pause(250);
  }
  return medianOf(seen);
}

async function ofReader(name: ReaderName, way: string, url: string): Promise<number> {
  await using reader = await startProgram(new URL("./programs/reader.ts", import.meta.url), [name]);
  const warmUp: ReadQuestion = { url: `${url}fast/100`, streams: WARM_UPS, messages };
  await reader.ask(warmUp);
  const base = rssOf(reader.pid);
  const question: ReadQuestion = { url: way, streams: RUNS, messages };
  const [found] = await Promise.all([growth(reader.pid, base), reader.ask(question)]);
  return found;
}

async function ofWorker(world: BenchWorld, way: string): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const [database, redis] = await Promise.all([world.newDatabase(), world.newRedis()]);
  const worker = stack.use(
    spawnProduct("worker", {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      OPENAI_BASE_URL: way,
      MODEL: "fake",
      WORKER_CONCURRENCY: `${RUNS}`,
    }),
  );
  const clock = createSystemClock();
  const sql = openPostgres({ url: database.url });
  stack.defer(() => sql.close());
  const connections = new RedisConnections({ clock, log: silentLog }, redis);
  stack.defer(() => connections.close());
  const queue = createRedisRunQueue({ redis: connections, clock });
  const inbox = createInbox(sql);
  const newId = createNewId(clock);

  const ring = async (sessions: readonly SessionId[]): Promise<void> => {
    for (const session of sessions) {
      await inbox.put(message(session, "Go on.", { at: clock.now(), message: newId() }));
      await queue.wake(session);
    }
  };
  const sessions = Array.from({ length: RUNS }, newSession);
  for (const session of sessions) await createLongSession(sql, session, HISTORY);
  await worker.ready();
  await ring(Array.from({ length: WARM_UPS }, newSession));
  const settled = {
    text: "select 1 as one from runs where reply = 'settled' having count(*) >= $1::integer",
  };
  await until(async () => (await sql.query(settled, [WARM_UPS])).length > 0, {
    timeoutMs: 60_000,
    what: "the first runs are settled",
  });
  const base = rssOf(worker.pid);
  await ring(sessions);
  return await growth(worker.pid, base);
}

export const memory: Benchmark = { name: "memory", run };
