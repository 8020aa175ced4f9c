// The local Slack held against the real SDKs: Bolt in socket mode and the WebClient.
import { App, LogLevel } from "@slack/bolt";
import { afterEach, expect, test } from "vitest";
import { createLocalSlack, type LocalSlack, type LocalSlackOptions } from "../support/slack/local-slack.ts";
import { until } from "../support/until.ts";

const open: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

async function localSlack(options?: LocalSlackOptions): Promise<LocalSlack> {
  const slack = await createLocalSlack(options);
  open.push(() => slack.close());
  return slack;
}

async function socketApp(slack: LocalSlack): Promise<App> {
  const app = new App({
    token: slack.app.botToken,
    appToken: slack.app.appToken,
    socketMode: true,
    convoStore: false,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: slack.slackApiUrl, retryConfig: { retries: 0 }, timeout: 5000 },
  });
  await app.start();
  open.push(async () => {
    await app.stop();
    await until(() => slack.sockets.open.length === 0, { what: "the socket to be closed" });
  });
  await until(() => slack.sockets.open.length === 1, { what: "the socket to be open" });
  return app;
}

const quiet = { unfurl_links: false, unfurl_media: false };

test("a mention arrives as two events about one message, and the answer stands in its thread", async () => {
  const slack = await localSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const app = await socketApp(slack);
  const heard: string[] = [];
  app.event("app_mention", async ({ event, client, body }) => {
    heard.push(`mention ${event.ts} ${body.event_id}`);
    await client.chat.postMessage({ channel: event.channel, thread_ts: event.ts, text: "Hello!", ...quiet });
  });
  app.message(async ({ event, body }) => void heard.push(`message ${event.ts} ${body.event_id}`));

  const said = ada.say(channel, `${slack.botMention} hello`);
  const outcomes = await said.delivered;
  await until(() => slack.thread(channel, said).length === 2, { what: "the answer" });

  expect(outcomes.map(({ kind }) => kind)).toEqual(["acknowledged", "acknowledged"]);
  expect(heard.map((line) => line.split(" ").slice(0, 2).join(" ")).sort()).toEqual([
    `mention ${said.ts}`,
    `message ${said.ts}`,
  ]);
  expect(new Set(heard.map((line) => line.split(" ")[2])).size).toBe(2);
  expect(slack.thread(channel, said).map(({ author, text }) => `${author}: ${text}`)).toEqual([
    `ada: @${slack.app.botUserId} hello`,
    "bobbin: Hello!",
  ]);
  expect(slack.channelTop(channel)).toHaveLength(1);
  expect(slack.complaints).toEqual([]);
});
