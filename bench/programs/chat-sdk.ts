/** The Chat SDK with its Slack adapter and its Redis state, behind the HTTP server that Bobbin uses; its handler does nothing. */

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { serveQuestions } from "../program.ts";

export interface ChatSdkOptions {
  readonly redisUrl: string;
  readonly apiUrl: string;
  readonly botToken: string;
  readonly signingSecret: string;
}

/** The parts of the peers that are used: the peers are not installed where types are checked. */
interface Chat {
  onNewMention(handler: () => Promise<void>): void;
  initialize(): Promise<void>;
  readonly webhooks: {
    slack(request: Request, options: { waitUntil(work: Promise<unknown>): void }): Promise<Response>;
  };
}
type Named = Readonly<Record<string, unknown>>;

const options = JSON.parse(process.argv[2] ?? "{}") as ChatSdkOptions;

async function load<T>(name: string, part: string): Promise<T> {
  return ((await import(name)) as Named)[part] as T;
}

const [ChatClass, createSlackAdapter, createRedisState] = await Promise.all([
  load<new (config: Named) => Chat>("chat", "Chat"),
  load<(config: Named) => unknown>("@chat-adapter/slack", "createSlackAdapter"),
  load<(config: Named) => unknown>("@chat-adapter/state-redis", "createRedisState"),
]);

const { redisUrl, apiUrl, botToken, signingSecret } = options;
const chat = new ChatClass({
  userName: "bobbin",
  logger: "warn",
  // With room for all that comes: by default it drops what comes while it works.
  concurrency: { strategy: "queue", maxQueueSize: 1_000, queueEntryTtlMs: 600_000 },
  adapters: { slack: createSlackAdapter({ botToken, signingSecret, apiUrl }) },
  state: createRedisState({ url: redisUrl }),
});
let handled = 0;
chat.onNewMention(() => {
  handled++;
  return Promise.resolve();
});
await chat.initialize();

const server = createAdaptorServer({
  fetch: (request: Request) =>
    chat.webhooks.slack(request, {
      waitUntil: (work) => {
        work.catch((error: unknown) => console.error(error));
      },
    }),
}) as Server;
await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
serveQuestions<object>(() => Promise.resolve({ url, handled }));
