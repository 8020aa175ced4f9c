/** Runs in mid-stream that one worker has, and another worker that stands by: what a deploy and a crash find. */

import { spawnProduct, type ProductProcess } from "../test/support/product.ts";
import { until } from "../test/support/until.ts";
import { createWebPerson } from "../test/support/web-person.ts";
import type { BenchWorld } from "./comparison.ts";
import { startModelServer } from "./model-server.ts";

export interface HeldRuns {
  /** Who has all of them. */
  readonly holder: ProductProcess;
  /** Sends the holder the signal. Resolves when every run goes on elsewhere; ms from the signal to each one's next request. */
  takenOverAfter(signal: NodeJS.Signals): Promise<readonly number[]>;
}

/** Longer than what is measured takes. */
const MODEL_WAY = "slow/4000/20";
const TEXT = /run number (\d+)\b/;
const WITHIN_MS = 120_000;

/** Over a gateway and the web chat, Postgres and Redis. All of it ends with the stack. */
export async function openHeldRuns(
  world: BenchWorld,
  runs: number,
  stack: AsyncDisposableStack,
): Promise<HeldRuns> {
  /** When the model was asked, by the number of the run. */
  const asked = new Map<string, number[]>();
  const model = await startModelServer({
    onRequest(body) {
      const number = TEXT.exec(body)?.[1] ?? "";
      asked.set(number, [...(asked.get(number) ?? []), performance.now()]);
    },
  });
  stack.defer(() => model.close());
  const haveAsked = (times: number): boolean =>
    asked.size === runs && asked.values().every((all) => all.length >= times);
  const [database, redis] = await Promise.all([world.newDatabase(), world.newRedis()]);
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    OPENAI_BASE_URL: model.url(MODEL_WAY),
    MODEL: "fake",
    WEB_CHAT: "on",
    WORKER_CONCURRENCY: `${runs}`,
  };
  const start = async (role: string): Promise<ProductProcess> => {
    const started = stack.use(spawnProduct(role, env));
    await started.ready();
    return started;
  };
  const [gateway, holder] = await Promise.all([start("gateway"), start("worker")]);
  const person = createWebPerson(await gateway.ready());
  await Promise.all(Array.from({ length: runs }, (_, number) => person.say(`This is run number ${number}.`)));
  await until(() => haveAsked(1), { timeoutMs: WITHIN_MS, what: "all runs stream" });
  // Only now: it would have taken some of them.
  const next = await start("worker");
  world.pin(next.pid);
  return {
    holder,
    async takenOverAfter(signal) {
      const from = performance.now();
      holder.kill(signal);
      await until(() => haveAsked(2), { timeoutMs: WITHIN_MS, everyMs: 5, what: "all runs go on" });
      return asked
        .values()
        .map(([, second = Number.NaN]) => second - from)
        .toArray();
    },
  };
}
