/** B1: what a signed event of Slack's costs until it is durable and acknowledged. */

import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { spawnProduct } from "../test/support/product.ts";
import { until } from "../test/support/until.ts";
import { createBareTables } from "./bare-store.ts";
import { inTurn, type Benchmark, type BenchWorld, type Bounds, type Comparison } from "./comparison.ts";
import { ensurePeers } from "./peers.ts";
import { cpuMsOf } from "./process-figures.ts";
import { startProgram } from "./program.ts";
import type { BareInboundAnswer, BareInboundOptions } from "./programs/bare-inbound.ts";
import type { ChatSdkOptions } from "./programs/chat-sdk.ts";
import { createSender, openSlackPlace, type SlackPlace } from "./slack-place.ts";

const WARM_UPS = 2;
/** For what a process still does after its last answer. */
const REST_MS = 200;

/** A server that takes events, and how to wait until it has done with all of them. */
interface Taker {
  readonly pid: number;
  readonly url: string;
  done?(events: number): Promise<void>;
}

async function run(world: BenchWorld): Promise<readonly Comparison[]> {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(await openSlackPlace());
  const events = world.length === "full" ? 5_000 : 1_500;
  const takers = [
    await gateway(world, place, stack),
    await bare(world, place, stack, "in the same process"),
    await bare(world, place, stack, "none"),
  ];
  if (await ensurePeers(world.note)) takers.push(await chatSdk(world, place, stack));
  for (const { pid } of takers) world.pin(pid);

  world.note(`${events} events over 50 connections`);
  const measures = takers.map((taker) => {
    const sender = stack.use(createSender(taker.url));
    const channel = place.newChannel();
    let sent = 0;
    return async (): Promise<number> => {
      const texts = Array.from({ length: events }, (_, index) => `what is the time in place ${index}?`);
      const requests = place.mentions(texts, () => channel);
      const before = cpuMsOf(taker.pid);
      await sender.send(requests);
      await taker.done?.((sent += events));
      await pause(REST_MS);
      return ((cpuMsOf(taker.pid) - before) * 1000) / events;
    };
  });
  await inTurn(WARM_UPS, measures);
  const [ours = [], working = [], storing = [], peer] = await inTurn(world.pairs, measures);
  const against = (name: string, samples: readonly number[], bounds?: Bounds): Comparison => ({
    id: "B1",
    what: "CPU per signed event, µs",
    product: ours,
    reference: { name, samples },
    ...(bounds === undefined ? {} : { bounds }),
  });
  const bounds = { of: "ratio", better: "less" } as const;
  const found = [
    against("row, job, answer; its job is taken up", working, { ...bounds, target: 1.15, limit: 1.5 }),
    against("row, job, answer", storing),
  ];
  // Its handler is counted, as it has no place to leave the event: it answers first, and keeps nothing.
  if (peer !== undefined)
    found.push(against("Chat SDK, Redis state", peer, { ...bounds, target: 0.75, limit: 0.75 }));
  return found;
}

async function gateway(world: BenchWorld, place: SlackPlace, stack: AsyncDisposableStack): Promise<Taker> {
  const [database, redis] = await Promise.all([world.newDatabase(), world.newRedis()]);
  const product = stack.use(
    spawnProduct("gateway", { DATABASE_URL: database.url, REDIS_URL: redis.url, ...place.env }),
  );
  return { pid: product.pid, url: await product.ready() };
}

async function bare(
  world: BenchWorld,
  place: SlackPlace,
  stack: AsyncDisposableStack,
  worker: BareInboundOptions["worker"],
): Promise<Taker> {
  const [database, redis] = await Promise.all([world.newDatabase(), world.newRedis()]);
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  await createBareTables(pool);
  await pool.end();
  const { signingSecret } = place.slack.app;
  const servers = { databaseUrl: database.url, redisUrl: redis.url };
  const options: BareInboundOptions = { ...servers, signingSecret, worker };
  const taker = await startTaker("bare-inbound", options, stack);
  return worker === "none" ? { pid: taker.pid, url: taker.url } : taker;
}

async function chatSdk(world: BenchWorld, place: SlackPlace, stack: AsyncDisposableStack): Promise<Taker> {
  const { botToken, signingSecret } = place.slack.app;
  const { url: redisUrl } = await world.newRedis();
  const options: ChatSdkOptions = { redisUrl, apiUrl: place.slack.slackApiUrl, botToken, signingSecret };
  return startTaker("chat-sdk", options, stack);
}

/** A program that tells its address, and how many events it has handled. */
async function startTaker(name: string, options: object, stack: AsyncDisposableStack): Promise<Taker> {
  const file = new URL(`./programs/${name}.ts`, import.meta.url);
  const program = stack.use(await startProgram(file, [JSON.stringify(options)]));
  const look = (): Promise<BareInboundAnswer> => program.ask<BareInboundAnswer>({});
  return {
    pid: program.pid,
    url: (await look()).url,
    async done(events) {
      await until(async () => (await look()).handled >= events, {
        timeoutMs: 60_000,
        everyMs: 50,
        what: `${name} has handled every event`,
      });
    },
  };
}

export const inbound: Benchmark = { name: "inbound", run };
