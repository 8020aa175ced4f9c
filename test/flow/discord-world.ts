// Bobbin on the local Discord in each way in which it is run: one process or several, embedded or on servers.
import type { IdentifyTimes } from "../../src/adapters/discord/identify-pace.ts";
import type { Sql } from "../../src/adapters/postgres/sql.ts";
import type { AccessRules } from "../../src/core/access/rules.ts";
import type { Role } from "../../src/app.ts";
import {
  createLocalDiscord,
  type LocalDiscord,
  type LocalDiscordOptions,
} from "../support/discord/local-discord.ts";
import type { SeenMessage } from "../support/discord/seen.ts";
import { createFakeLlm, type FakeLlm } from "../support/fake-llm/server.ts";
import { spawnProduct, startProduct, type Environment, type ProductProcess } from "../support/product.ts";
import { until } from "../support/until.ts";
import { missingAt, peaceOn, rolesOf, showing, storeFor, type WorldOptions } from "./world.ts";

export interface DiscordWorldOptions extends WorldOptions {
  readonly discord?: LocalDiscordOptions;
  /** Who may use the bot; only within the test. */
  readonly access?: (discord: LocalDiscord) => Partial<AccessRules>;
  /** The pause between two entries to the gateway, shorter unless said, and the longest of them. */
  readonly identify?: IdentifyTimes;
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
  /** What is stored, beside the product; not where it has its own database. */
  sql(): Promise<Sql>;
  /** Ends the product and opens what it has stored. */
  ended(): Promise<Sql>;
  /** What `/readyz` of those who take messages in says is missing. */
  missing(): Promise<readonly string[]>;
  /** What `/readyz` of one of them says; of the first unless said. */
  readiness(at?: Pick<Running, "url">): Promise<string>;
  /** How often the model was asked about this. */
  askedAbout(words: string): number;
  /** What the bot shows in the thread, waited for until there are so many messages and none of them can still grow. */
  settled(thread: string, count: number): Promise<readonly SeenMessage[]>;
  shows(thread: string, text: string | RegExp): Promise<SeenMessage>;
  replies(thread: string): readonly SeenMessage[];
  /** What must hold after whatever happened: nothing of the bot outside of threads, nothing that Discord or people would punish. */
  expectPeace(): void;
}

/** Who is started again is in the gateway a tenth of the usual time later; what is sent so far apart may arrive closer together. */
export const IDENTIFIES = { apartMs: 500, onTheWayMs: 300 };

export async function openDiscordWorld(options: DiscordWorldOptions): Promise<DiscordWorld> {
  await using building = new AsyncDisposableStack();
  const discord = building.use(
    await createLocalDiscord({
      ...options.discord,
      identifies: { apartMs: IDENTIFIES.apartMs - IDENTIFIES.onTheWayMs, ...options.discord?.identifies },
    }),
  );
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
      const app = await startProduct(
        role,
        env,
        { times: { identify: { apartMs: IDENTIFIES.apartMs, ...options.identify } } },
        {},
        options.access?.(discord),
      );
      part = { role, process: undefined, url: app.url, stop: () => app.stop() };
    }
    running.push(part);
    return part;
  }

  for (const role of rolesOf(options)) await start(role);

  const replies = (thread: string): readonly SeenMessage[] =>
    discord.shown(thread).filter(({ authorId }) => authorId === discord.botId);
  const stack = building.move();
  return {
    discord,
    llm,
    running,
    start,
    stopAll,
    sql: async () => stack.adopt(await store.open(), (sql) => sql.close()),
    async ended() {
      // In order: people see an answer a moment before its end is stored.
      for (const { process } of running) process?.kill("SIGTERM");
      await Promise.all(running.flatMap(({ process }) => process?.exited ?? []));
      await stopAll();
      return stack.adopt(await store.open(), (sql) => sql.close());
    },
    missing: () => missingAt(running.flatMap(({ role, url }) => (role === "worker" ? [] : [url]))),
    readiness: async (at = running[0]) => (await fetch(`${at?.url}/readyz`)).text(),
    askedAbout: (words) =>
      llm.requests.filter(({ body }) => JSON.stringify(body.messages.at(-1)).includes(words)).length,
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
        { what: `the thread shows ${count} settled messages` },
      ),
    shows: (thread, text) => showing(() => replies(thread), text),
    expectPeace: peaceOn(discord, llm),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
