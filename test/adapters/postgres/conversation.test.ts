// The contract of a conversation over the rows of the web chat, and shown to notice what breaks it.
import { createConversation } from "../../../src/adapters/postgres/conversation.ts";
import { createWebMessages } from "../../../src/adapters/postgres/web-messages.ts";
import type { Conversation } from "../../../src/core/ports/conversation.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { expectBroken } from "../../contract/contract.ts";
import { conversationCases, conversationContract } from "../../contract/conversation.ts";
import { newSession } from "../../contract/store-samples.ts";
import { said } from "../../contract/web-messages.ts";
import { postgresBackend } from "./backends.ts";

const { sql } = postgresBackend();
let written = 0;

/** A thread in a channel of its own, that begins with a message. */
function open(change: (conversation: Conversation) => Conversation = (conversation) => conversation) {
  return async () => {
    const messages = createWebMessages(sql());
    const channel = `c${newSession().split(":").at(-1)}`;
    const [session, other] = [`web:local:${channel}:a`, `web:local:${channel}:b`] as [SessionId, SessionId];
    const insert = async (where: SessionId, text: string) =>
      (await messages.insert(said(where, `m${++written}`, text))).id;
    await insert(session, "the root");
    return {
      subject: {
        conversation: change(createConversation(sql())),
        session,
        say: (text: string) => insert(session, text),
        answer: async (text: string) => {
          const reply = said(session, `m${++written}`, text);
          await messages.insert({ ...reply, from: "bot", speaker: "Bobbin" });
        },
        sayElsewhere: async (text: string) => void (await insert(other, text)),
      },
      close: () => Promise.resolve(),
    };
  };
}

conversationContract("Postgres", open());

expectBroken(
  "reads the oldest and calls them all",
  conversationCases,
  open((conversation) => ({
    read: async (session, { limit, ...rest }, signal) => {
      const { messages } = await conversation.read(session, { ...rest, limit: 1_000 }, signal);
      return { messages: messages.slice(0, limit), isPartial: false };
    },
  })),
  { noticedBy: ["with a limit the newest come, and it is said that something is missing"] },
);
expectBroken(
  "reads the channel instead of the thread",
  conversationCases,
  open((conversation) => ({
    read: (session, options, signal) => conversation.read(session, { ...options, where: "channel" }, signal),
  })),
  { noticedBy: ["other threads of the channel are not in it"] },
);
expectBroken(
  "knows no bots and no end",
  conversationCases,
  open((conversation) => ({
    read: async (session, { limit, where }, signal) => {
      const { messages, isPartial } = await conversation.read(session, { where, limit }, signal);
      return { messages: messages.map((each) => ({ ...each, isBot: false })), isPartial };
    },
  })),
  {
    noticedBy: [
      "before a message means without it and what came after it",
      "the bot's own words are marked as a bot's, and a person's are not",
    ],
  },
);
