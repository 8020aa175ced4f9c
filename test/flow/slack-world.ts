// Bobbin on the local Slack in each way in which it is run: one process or several, embedded or on servers, over a socket or HTTP.
import type { Tool } from "../../src/core/agent/tool.ts";
import type { Sql } from "../../src/adapters/postgres/sql.ts";
import type { AccessRules } from "../../src/core/access/rules.ts";
import type { Role } from "../../src/app.ts";
import { createFakeLlm, type FakeLlm } from "../support/fake-llm/server.ts";
import { spawnProduct, startProduct, type Environment, type ProductProcess } from "../support/product.ts";
import { createLocalSlack, type LocalSlack, type LocalSlackOptions } from "../support/slack/local-slack.ts";
import type { SeenMessage } from "../support/slack/seen.ts";
import { until } from "../support/until.ts";
import { missingAt, peaceOn, rolesOf, showing, storeFor, type WorldOptions } from "./world.ts";

export interface SlackWorldOptions extends WorldOptions {
  readonly over: "socket" | "http";
  readonly slack?: LocalSlackOptions;
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

/** Attempts after the first: Slack's own pauses are minutes. */
const RETRIES_MS = [50, 200, 1_000];

export async function openSlackWorld(options: SlackWorldOptions): Promise<SlackWorld> {
  const { over } = options;
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
  const world = options.tools === undefined ? {} : { tools: options.tools };
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

  for (const role of rolesOf(options)) await add(role);

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
      // In order: people see an answer a moment before its end is stored.
      for (const process of processes) process.kill("SIGTERM");
      await Promise.all(processes.map(({ exited }) => exited));
      await running.disposeAsync();
      return stack.adopt(await store.open(), (sql) => sql.close());
    },
    missing: () => missingAt(urls),
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
        { what: `the thread shows ${count} settled messages` },
      ),
    shows: (thread, text) => showing(() => replies(thread), text),
    async whispers({ channel, root }, as, count) {
      const seen = (): readonly SeenMessage[] =>
        slack.thread(channel, root, { as }).filter((one) => one.ephemeralTo === as.id);
      await until(() => seen().length >= count, { what: `somebody is told ${count} things` });
      return seen().map(({ text }) => text);
    },
    expectPeace: peaceOn(slack, llm),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
