/** B2: how long a person's message takes from the browser's request to the first request at the model, when nothing else goes on. */

import { setTimeout as pause } from "node:timers/promises";
import { openPostgres } from "../src/adapters/postgres/pool.ts";
import { spawnProduct } from "../test/support/product.ts";
import { until } from "../test/support/until.ts";
import { createWebPerson } from "../test/support/web-person.ts";
import { inTurn, medianOf, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { openBareTrips } from "./first-request-reference.ts";
import { startModelServer } from "./model-server.ts";

const MESSAGES = 20;
const WARM_UPS = 25;
/** After a run is settled its lease and its job still have to end: a message before that would wait for them. */
const REST_MS = 100;

const UNSETTLED = {
  name: "bench-unsettled",
  text: "select 1 as one from runs where reply <> 'settled' limit 1",
};

/** ms, by name. */
type Trip = Readonly<Record<string, number>>;

interface Pair {
  readonly inKnown: number;
  readonly inNew: number;
  readonly trips: Trip;
}

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
  const bare = stack.use(await openBareTrips({ ...database, redisUrl: (await world.newRedis()).url }));

  /** One of each by turns, so that all of them meet the same moments of the machine. */
  async function pair(): Promise<Pair> {
    const times: Trip[] = [];
    for (let count = 0; count < MESSAGES; count++) {
      const inKnown = (await message(known)).ms;
      const inNew = (await message()).ms;
      times.push({ inKnown, inNew, ...(await bare.measure()) });
    }
    const medianTrip = (name: string): number => medianOf(times.map((trip) => trip[name] ?? Number.NaN));
    const trips = Object.fromEntries(bare.trips.map((name) => [name, medianTrip(name)]));
    return { inKnown: medianTrip("inKnown"), inNew: medianTrip("inNew"), trips };
  }

  world.note(`${MESSAGES} messages at a time`);
  for (let count = 0; count < WARM_UPS; count++) {
    await message();
    await bare.measure();
  }
  await newKnownThread();
  const [pairs] = await inTurn(world.pairs, [pair]);
  const parts = bare.trips.map(
    (name) => `${name} ${medianOf(pairs.map(({ trips }) => trips[name] ?? Number.NaN)).toFixed(2)}`,
  );
  world.note(`round trips, ms: ${parts.join(", ")}`);
  const sums = pairs.map(({ trips }) => Object.values(trips).reduce((sum, ms) => sum + ms, 0));
  const inKnown = pairs.map((each) => each.inKnown);
  const inNew = pairs.map((each) => each.inNew);
  const reference = { name: "sum of bare round trips", samples: sums };
  const bounds = { target: "<= 1.4", limit: "1.9" };
  return [
    { id: "B2", what: "first request, known thread, p50 ms", product: inKnown, reference, ...bounds },
    { id: "B2", what: "first request, new thread, p50 ms", product: inNew, reference, ...bounds },
  ];
}

export const firstRequest: Benchmark = { name: "first-request", run };
