// Slack as people have it: the product as processes, the local Slack, a fake model.
import { expect, test } from "vitest";
import { createFakeLlm } from "../support/fake-llm/server.ts";
import { spawnProduct, type Environment } from "../support/product.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { freshRedis } from "../support/services/redis.ts";
import { createLocalSlack, type LocalSlack } from "../support/slack/local-slack.ts";
import type { Channel } from "../support/slack/message.ts";
import { until } from "../support/until.ts";

async function places() {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await freshDatabase());
  const slack = stack.use(await createLocalSlack());
  const llm = await createFakeLlm({ talker: { firstMs: 20 } });
  stack.defer(() => llm.close());
  const env: Environment = {
    DATABASE_URL: database.url,
    OPENAI_BASE_URL: llm.url,
    MODEL: "fake",
    SLACK_BOT_TOKEN: slack.app.botToken,
    SLACK_API_URL: slack.slackApiUrl,
  };
  return { stack, slack, llm, env };
}

/** The bot's settled messages in a thread: those without a button to stop. */
function answers(slack: LocalSlack, channel: Channel, root: string, count: number) {
  return until(
    () => {
      const bots = slack.thread(channel, root).filter(({ userId }) => userId === slack.app.botUserId);
      const settled = bots.filter(({ controls }) =>
        controls.every(({ actionId }) => actionId !== "bobbin_stop"),
      );
      return settled.length >= count ? settled : undefined;
    },
    { timeoutMs: 20_000, what: `there are ${count} answers` },
  );
}

test("one process over a socket answers a mention in its thread, goes on without one, and keeps threads apart", async () => {
  const { stack, slack, llm, env } = await places();
  await using _ = stack;
  const bobbin = stack.use(spawnProduct("start", { ...env, SLACK_APP_TOKEN: slack.app.appToken }));
  await bobbin.ready();
  const ana = slack.person("Ana");
  const channel = slack.channel("general");

  ana.say(channel, "the budget is 7 herons");
  const before = ana.say(channel, "what do we do about the budget?");
  ana.say(channel, "I think it is too small", { thread: before });
  const asked = ana.say(channel, `${slack.botMention} first words`, { thread: before });
  const [first] = await answers(slack, channel, before.ts, 1);
  expect(first?.text).toContain("first words");
  expect(JSON.stringify(llm.requests.at(-1)?.body.messages)).toContain("too small");

  ana.say(channel, "second words", { thread: asked });
  const [, second] = await answers(slack, channel, before.ts, 2);
  expect(second?.text).toContain("second words");

  const other = ana.say(channel, `${slack.botMention} another matter`);
  await answers(slack, channel, other.ts, 1);
  expect(JSON.stringify(llm.requests.at(-1)?.body.messages)).not.toContain("second words");
  expect(slack.channelTop(channel).every(({ userId }) => userId === ana.id)).toBe(true);

  const direct = ana.dm("quietly");
  await answers(slack, ana.directChannel, direct.ts, 1);
  expect(slack.complaints).toEqual([]);
});

test("a gateway over HTTP and a worker on Redis answer a mention", async () => {
  const { stack, slack, env } = await places();
  await using _ = stack;
  const redis = stack.use(await freshRedis());
  const both = { ...env, REDIS_URL: redis.url, SLACK_SIGNING_SECRET: slack.app.signingSecret };
  const gateway = stack.use(spawnProduct("gateway", both));
  const worker = stack.use(spawnProduct("worker", both));
  const [url] = await Promise.all([gateway.ready(), worker.ready()]);
  slack.useHttp(`${url}/slack/events`);
  const ana = slack.person("Ana");
  const channel = slack.channel("general");
  const root = ana.say(channel, `${slack.botMention} over two processes`);
  expect(await root.delivered).toMatchObject([{ kind: "acknowledged" }, { kind: "acknowledged" }]);
  const [answer] = await answers(slack, channel, root.ts, 1);
  expect(answer?.text).toContain("over two processes");
  expect(slack.complaints).toEqual([]);
});

test("a token that Slack does not take ends the start with one sentence", async () => {
  const { stack, slack, env } = await places();
  await using _ = stack;
  const wrong = { ...env, SLACK_BOT_TOKEN: "xoxb-not-a-token", SLACK_APP_TOKEN: slack.app.appToken };
  const bobbin = stack.use(spawnProduct("start", wrong));
  expect(await bobbin.exited).toBe(1);
  expect(bobbin.output).toContain("Slack does not take SLACK_BOT_TOKEN (invalid_auth).");
});
