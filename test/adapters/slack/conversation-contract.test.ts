// The contract of a conversation over the local Slack.
import { conversationContract } from "../../contract/conversation.ts";
import { outboundWorld } from "./outbound-world.ts";
import { conversationIn } from "./read-back.ts";

let posts = 0;

conversationContract("Slack", async () => {
  const world = await outboundWorld();
  const { channel, ana, root, session, surface } = world;
  return {
    subject: {
      conversation: conversationIn(world),
      session,
      say: async (text) => ana.say(channel, text, { thread: root }).ts,
      answer: async (text) => void (await surface.post(`key-${++posts}`, { markdown: text, buttons: [] })),
      sayElsewhere: async (text) => void ana.say(channel, text),
    },
    close: async () => world[Symbol.asyncDispose](),
  };
});
