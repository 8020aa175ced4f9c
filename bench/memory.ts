/** B6: memory for each run that streams, many at once, in a worker as it is deployed. */

import { setTimeout as pause } from "node:timers/promises";
import { createNewId } from "../src/adapters/ids.ts";
import { createInbox } from "../src/adapters/postgres/inbox.ts";
import { openPostgres } from "../src/adapters/postgres/pool.ts";
import { createSystemClock } from "../src/adapters/system-clock.ts";
import { RedisConnections } from "../src/queue/connection.ts";
import { createRedisRunQueue } from "../src/queue/run-queue.ts";
import { message, newSession } from "../test/contract/store-samples.ts";
import type { Environment } from "../test/support/product.ts";
import { silentLog } from "../test/support/silent-log.ts";
import { until } from "../test/support/until.ts";
import { inTurn, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { rssOf } from "./process-figures.ts";
import { createLongSession } from "./long-session.ts";
import { startProgram, type Memory, type Program } from "./program.ts";
import type { ModelAnswer, ModelQuestion } from "./programs/model.ts";
import type { ReaderName, ReadQuestion } from "./programs/reader.ts";

const RUNS = 200;
const HISTORY = 50;
const PER_SECOND = 20;
/** How long each run streams, and after how long of it the memory is looked at: by then all stream, and go on. */
const LENGTHS = { short: { seconds: 6, plateauMs: 3_500 }, full: { seconds: 8, plateauMs: 5_000 } } as const;
/** As many runs before, so that code, pools and what a heap has grown to count to the process and not to the runs. */
const WARM_UP_WAY = "fast/100";
const SETTLE_MS = 500;

interface PerRun {
  /** With garbage. */
  readonly rss: number;
  /** Without. */
  readonly held: number;
}

const messages = Array.from({ length: HISTORY }, (_, index) => ({
  role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
  content: "word ".repeat(110),
}));

async function run(world: BenchWorld): Promise<readonly Comparison[]> {
  await using model = await startProgram(new URL("./programs/model.ts", import.meta.url), []);
  const { url } = await model.ask<ModelAnswer>({});
  world.note(`${RUNS} runs of ${LENGTHS[world.length].seconds} s at ${PER_SECOND} deltas a second`);
  const sides = [() => ofWorker(world, model), () => ofReader(world, "sdk", url)];
  if (world.length === "full") sides.push(() => ofReader(world, "hand", url));
  const [ours = [], bySdk = [], byHand] = await inTurn(world.pairs, sides);
  const comparison = (figure: keyof PerRun, name: string, theirs: readonly PerRun[]): Comparison => ({
    id: "B6",
    what: figure === "rss" ? `KB of memory a run, ${RUNS} at once` : `KB held a run, ${RUNS} at once`,
    product: ours.map((each) => each[figure]),
    reference: { name, samples: theirs.map((each) => each[figure]) },
    ...(name === SDK && figure === "rss"
      ? { bounds: { of: "ratio", better: "less", target: 0.55, limit: 1 } as const }
      : {}),
  });
  return (["rss", "held"] as const).flatMap((figure) => [
    comparison(figure, SDK, bySdk),
    ...(byHand === undefined ? [] : [comparison(figure, HAND, byHand)]),
  ]);
}

const SDK = "SDK iterator, no run around it";
const HAND = "parser by hand, no run around it";

const wayOf = ({ length }: BenchWorld): string =>
  `slow/${PER_SECOND * LENGTHS[length].seconds}/${PER_SECOND}`;

/** KB for each run over what the process held before, in the middle of the streams. */
async function growth(world: BenchWorld, program: Program, before: Memory): Promise<PerRun> {
  await pause(LENGTHS[world.length].plateauMs);
  // Before the garbage is collected: what an operator sees.
  const seen = rssOf(program.pid);
  const { held } = await program.memory();
  return { rss: (seen - before.rss) / RUNS / 1024, held: (held - before.held) / RUNS / 1024 };
}

async function ofReader(world: BenchWorld, name: ReaderName, url: string): Promise<PerRun> {
  await using reader = await startProgram(new URL("./programs/reader.ts", import.meta.url), [name]);
  world.pin(reader.pid);
  const read = (way: string): Promise<unknown> =>
    reader.ask({ url: `${url}${way}`, streams: RUNS, messages } satisfies ReadQuestion);
  await read(WARM_UP_WAY);
  const before = await reader.memory();
  const [found] = await Promise.all([growth(world, reader, before), read(wayOf(world))]);
  return found;
}

async function ofWorker(world: BenchWorld, model: Program): Promise<PerRun> {
  await using stack = new AsyncDisposableStack();
  const [database, redis] = await Promise.all([world.newDatabase(), world.newRedis()]);
  const clock = createSystemClock();
  const sql = openPostgres({ url: database.url });
  stack.defer(() => sql.close());
  const connections = new RedisConnections({ clock, log: silentLog }, redis);
  stack.defer(() => connections.close());
  const queue = createRedisRunQueue({ redis: connections, clock });
  const inbox = createInbox(sql);
  const newId = createNewId(clock);
  const env: Environment = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    OPENAI_BASE_URL: `${(await model.ask<ModelAnswer>({})).url}told`,
    MODEL: "fake",
    WORKER_CONCURRENCY: `${RUNS}`,
  };
  const worker = stack.use(
    await startProgram(new URL("./programs/worker.ts", import.meta.url), [JSON.stringify(env)]),
  );
  world.pin(worker.pid);
  const ring = async (): Promise<void> => {
    const sessions = Array.from({ length: RUNS }, newSession);
    for (const session of sessions) await createLongSession(sql, session, HISTORY);
    for (const session of sessions) {
      await inbox.put(message(session, "Go on.", { at: clock.now(), message: newId() }));
      await queue.wake(session);
    }
  };
  const settled = {
    text: "select 1 as one from runs where reply = 'settled' having count(*) >= $1::integer",
  };

  await model.ask({ way: WARM_UP_WAY } satisfies ModelQuestion);
  await ring();
  await until(async () => (await sql.query(settled, [RUNS])).length > 0, {
    timeoutMs: 60_000,
    what: "the first runs are settled",
  });
  await pause(SETTLE_MS);
  const before = await worker.memory();
  await model.ask({ way: wayOf(world) } satisfies ModelQuestion);
  await ring();
  return await growth(world, worker, before);
}

export const memory: Benchmark = { name: "memory", run };
