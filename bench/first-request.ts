/** B2: how long a person's message takes from the browser's request to the first request at the model, when nothing else goes on. */

import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { request } from "undici";
import { openPostgres } from "../src/adapters/postgres/pool.ts";
import { spawnProduct } from "../test/support/product.ts";
import { until } from "../test/support/until.ts";
import {
  inTurn,
  medianOf,
  quantileOf,
  type Benchmark,
  type BenchWorld,
  type Comparison,
} from "./comparison.ts";
import { startModelServer } from "./model-server.ts";
import { startProgram } from "./program.ts";

const MESSAGES = { short: 15, full: 20 } as const;
const WARM_UPS = 25;
/** After a run is settled its lease and its job still have to end: a message before that would wait for them. */
const REST_MS = 100;

const UNSETTLED = {
  name: "bench-unsettled",
  text: "select 1 as one from runs where reply <> 'settled' limit 1",
};

/** ms, by name. */
type Trip = Readonly<Record<string, number>>;

const KNOWN = "known thread";
const NEW = "new thread";

async function run(world: BenchWorld): Promise<readonly Comparison[]> {
  await using stack = new AsyncDisposableStack();
  let arrived = (): void => {};
  const model = await startModelServer({ onRequest: () => arrived() });
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
  const say = speakerAt(address);

  /** @param thread the one to write to; a new one unless given. @returns the thread, and the time in ms. */
  async function message(thread?: string): Promise<{ readonly thread: string; readonly ms: number }> {
    const requested = new Promise<number>((resolve) => {
      arrived = () => resolve(performance.now());
    });
    const sentAt = performance.now();
    const said = say("What is the time in Lisbon? ".repeat(10), thread);
    const [at, where] = await Promise.all([requested, said]);
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
  const echo = stack.use(await startProgram(new URL("./programs/echo.ts", import.meta.url), []));
  const { url: echoUrl } = await echo.ask<{ url: string }>({});
  const tripsAt = { url: (await world.newDatabase()).url, redisUrl: (await world.newRedis()).url, echoUrl };
  const bare = stack.use(
    await startProgram(new URL("./programs/trips.ts", import.meta.url), [JSON.stringify(tripsAt)]),
  );
  for (const { pid } of [gateway, worker, bare]) world.pin(pid);

  /** One of each by turns, so that all of them meet the same moments of the machine. */
  const all: Trip[] = [];
  async function pair(): Promise<Trip> {
    const times: Trip[] = [];
    for (let count = 0; count < MESSAGES[world.length]; count++) {
      const [inKnown, inNew] = [await message(known), await message()];
      times.push({ [KNOWN]: inKnown.ms, [NEW]: inNew.ms, ...(await bare.ask<Trip>({})) });
    }
    all.push(...times);
    const names = Object.keys(times[0] ?? {});
    return Object.fromEntries(names.map((name) => [name, medianOf(of(name, times))]));
  }

  world.note(`${MESSAGES[world.length]} messages at a time`);
  for (let count = 0; count < WARM_UPS; count++) {
    await message();
    await bare.ask<Trip>({});
  }
  await newKnownThread();
  const [pairs] = await inTurn(world.pairs, [pair]);
  const isTrip = (name: string): boolean => name !== KNOWN && name !== NEW;
  const trips = Object.keys(pairs[0] ?? {}).filter(isTrip);
  const parts = trips.map((name) => `${name} ${medianOf(of(name, pairs)).toFixed(2)}`);
  world.note(`round trips, ms: ${parts.join(", ")}`);
  const sums = pairs.map((times) => trips.reduce((sum, name) => sum + (times[name] ?? Number.NaN), 0));
  return [KNOWN, NEW].flatMap((thread): Comparison[] => [
    {
      id: "B2",
      what: `first request, ${thread}, p50 ms`,
      product: of(thread, pairs),
      reference: { name: "sum of bare round trips", samples: sums },
      bounds: { of: "ratio", better: "less", target: 1.4, limit: 1.9 },
    },
    {
      id: "B2",
      what: `first request, ${thread}, p99 ms`,
      product: [quantileOf(of(thread, all), 0.99)],
      reference: { name: "its own p50", samples: [medianOf(of(thread, all))] },
      bounds: { of: "ratio", better: "less", target: 6, limit: 6 },
    },
  ]);
}

/**
 * What a browser sends, by the client of the bare round trips and on a connection that is kept, as theirs: what a client costs is no
 * part of what is compared.
 */
function speakerAt(address: string): (text: string, thread?: string) => Promise<string> {
  const cookie = `bobbin_person=${randomBytes(10).toString("hex")}`;
  return async (text, thread) => {
    const message = { id: randomBytes(10).toString("hex"), text, ...(thread !== undefined && { thread }) };
    const { statusCode, body } = await request(`${address}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify(message),
    });
    const answer = (await body.json()) as { readonly thread?: string; readonly error?: string };
    if (statusCode !== 200 || answer.thread === undefined) throw new Error(answer.error ?? `${statusCode}`);
    return answer.thread;
  };
}

const of = (name: string, times: readonly Trip[]): number[] => times.map((trip) => trip[name] ?? Number.NaN);

export const firstRequest: Benchmark = { name: "first-request", run };
