// Starting where Slack refuses the bot, or is not there yet.
import { expect, test } from "vitest";
import { spawnProduct } from "../support/product.ts";
import { createFakeLlm } from "../support/fake-llm/server.ts";
import { freePort } from "../support/services/free-port.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { createLocalSlack } from "../support/slack/local-slack.ts";
import { until } from "../support/until.ts";
import { createWebPerson } from "../support/web-person.ts";

test("a token that Slack does not take ends the start with one sentence", async () => {
  await using database = await freshDatabase();
  await using slack = await createLocalSlack();
  await using bobbin = spawnProduct("start", {
    DATABASE_URL: database.url,
    SLACK_BOT_TOKEN: "xoxb-not-a-token",
    SLACK_APP_TOKEN: slack.app.appToken,
    SLACK_API_URL: slack.slackApiUrl,
  });
  expect(await bobbin.exited).toBe(1);
  expect(bobbin.output).toContain("Slack does not take SLACK_BOT_TOKEN (invalid_auth).");
});

/** The tokens of a local Slack are the same each time. */
async function appOfSlack() {
  await using slack = await createLocalSlack();
  return slack.app;
}

test.each(["socket", "http"] as const)(
  "a Slack that is away at the start holds up neither the web chat nor the answers there; over %s it is answered when it comes",
  async (over) => {
    await using stack = new AsyncDisposableStack();
    const database = stack.use(await freshDatabase());
    const llm = await createFakeLlm();
    stack.defer(() => llm.close());
    const port = await freePort();
    const { botToken, appToken, signingSecret } = await appOfSlack();
    const bobbin = stack.use(
      spawnProduct("start", {
        DATABASE_URL: database.url,
        OPENAI_BASE_URL: llm.url,
        MODEL: "fake",
        WEB_CHAT: "on",
        SLACK_BOT_TOKEN: botToken,
        SLACK_API_URL: `http://127.0.0.1:${port}/api`,
        ...(over === "socket" ? { SLACK_APP_TOKEN: appToken } : { SLACK_SIGNING_SECRET: signingSecret }),
      }),
    );
    const url = await bobbin.ready();
    const eve = createWebPerson(url);
    const [answer] = await eve.replies(await eve.say("is anybody there?"), 1);
    expect(answer?.text).toContain("is anybody there?");
    const health = await fetch(`${url}/readyz`);
    expect(health.status).toBe(503);
    expect(await health.text()).toContain("Slack has not answered yet.");

    const slack = stack.use(
      // For as long as the bot needs to see that Slack has come.
      await createLocalSlack({ port, retryDelaysMs: Array.from({ length: 500 }, () => 200) }),
    );
    if (over === "http") slack.useHttp(`${url}/slack/events`);
    else await until(() => slack.sockets.open.length > 0, { what: "the socket is open" });
    const root = slack.person("Ana").say(slack.channel("general"), `${slack.botMention} and here?`);
    await until(() => slack.thread(root.channel, root).some(({ text }) => text.includes("You said")), {
      what: "the mention is answered",
    });
    await until(async () => (await fetch(`${url}/readyz`)).ok, { what: "nothing is missing" });
    expect(bobbin.output).not.toContain("nothing brings messages in");
    expect(slack.complaints).toEqual([]);
  },
);

test("a token that Slack refuses only once it has come is told by health, and ends nothing", async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await freshDatabase());
  const port = await freePort();
  const { appToken } = await appOfSlack();
  const bobbin = stack.use(
    spawnProduct("start", {
      DATABASE_URL: database.url,
      SLACK_BOT_TOKEN: "xoxb-not-a-token",
      SLACK_APP_TOKEN: appToken,
      SLACK_API_URL: `http://127.0.0.1:${port}/api`,
    }),
  );
  const url = await bobbin.ready();
  stack.use(await createLocalSlack({ port }));
  await until(
    async () => (await (await fetch(`${url}/readyz`)).text()).includes("Slack does not take SLACK_BOT_TOKEN"),
    { what: "health tells why" },
  );
  bobbin.kill("SIGTERM");
  expect(await bobbin.exited).toBe(0);
});
