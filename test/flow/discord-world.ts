// Bobbin on the local Discord in each way in which it is run: one process or several, embedded or on servers.
import { expect } from "vitest";
import { openEmbedded } from "../../src/adapters/postgres/embedded.ts";
import { openPostgres } from "../../src/adapters/postgres/pool.ts";
import type { Sql } from "../../src/adapters/postgres/sql.ts";
import type { AccessRules } from "../../src/core/access/rules.ts";
import type { Role } from "../../src/app.ts";
import {
  createLocalDiscord,
  type LocalDiscord,
  type LocalDiscordOptions,
} from "../support/discord/local-discord.ts";
import type { SeenMessage } from "../support/discord/seen.ts";
import { createFakeLlm, type FakeLlm, type FakeLlmOptions } from "../support/fake-llm/server.ts";
import {
  spawnProduct,
  startProduct,
  temporaryFolder,
  type Environment,
  type ProductProcess,
} from "../support/product.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { freshRedis } from "../support/services/redis.ts";
import { silentLog } from "../support/silent-log.ts";
import { until } from "../support/until.ts";

export interface DiscordWorldOptions {
  /** `embedded`: one process with its own database in a folder. */
  readonly parts: "embedded" | "start" | readonly Exclude<Role, "start">[];
  /** Default: within the test. */
  readonly as?: "processes";
  readonly databaseUrl?: string;
  readonly redisUrl?: string;
  readonly discord?: LocalDiscordOptions;
  readonly llm?: FakeLlmOptions;
  /** Who may use the bot; only within the test. */
  readonly access?: (discord: LocalDiscord) => Partial<AccessRules>;
  /** Before anything is started. */
  readonly prepare?: (discord: LocalDiscord) => void;
}

/** A part of the product that runs, in this process or in one of its own. */
export interface Running {
  readonly url: string;
  readonly process: ProductProcess | undefined;
  stop(): Promise<void>;
}

export interface DiscordWorld extends AsyncDisposable {
  readonly discord: LocalDiscord;
  readonly llm: FakeLlm;
  readonly running: readonly Running[];
  start(role: Role): Promise<Running>;
  stopAll(): Promise<void>;
  /** Ends the product and opens what it has stored. */
  ended(): Promise<Sql>;
  /** What `/readyz` of those who take messages in says is missing. */
  missing(): Promise<readonly string[]>;
  /** What the bot shows in the thread, waited for until there are so many messages and none of them can still grow. */
  settled(thread: string, count: number): Promise<readonly SeenMessage[]>;
  shows(thread: string, text: string | RegExp): Promise<SeenMessage>;
  replies(thread: string): readonly SeenMessage[];
  /** What must hold after whatever happened: nothing of the bot outside of threads, nothing that Discord or people would punish. */
  expectPeace(): void;
}

/** A job lock of two seconds: what died is taken up sooner than in production. */
const TIMES = { jobLockMs: 2_000, stalledCheckMs: 500 };
const LIMIT_MS = 60_000;

export async function openDiscordWorld(options: DiscordWorldOptions): Promise<DiscordWorld> {
  const { parts } = options;
  await using building = new AsyncDisposableStack();
  const discord = building.use(await createLocalDiscord(options.discord));
  options.prepare?.(discord);
  const llm = await createFakeLlm(options.llm);
  building.defer(() => llm.close());
  const store = await storeFor(building, options);
  const env: Environment = {
    ...store.env,
    OPENAI_BASE_URL: llm.url,
    MODEL: "fake",
    DISCORD_TOKEN: discord.token,
    DISCORD_CLIENT_ID: discord.applicationId,
    DISCORD_API_URL: discord.apiUrl,
  };
  const running: (Running & { readonly role: Role })[] = [];
  const stopAll = async (): Promise<void> => {
    for (const each of running.splice(0).toReversed()) await each.stop();
  };
  building.defer(stopAll);

  async function start(role: Role): Promise<Running> {
    let part: Running & { readonly role: Role };
    if (options.as === "processes") {
      const process = spawnProduct(role, env);
      part = { role, process, url: await process.ready(), stop: async () => process[Symbol.asyncDispose]() };
    } else {
      const app = await startProduct(role, env, { times: TIMES }, {}, options.access?.(discord));
      part = { role, process: undefined, url: app.url, stop: () => app.stop() };
    }
    running.push(part);
    return part;
  }

  const roles: readonly Role[] = typeof parts === "string" ? ["start"] : parts;
  for (const role of roles) await start(role);

  let told = 0;
  const replies = (thread: string): readonly SeenMessage[] =>
    discord.shown(thread).filter(({ authorId }) => authorId === discord.botId);
  const stack = building.move();
  return {
    discord,
    llm,
    running,
    start,
    stopAll,
    async ended() {
      await stopAll();
      return stack.adopt(await store.open(), (sql) => sql.close());
    },
    async missing() {
      const inlets = running.filter(({ role }) => role !== "worker");
      const answers = await Promise.all(inlets.map(({ url }) => fetch(`${url}/readyz`)));
      const lists = await Promise.all(
        answers.map(async (answer) => (await answer.json()) as { missing: readonly { name: string }[] }),
      );
      return lists.flatMap(({ missing }) => missing.map(({ name }) => name));
    },
    replies,
    settled: (thread, count) =>
      until(
        () => {
          const shown = replies(thread);
          const mayGrow = shown.some(({ buttons }) => buttons.some(({ label }) => label === "Stop"));
          // A page that is full loses its button before the next one is there; the last one has the small print of the end.
          const hasEnded = /^-# (?!.*…$)/m.test(shown.at(-1)?.content ?? "");
          return shown.length >= count && !mayGrow && hasEnded ? shown : undefined;
        },
        { timeoutMs: LIMIT_MS, what: `the thread shows ${count} settled messages` },
      ),
    shows: (thread, text) =>
      until(
        () =>
          replies(thread).find((one) =>
            typeof text === "string" ? one.text.includes(text) : text.test(one.text),
          ),
        { timeoutMs: LIMIT_MS, what: `the thread shows ${String(text)}` },
      ),
    expectPeace() {
      const strays = discord.botOutsideOfThreads().map(({ text }) => `outside of any thread: ${text}`);
      const complaints = [...discord.complaints, ...llm.complaints];
      const problems = [...complaints.slice(told), ...strays];
      told = complaints.length;
      if (discord.unusedFaults > 0) problems.push(`${discord.unusedFaults} faults that nobody met`);
      if (llm.unused > 0) problems.push(`${llm.unused} scripted answers that nobody asked for`);
      discord.clearFaults();
      expect(problems).toEqual([]);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

interface Store {
  readonly env: Environment;
  /** What was stored; only while no embedded process has it. */
  open(): Promise<Sql>;
}

async function storeFor(stack: AsyncDisposableStack, options: DiscordWorldOptions): Promise<Store> {
  const { parts } = options;
  if (parts === "embedded") {
    const { path } = stack.use(await temporaryFolder());
    return { env: { DATA_DIR: path }, open: () => openEmbedded({ directory: path, log: silentLog }) };
  }
  const databaseUrl = options.databaseUrl ?? stack.use(await freshDatabase()).url;
  const open = (): Promise<Sql> => Promise.resolve(openPostgres({ url: databaseUrl, log: silentLog }));
  if (parts === "start") return { env: { DATABASE_URL: databaseUrl }, open };
  const redisUrl = options.redisUrl ?? stack.use(await freshRedis()).url;
  return { env: { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl }, open };
}
