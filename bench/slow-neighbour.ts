/** B15: what one run whose tool computes for three seconds does to the 49 others of its worker. */

import { setTimeout as pause } from "node:timers/promises";
import { openPostgres } from "../src/adapters/postgres/pool.ts";
import { spawnProduct } from "../test/support/product.ts";
import { until } from "../test/support/until.ts";
import { createWebPerson } from "../test/support/web-person.ts";
import { inTurn, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { startModelServer } from "./model-server.ts";
import { startProgram } from "./program.ts";
import type { LoopAnswer } from "./programs/burning-worker.ts";

const OTHERS = 49;
const WINDOW_MS = 5_000;
/** Longer than all windows take. */
const MODEL_WAY = "slow/9000/20";

async function run(world: BenchWorld): Promise<readonly Comparison[]> {
  await using stack = new AsyncDisposableStack();
  let asked = 0;
  const model = await startModelServer({ onRequest: () => asked++ });
  stack.defer(() => model.close());
  model.tell(MODEL_WAY);
  const [database, redis] = await Promise.all([world.newDatabase(), world.newRedis()]);
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    OPENAI_BASE_URL: model.url("told"),
    MODEL: "fake",
    WEB_CHAT: "on",
  };
  const gateway = stack.use(spawnProduct("gateway", env));
  const file = new URL("./programs/burning-worker.ts", import.meta.url);
  const worker = stack.use(await startProgram(file, [JSON.stringify(env)]));
  world.pin(worker.pid);
  const sql = openPostgres({ url: database.url, connections: 1 });
  stack.defer(() => sql.close());
  const person = createWebPerson(await gateway.ready());
  await Promise.all(Array.from({ length: OTHERS }, (_, at) => person.say(`run number ${at}`)));
  await until(() => asked === OTHERS, { timeoutMs: 60_000, what: "the others stream" });
  world.note(`${OTHERS} streams, and one tool of 3 s beside them`);

  /** @param tool what the neighbour calls; nothing for none. */
  async function window(tool?: string): Promise<LoopAnswer> {
    await pause(1_000);
    await worker.ask<LoopAnswer>({});
    if (tool !== undefined) {
      model.tell(`call/5/${tool}`);
      const thread = await person.say("compute");
      await pause(WINDOW_MS);
      const found = await worker.ask<LoopAnswer>({});
      await person.replies(thread, 1);
      return found;
    }
    await pause(WINDOW_MS);
    return worker.ask<LoopAnswer>({});
  }
  const lostIn = async (): Promise<number> => {
    const [row] = await sql.query<{ lost: number }>({
      text: "select count(*)::integer as lost from attempts where ended in ('lost', 'crashed') or ended = 'handed_over'",
    });
    return row?.lost ?? Number.NaN;
  };

  const [alone, inThread, here] = await inTurn(world.pairs, [
    () => window(),
    () => window("compute_in_thread"),
    () => window("compute_here"),
  ]);
  const lost = await lostIn();
  const reference = { name: `the ${OTHERS} alone`, samples: alone.map(({ p99 }) => p99) };
  return [
    {
      id: "B15",
      what: "lateness of timers beside a tool that computes in a thread, p99 ms",
      product: inThread.map(({ p99 }) => p99),
      reference,
      bounds: { of: "ratio", better: "less", target: 1.5, limit: 3 },
    },
    {
      id: "B15",
      what: "lateness of timers beside a tool that computes in the worker's own, p99 ms",
      product: here.map(({ p99 }) => p99),
      reference,
    },
    {
      id: "B15",
      what: "leases lost",
      product: [lost],
      reference: { name: "none", samples: [0] },
      bounds: { of: "figure", better: "less", target: 0, limit: 0 },
    },
  ];
}

export const slowNeighbour: Benchmark = { name: "slow-neighbour", run };
