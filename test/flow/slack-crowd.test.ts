// Many people at once, with the limits that Slack really has.
import { expect, test } from "vitest";
import { openSlackWorld } from "./slack-world.ts";

test("twelve mentions at once in one channel, two workers, within Slack's own limits: each is answered once and whole", async () => {
  await using world = await openSlackWorld({
    over: "socket",
    parts: ["gateway", "worker", "worker"],
    slack: { rateLimits: {} },
    llm: { talker: { perSecond: 30 } },
  });
  const { slack } = world;
  const channel = slack.channel("busy");
  const people = Array.from({ length: 12 }, (_, n) => slack.person(`Person ${n}`));
  const roots = people.map((person) => person.say(channel, `${slack.botMention} say 60 words`));
  await Promise.all(roots.map((root) => world.settled(root, 1)));
  for (const root of roots) {
    const answers = world.replies(root);
    expect(answers).toHaveLength(1);
    expect(answers[0]?.text.match(/word\d+/g)).toHaveLength(60);
  }
  world.expectPeace();
});
