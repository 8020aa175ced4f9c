// Bobbin on the local Slack in each way in which it is run: one process or several, embedded or on servers, over a socket or HTTP.
import { expect } from "vitest";
import { openEmbedded } from "../../src/adapters/postgres/embedded.ts";
import { openPostgres } from "../../src/adapters/postgres/pool.ts";
import type { Tool } from "../../src/core/agent/tool.ts";
import type { Sql } from "../../src/adapters/postgres/sql.ts";
import type { AccessRules } from "../../src/core/access/rules.ts";
import type { Role } from "../../src/app.ts";
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
import { createLocalSlack, type LocalSlack, type LocalSlackOptions } from "../support/slack/local-slack.ts";
import type { SeenMessage } from "../support/slack/seen.ts";
import { until } from "../support/until.ts";

export interface SlackWorldOptions {
  readonly over: "socket" | "http";
  /** `embedded`: one process with its own database in a folder. */
  readonly parts: "embedded" | "start" | readonly Exclude<Role, "start">[];
  /** Default: within the test. */
  readonly as?: "processes";
  /** Instead of a fresh corner of the servers that all tests share. */
  readonly databaseUrl?: string;
  readonly redisUrl?: string;
  readonly slack?: LocalSlackOptions;
  readonly llm?: FakeLlmOptions;
  /** What the agent can do besides; only within the test. */
  readonly tools?: readonly Tool[];
  /** Who may use the bot; only within the test. */
  readonly access?: (slack: LocalSlack) => Partial<AccessRules>;
  /** The web chat is there as well. */
  readonly webChat?: true;
}

export interface SlackWorld extends AsyncDisposable {
  readonly slack: LocalSlack;
  readonly llm: FakeLlm;
  /** Of the processes that take messages in, in their order. */
  readonly urls: readonly string[];
  /** Only `as` processes; in the order of `parts`. */
  readonly processes: readonly ProductProcess[];
  add(role: Role): Promise<void>;
  /** Ends the product and opens what it has stored. */
  ended(): Promise<Sql>;
  /** What `/readyz` of those who take messages in names as missing. */
  missing(): Promise<readonly string[]>;
  /** What the bot shows in the thread, waited for until there are so many messages and none of them can still grow. */
  settled(thread: ThreadOf, count: number): Promise<readonly SeenMessage[]>;
  /** The first message of the bot that shows this. */
  shows(thread: ThreadOf, text: string | RegExp): Promise<SeenMessage>;
  replies(thread: ThreadOf): readonly SeenMessage[];
  /** What only this person sees there, once there is so much of it. */
  whispers(thread: ThreadOf, person: { readonly id: string }, count: number): Promise<readonly string[]>;
  /** What must hold after whatever happened: nothing of the bot outside of threads, nothing that Slack or people would punish. */
  expectPeace(): void;
}

export interface ThreadOf {
  readonly channel: string;
  readonly root: string;
}

/** A job lock of two seconds: a run whose worker died is taken up sooner than in production. */
const TIMES = { jobLockMs: 2_000, stalledCheckMs: 500 };
const LIMIT_MS = 60_000;
/** Attempts after the first: Slack's own pauses are minutes. */
const RETRIES_MS = [50, 200, 1_000];

export async function openSlackWorld(options: SlackWorldOptions): Promise<SlackWorld> {
  const { over, parts } = options;
  await using building = new AsyncDisposableStack();
  const slack = building.use(await createLocalSlack({ retryDelaysMs: RETRIES_MS, ...options.slack }));
  const llm = await createFakeLlm(options.llm);
  building.defer(() => llm.close());
  const store = await storeFor(building, options);
  const env: Environment = {
    ...store.env,
    OPENAI_BASE_URL: llm.url,
    MODEL: "fake",
    ...(options.webChat ? { WEB_CHAT: "on" } : {}),
    SLACK_BOT_TOKEN: slack.app.botToken,
    SLACK_API_URL: slack.slackApiUrl,
    ...(over === "socket"
      ? { SLACK_APP_TOKEN: slack.app.appToken }
      : { SLACK_SIGNING_SECRET: slack.app.signingSecret }),
  };
  const running = building.use(new AsyncDisposableStack());
  const processes: ProductProcess[] = [];
  const world = { times: TIMES, ...(options.tools === undefined ? {} : { tools: options.tools }) };
  const urls: string[] = [];

  async function add(role: Role): Promise<void> {
    let url: string;
    if (options.as === "processes") {
      const process = running.use(spawnProduct(role, env));
      processes.push(process);
      url = await process.ready();
    } else {
      url = running.use(await startProduct(role, env, world, {}, options.access?.(slack))).url;
    }
    if (role === "worker") return;
    urls.push(url);
    if (over === "http") slack.useHttp(`${url}/slack/events`);
  }

  const roles: readonly Role[] = typeof parts === "string" ? ["start"] : parts;
  for (const role of roles) await add(role);

  /** Complaints that were told already. */
  let told = 0;
  const isBots = ({ userId }: SeenMessage): boolean => userId === slack.app.botUserId;
  const replies = ({ channel, root }: ThreadOf): readonly SeenMessage[] =>
    slack.thread(channel, root).filter(isBots);
  const stack = building.move();
  return {
    slack,
    llm,
    urls,
    processes,
    add,
    async ended() {
      await running.disposeAsync();
      return stack.adopt(await store.open(), (sql) => sql.close());
    },
    async missing() {
      const answers = await Promise.all(urls.map((url) => fetch(`${url}/readyz`)));
      const told = await Promise.all(
        answers.map(async (answer) => (await answer.json()) as { missing: readonly { name: string }[] }),
      );
      return told.flatMap(({ missing }) => missing.map(({ name }) => name));
    },
    replies,
    settled: (thread, count) =>
      until(
        () => {
          const shown = replies(thread);
          const mayGrow = shown.some(({ controls }) =>
            controls.some(({ actionId }) => actionId === "bobbin_stop"),
          );
          const isIdle = slack.statusLine(thread.channel, thread.root) === "";
          return shown.length >= count && !mayGrow && isIdle ? shown : undefined;
        },
        { timeoutMs: LIMIT_MS, what: `the thread shows ${count} settled messages` },
      ),
    shows: (thread, text) =>
      until(
        () =>
          replies(thread).find((one) =>
            typeof text === "string" ? one.text.includes(text) : text.test(one.text),
          ),
        {
          timeoutMs: LIMIT_MS,
          what: `the thread shows ${String(text)}`,
        },
      ),
    async whispers({ channel, root }, as, count) {
      const seen = (): readonly SeenMessage[] =>
        slack.thread(channel, root, { as }).filter((one) => one.ephemeralTo === as.id);
      await until(() => seen().length >= count, { what: `somebody is told ${count} things` });
      return seen().map(({ text }) => text);
    },
    expectPeace() {
      const strays = slack.botOutsideOfThreads().map(({ text }) => `outside of any thread: ${text}`);
      const complaints = [...slack.complaints, ...llm.complaints];
      const problems = [...complaints.slice(told), ...strays];
      told = complaints.length;
      if (slack.unusedFaults > 0) problems.push(`${slack.unusedFaults} faults that nobody met`);
      if (llm.unused > 0) problems.push(`${llm.unused} scripted answers that nobody asked for`);
      slack.clearFaults();
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

async function storeFor(stack: AsyncDisposableStack, options: SlackWorldOptions): Promise<Store> {
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
