/** The local Slack as a place for load: mentions made ready beforehand, and sent as fast as they are taken. */

import { createHmac } from "node:crypto";
import { Pool } from "undici";
import type { Environment } from "../test/support/product.ts";
import {
  createLocalSlack,
  type LocalSlack,
  type LocalSlackOptions,
} from "../test/support/slack/local-slack.ts";
import type { Channel } from "../test/support/slack/message.ts";
import type { Payload } from "../test/support/slack/delivery.ts";

export interface SlackPlace extends AsyncDisposable {
  readonly slack: LocalSlack;
  /** The product's settings for it, over HTTP. */
  readonly env: Environment;
  newChannel(): Channel;
  /** Mentions of the bot that are in Slack already, and that the app has not heard of. */
  mentions(texts: readonly string[], channelOf: (index: number) => Channel): readonly SignedRequest[];
}

export interface SignedRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const EVENTS_PATH = "/slack/events";
/** As Slack's senders would keep them. */
const CONNECTIONS = 50;

export async function openSlackPlace(options: LocalSlackOptions = {}): Promise<SlackPlace> {
  // Whether the app is hasty is asked where it is asked; load is hasty.
  const slack = await createLocalSlack({ complaints: { posts: { burst: 1e9 } }, ...options });
  const people = Array.from({ length: 20 }, (_, index) => slack.person(`Person ${index}`));
  let channels = 0;
  return {
    slack,
    env: {
      SLACK_BOT_TOKEN: slack.app.botToken,
      SLACK_SIGNING_SECRET: slack.app.signingSecret,
      SLACK_API_URL: slack.slackApiUrl,
    },
    newChannel: () => slack.channel(`place-${channels++}`),
    mentions(texts, channelOf) {
      const held: Payload[] = [];
      slack.delivery.hold();
      for (const [index, text] of texts.entries()) {
        const words = `${slack.botMention} ${text}`;
        people[index % people.length]?.say(channelOf(index), words, { copies: "only the mention" });
      }
      slack.delivery.release((payloads) => {
        held.push(...payloads);
        return [];
      });
      return held.map(({ body }) => signed(JSON.stringify(body), slack.app.signingSecret));
    },
    [Symbol.asyncDispose]: () => slack.close(),
  };
}

function signed(body: string, secret: string): SignedRequest {
  const timestamp = `${Math.floor(Date.now() / 1000)}`;
  const signature = createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex");
  return {
    body,
    headers: {
      "content-type": "application/json",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${signature}`,
    },
  };
}

export interface Sender extends AsyncDisposable {
  /** All of them, over some kept connections. Rejects when one is not taken. */
  send(requests: readonly SignedRequest[]): Promise<void>;
}

/** @param address of the server that takes events. */
export function createSender(address: string): Sender {
  const pool = new Pool(new URL(address).origin, { connections: CONNECTIONS, pipelining: 1 });
  return {
    async send(requests) {
      await Promise.all(
        requests.map(async ({ body, headers }) => {
          const answer = await pool.request({ method: "POST", path: EVENTS_PATH, body, headers });
          const text = await answer.body.text();
          if (answer.statusCode !== 200)
            throw new Error(`an event was answered with ${answer.statusCode}: ${text}`);
        }),
      );
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
}
