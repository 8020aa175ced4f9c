import { expect, test } from "vitest";
import { withoutErased } from "../../../src/core/context/without-erased.ts";
import type { Reading, Said } from "../../../src/core/ports/conversation.ts";
import type { ErasedUntil } from "../../../src/core/ports/erased-words.ts";
import type { SessionId } from "../../../src/core/thread.ts";

const never = new AbortController().signal;
const said = (id: string, at: number, more: Partial<Said> = {}): Said => ({
  id,
  at,
  speaker: "Ana",
  isBot: false,
  text: `m${at}`,
  ...more,
});

async function read(
  session: string,
  where: "thread" | "channel",
  reading: Omit<Reading, "isPartial">,
  erased: { readonly [Which in keyof ErasedUntil]?: Readonly<Record<string, number>> },
) {
  const until = (which: keyof ErasedUntil) =>
    new Map(Object.entries(erased[which] ?? {})) as Map<SessionId, number>;
  const conversation = withoutErased(
    { read: async () => ({ ...reading, isPartial: false }), after: async () => [] },
    {
      of: async () => ({ threads: until("threads"), replies: until("replies"), people: until("people") }),
    },
  );
  const { messages } = await conversation.read(session as SessionId, { where, limit: 10 }, never);
  return messages.map(({ id }) => id);
}

test("a channel shows no root of an erased thread, and nothing that it shows of one", async () => {
  const messages = [
    said("1.0", 1_000),
    said("2.0", 2_000),
    said("3.0", 3_000, { root: "1.0" }),
    said("4.0", 4_000),
    said("5.0", 5_000, { root: "1.0" }),
  ];
  const threads = { "slack:T1:C1:1.0": 4_000 };
  expect(await read("slack:T1:C1:9.0", "channel", { messages }, { threads })).toEqual(["2.0", "4.0", "5.0"]);
});

test("a message that an erased thread of Discord was started from is of it", async () => {
  const messages = [said("11", 1_000), said("12", 2_000)];
  const threads = { "discord:G1:11": 4_000 };
  expect(await read("discord:G1:99", "channel", { messages }, { threads })).toEqual(["12"]);
});

test("a direct conversation is a channel of its own, and erased in whichever way it is read", async () => {
  const messages = [said("11", 1_000), said("12", 9_000)];
  const threads = { "discord:dm:7": 4_000 };
  for (const where of ["thread", "channel"] as const)
    expect(await read("discord:dm:7", where, { messages, isOwnThread: true }, { threads })).toEqual(["12"]);
});

test("what an erased person said is gone everywhere, and of what bots said only the reader's own where it may quote", async () => {
  const messages = [
    said("1.0", 1_000, { author: "U1" }),
    said("2.0", 2_000, { author: "U2" }),
    said("3.0", 3_000, { author: "B1", isBot: true }),
    said("4.0", 4_000, { author: "B2", isBot: true, isOwn: true }),
    said("5.0", 5_000, { author: "U1" }),
  ];
  const erased = { people: { U1: 4_500 }, replies: { "slack:T1:C1:1.0": 4_200 } };
  expect(await read("slack:T1:C1:1.0", "thread", { messages }, erased)).toEqual(["2.0", "3.0", "5.0"]);
  expect(await read("slack:T1:C1:7.0", "thread", { messages }, erased)).toEqual(["2.0", "3.0", "4.0", "5.0"]);
});
