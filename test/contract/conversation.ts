// What every Conversation keeps; see src/core/ports/conversation.ts. What a channel shows differs by platform and is not here.
import { expect } from "vitest";
import type { Conversation } from "../../src/core/ports/conversation.ts";
import type { SessionId } from "../../src/core/thread.ts";
import { runContract, type ContractCase, type OpenSubject } from "./contract.ts";

export interface ConversationSubject {
  readonly conversation: Conversation;
  /** A thread whose first message is `root`. */
  readonly session: SessionId;
  /** A person writes in it; the message's id. */
  say(text: string): Promise<string>;
  /** The bot does. */
  answer(text: string): Promise<void>;
  /** A person writes in another thread of the same channel. */
  sayElsewhere(text: string): Promise<void>;
}

const never = new AbortController().signal;

async function read(subject: ConversationSubject, limit: number, beforeId?: string) {
  const before = beforeId === undefined ? {} : { beforeId };
  const { conversation, session } = subject;
  const { messages, isPartial } = await conversation.read(
    session,
    { where: "thread", limit, ...before },
    never,
  );
  return { texts: messages.map(({ text }) => text), messages, isPartial };
}

export const conversationCases: readonly ContractCase<ConversationSubject>[] = [
  {
    title: "a thread is read whole and in the order in which it was written, each message once",
    async run(subject) {
      for (const text of ["one", "two", "three"]) await subject.say(text);
      const { messages, isPartial } = await read(subject, 50);
      expect(messages.slice(-3).map(({ text }) => text)).toEqual(["one", "two", "three"]);
      expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
      expect(messages.map(({ at }) => at)).toEqual(messages.map(({ at }) => at).toSorted((a, b) => a - b));
      expect(isPartial).toBe(false);
    },
  },
  {
    title: "with a limit the newest come, and it is said that something is missing",
    async run(subject) {
      for (const text of ["one", "two", "three", "four"]) await subject.say(text);
      const { texts, isPartial } = await read(subject, 3);
      expect(texts.length).toBeLessThanOrEqual(3);
      expect(texts.slice(-2)).toEqual(["three", "four"]);
      expect(isPartial).toBe(true);
    },
  },
  {
    title: "before a message means without it and what came after it",
    async run(subject) {
      await subject.say("one");
      const two = await subject.say("two");
      await subject.say("three");
      const { texts } = await read(subject, 50, two);
      expect(texts.at(-1)).toBe("one");
      expect(texts).not.toContain("two");
      expect(texts).not.toContain("three");
    },
  },
  {
    title: "other threads of the channel are not in it",
    async run(subject) {
      await subject.sayElsewhere("elsewhere");
      await subject.say("here");
      expect((await read(subject, 50)).texts).not.toContain("elsewhere");
    },
  },
  {
    title: "the bot's own words are marked as a bot's, and a person's are not",
    async run(subject) {
      await subject.say("a question");
      await subject.answer("an answer");
      const { messages } = await read(subject, 50);
      expect(messages.find(({ text }) => text === "a question")?.isBot).toBe(false);
      expect(messages.find(({ text }) => text === "an answer")?.isBot).toBe(true);
    },
  },
  {
    title: "who gives up before it begins gets no answer",
    async run({ conversation, session }) {
      const reading = conversation.read(session, { where: "thread", limit: 1 }, AbortSignal.abort());
      await expect(reading).rejects.toThrow();
    },
  },
];

export function conversationContract(name: string, open: OpenSubject<ConversationSubject>): void {
  runContract(`Conversation: ${name}`, conversationCases, open);
}
