/** B2: how long a person's message takes from the browser's request to the first request at the model, when nothing else goes on. */

import { setTimeout as pause } from "node:timers/promises";
import { openPostgres } from "../src/adapters/postgres/pool.ts";
import { spawnProduct } from "../test/support/product.ts";
import { until } from "../test/support/until.ts";
import { createWebPerson } from "../test/support/web-person.ts";
import { inTurn, medianOf, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { openBareTrips } from "./first-request-reference.ts";
import { startModelServer } from "./model-server.ts";

const MESSAGES = 25;
const WARM_UPS = 30;
/** After a run is settled, so that nothing of it is left to do. */
const REST_MS = 20;

const UNSETTLED = {
  name: "bench-unsettled",
  text: "select 1 as one from runs where reply <> 'settled' limit 1",
};

async function run(world: BenchWorld): Promise<readonly Comparison[]> {
  await using stack = new AsyncDisposableStack();
  let arrived = (): void => {};
  const model = await startModelServer(() => arrived());
  stack.defer(() => model.close());
  const [database, redis] = await Promise.all([world.newDatabase(), world.newRedis()]);
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    OPENAI_BASE_URL: model.url("fast/5"),
    MODEL: "fake",
    WEB_CHAT: "on",
    LOG_LEVEL: "warn",
  };
  const gateway = stack.use(spawnProduct("gateway", { ...env, LOG_LEVEL: "info" }));
  const worker = stack.use(spawnProduct("worker", { ...env, LOG_LEVEL: "info" }));
  const [address] = await Promise.all([gateway.ready(), worker.ready()]);
  const sql = openPostgres({ url: database.url, connections: 1 });
  stack.defer(() => sql.close());
  const person = createWebPerson(address);

  /** @param thread the one to write to; a new one unless given. @returns the thread, and the time in ms. */
  async function message(thread?: string): Promise<{ readonly thread: string; readonly ms: number }> {
    const request = new Promise<number>((resolve) => {
      arrived = () => resolve(performance.now());
    });
    const sentAt = performance.now();
    const said = person.say("What is the time in Lisbon? ".repeat(10), thread);
    const [at, where] = await Promise.all([request, said]);
    await until(async () => (await sql.query(UNSETTLED)).length === 0, { what: "the run is settled" });
    await pause(REST_MS);
    return { thread: where, ms: at - sentAt };
  }

  let known = (await message()).thread;
  /** A thread with 50 entries, as in the reference. */
  async function newKnownThread(): Promise<void> {
    known = (await message()).thread;
    for (let entries = 2; entries < 50; entries += 2) await message(known);
  }
  async function p50(measure: () => Promise<{ readonly ms: number }>): Promise<number> {
    const times: number[] = [];
    for (let count = 0; count < MESSAGES; count++) times.push((await measure()).ms);
    return medianOf(times);
  }

  const bare = stack.use(
    await openBareTrips({ ...database, redisUrl: (await world.newRedis()).url }, MESSAGES),
  );
  world.note(`${MESSAGES} messages at a time`);
  for (let count = 0; count < WARM_UPS; count++) await message();
  await newKnownThread();
  await bare.measure();
  const [inKnown, inNew, trips] = await inTurn(world.pairs, [
    () => p50(() => message(known)),
    () => p50(() => message()),
    () => bare.measure(),
  ]);
  const parts = Object.keys(trips[0] ?? {}).map(
    (name) => `${name} ${medianOf(trips.map((trip) => trip[name] ?? 0)).toFixed(2)}`,
  );
  world.note(`round trips, ms: ${parts.join(", ")}`);
  const sums = trips.map((trip) => Object.values(trip).reduce((sum, ms) => sum + ms, 0));
  const reference = { name: "sum of bare round trips", samples: sums };
  const bounds = { target: "<= 1.4", limit: "1.9" };
  return [
    { id: "B2", what: "first request, known thread, p50 ms", product: inKnown, reference, ...bounds },
    { id: "B2", what: "first request, new thread, p50 ms", product: inNew, reference, ...bounds },
  ];
}

export const firstRequest: Benchmark = { name: "first-request", run };
