// Reactions in Slack that a goal may wait for: over the real connection, from the local Slack.
import { expect, test } from "vitest";
import { until } from "../../support/until.ts";
import { inboundWorld } from "./inbound-world.ts";

test("a reaction of a person to a message of the bot's is heard with who they are; one to a person's message, and one taken back, is not", async () => {
  await using world = await inboundWorld();
  const { slack, reactions } = world;
  const ana = slack.person("Ana");
  const channel = slack.channel("general");
  const asked = ana.say(channel, `${slack.botMention} may I?`);
  const posted = await fetch(`${slack.slackApiUrl}chat.postMessage`, {
    method: "POST",
    headers: { authorization: `Bearer ${slack.app.botToken}`, "content-type": "application/json" },
    body: JSON.stringify({ channel: channel.id, thread_ts: asked.ts, text: "May I?" }),
  });
  const { ts } = (await posted.json()) as { ts: string };
  const message = { channel: channel.id, ts };
  await ana.react({ channel: channel.id, ts: asked.ts }, "eyes").delivered;
  await ana.react(message, "thumbsup").delivered;
  await ana.unreact(message, "thumbsup").delivered;
  await until(() => reactions.length > 0, { what: "the reaction is heard" });
  expect(reactions).toEqual([
    {
      near: { platform: "slack", space: slack.teamId, channel: channel.id },
      message: ts,
      author: expect.objectContaining({ id: ana.id, name: "Ana", kind: "member" }),
      emoji: "thumbsup",
    },
  ]);
});
