/** The product and the skeleton as processes that answer mentions from a local Slack each, to be measured side by side. */

import pg from "pg";
import { openPostgres } from "../src/adapters/postgres/pool.ts";
import { spawnProduct } from "../test/support/product.ts";
import { until } from "../test/support/until.ts";
import { createBareTables } from "./bare-store.ts";
import type { BenchWorld } from "./comparison.ts";
import { startProgram } from "./program.ts";
import type { SkeletonAnswer, SkeletonOptions } from "./programs/skeleton.ts";
import { createSender, openSlackPlace, type Sender, type SlackPlace } from "./slack-place.ts";

export interface WholeBot {
  readonly pid: number;
  readonly place: SlackPlace;
  readonly sender: Sender;
  /** Resolves when so many runs have ended, counted from the bot's start. */
  ended(runs: number): Promise<void>;
}

export interface WholeBotOptions {
  /** Base URL of the model. */
  readonly modelUrl: string;
  /** Runs at once. */
  readonly concurrency: number;
}

const ENDED = {
  name: "bench-ended",
  text: "select count(*)::integer as runs from runs where reply = 'settled'",
};
const ENDS_WITHIN_MS = 120_000;

/** In one process, over Postgres and Redis. */
export async function startProductBot(
  world: BenchWorld,
  options: WholeBotOptions,
  stack: AsyncDisposableStack,
): Promise<WholeBot> {
  const place = stack.use(await openSlackPlace());
  const [database, redis] = await Promise.all([world.newDatabase(), world.newRedis()]);
  const product = stack.use(
    spawnProduct("start", {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      OPENAI_BASE_URL: options.modelUrl,
      MODEL: "fake",
      WORKER_CONCURRENCY: `${options.concurrency}`,
      ...place.env,
    }),
  );
  const url = await product.ready();
  world.pin(product.pid);
  const sql = openPostgres({ url: database.url, connections: 1 });
  stack.defer(() => sql.close());
  return {
    pid: product.pid,
    ...connected(place, url, stack),
    async ended(runs) {
      const enough = async (): Promise<boolean> => {
        const [row] = await sql.query<{ runs: number }>(ENDED);
        return row !== undefined && row.runs >= runs;
      };
      await until(enough, { timeoutMs: ENDS_WITHIN_MS, what: `${runs} runs are settled` });
    },
  };
}

export async function startSkeletonBot(
  world: BenchWorld,
  options: WholeBotOptions,
  stack: AsyncDisposableStack,
): Promise<WholeBot> {
  const place = stack.use(await openSlackPlace());
  const [database, redis] = await Promise.all([world.newDatabase(), world.newRedis()]);
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  await createBareTables(pool);
  await pool.end();
  const { signingSecret, botToken } = place.slack.app;
  const settings: SkeletonOptions = {
    databaseUrl: database.url,
    redisUrl: redis.url,
    apiUrl: place.slack.slackApiUrl,
    signingSecret,
    botToken,
    ...options,
  };
  const program = stack.use(
    await startProgram(new URL("./programs/skeleton.ts", import.meta.url), [JSON.stringify(settings)]),
  );
  world.pin(program.pid);
  const look = (): Promise<SkeletonAnswer> => program.ask<SkeletonAnswer>({});
  return {
    pid: program.pid,
    ...connected(place, (await look()).url, stack),
    async ended(runs) {
      const enough = async (): Promise<boolean> => (await look()).handled >= runs;
      await until(enough, { timeoutMs: ENDS_WITHIN_MS, what: `the skeleton has ended ${runs} runs` });
    },
  };
}

function connected(
  place: SlackPlace,
  url: string,
  stack: AsyncDisposableStack,
): Pick<WholeBot, "place" | "sender"> {
  // The bot hears of its own messages too, as on Slack.
  place.slack.useHttp(`${url}/slack/events`);
  return { place, sender: stack.use(createSender(url)) };
}
