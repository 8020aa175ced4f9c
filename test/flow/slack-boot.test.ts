// Starting where Slack refuses the bot, or is not there yet.
import { expect, test } from "vitest";
import { spawnProduct } from "../support/product.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { createLocalSlack } from "../support/slack/local-slack.ts";

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
