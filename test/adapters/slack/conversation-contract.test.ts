// The contract of a conversation over the local Slack.
import { createSlackConversation } from "../../../src/adapters/slack/conversation.ts";
import { createSlackPeople } from "../../../src/adapters/slack/people.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import { conversationContract } from "../../contract/conversation.ts";
import { silentLog } from "../../support/silent-log.ts";
import { outboundWorld } from "./outbound-world.ts";

let posts = 0;

conversationContract("Slack", async () => {
  const world = await outboundWorld();
  const { api, slack, channel, ana, root, session, surface } = world;
  const people = createSlackPeople({ api, clock: createSystemClock() });
  const { botUserId: user, botId: bot, name } = slack.app;
  return {
    subject: {
      conversation: createSlackConversation(
        { api, people, log: silentLog },
        { bot: { space: slack.teamId, user, bot, name } },
      ),
      session,
      say: async (text) => ana.say(channel, text, { thread: root }).ts,
      answer: async (text) => void (await surface.post(`key-${++posts}`, { markdown: text, buttons: [] })),
      sayElsewhere: async (text) => void ana.say(channel, text),
    },
    close: async () => world[Symbol.asyncDispose](),
  };
});
