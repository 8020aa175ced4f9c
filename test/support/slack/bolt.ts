// The real Bolt and WebClient against a local Slack, for the tests of the local Slack itself.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { App, HTTPReceiver, LogLevel, SocketModeReceiver } from "@slack/bolt";
import { WebAPIPlatformError, WebClient } from "@slack/web-api";
import { until } from "../until.ts";
import type { LocalSlack } from "./local-slack.ts";

const clientOptions = (slack: LocalSlack) => ({
  slackApiUrl: slack.slackApiUrl,
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
  timeout: 5000,
});

export interface BoltOptions {
  /** Called before it starts. */
  readonly listen?: (app: App) => void;
  /** The time without a ping from Slack after which the app connects anew. Default 30 000. */
  readonly pingTimeoutMs?: number;
}

/** In socket mode, connected. */
export async function boltOnSocket(
  slack: LocalSlack,
  { listen, pingTimeoutMs }: BoltOptions = {},
): Promise<App & AsyncDisposable> {
  const openBefore = slack.sockets.open.length;
  const receiver = new SocketModeReceiver({
    appToken: slack.app.appToken,
    logLevel: LogLevel.ERROR,
    installerOptions: { clientOptions: clientOptions(slack) },
    // The pong timeout is also the pause before each new connection.
    clientPingTimeout: 500,
    ...(pingTimeoutMs === undefined ? {} : { serverPingTimeout: pingTimeoutMs }),
  });
  const app = new App({
    token: slack.app.botToken,
    receiver,
    convoStore: false,
    logLevel: LogLevel.ERROR,
    clientOptions: clientOptions(slack),
  });
  listen?.(app);
  await app.start();
  await until(() => slack.sockets.open.length > openBefore, { what: "the socket to be open" });
  return Object.assign(app, {
    // `stop` resolves before the socket is closed.
    async [Symbol.asyncDispose]() {
      const open = slack.sockets.open.length;
      await app.stop();
      await until(() => open === 0 || slack.sockets.open.length < open, { what: "the socket to be closed" });
    },
  });
}

/** Behind a request URL, which the local Slack uses from now on. */
export async function boltOnHttp(
  slack: LocalSlack,
  { listen }: BoltOptions = {},
): Promise<AsyncDisposable & { readonly url: string }> {
  const receiver = new HTTPReceiver({
    signingSecret: slack.app.signingSecret,
    logLevel: LogLevel.ERROR,
    endpoints: "/slack/events",
  });
  const app = new App({
    token: slack.app.botToken,
    receiver,
    convoStore: false,
    logLevel: LogLevel.ERROR,
    clientOptions: clientOptions(slack),
    deferInitialization: true,
  });
  listen?.(app);
  await app.init();
  const server = createServer((request, response) => receiver.requestListener(request, response));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
  slack.useHttp(url);
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

/** The token is the bot's, unless another one is given. */
export function webClient(slack: LocalSlack, token = slack.app.botToken): WebClient {
  return new WebClient(token, { ...clientOptions(slack), logLevel: LogLevel.ERROR });
}

/** The code that Slack refuses a call with, or `taken`. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "taken";
  } catch (error) {
    if (error instanceof WebAPIPlatformError) return error.data.error;
    throw error;
  }
}
