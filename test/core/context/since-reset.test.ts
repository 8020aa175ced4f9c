import { expect, test } from "vitest";
import { sinceReset } from "../../../src/core/context/since-reset.ts";
import type { Conversation, Said } from "../../../src/core/ports/conversation.ts";
import { sessionIdOf } from "../../../src/core/thread.ts";

const session = sessionIdOf({ platform: "slack", space: "T1", channel: "C1", root: "1.0" });
const said = (id: string, at: number): Said => ({ id, at, speaker: "Ana", isBot: false, text: `m${at}` });
const messages = [said("1.0", 1_000), said("2.0", 2_000), said("3.0", 3_000)];
const whole: Conversation = { read: async () => ({ messages, isPartial: false }) };
const direct = sessionIdOf({ platform: "discord", space: "dm", channel: "7" });
const never = new AbortController().signal;

async function read(resetAt: number | undefined, where: "thread" | "channel") {
  const conversation = sinceReset(whole, { newest: async () => resetAt });
  const reading = await conversation.read(session, { where, limit: 10 }, never);
  return reading.messages.map(({ id }) => id);
}

test("a thread that was never reset is read whole", async () => {
  expect(await read(undefined, "thread")).toEqual(["1.0", "2.0", "3.0"]);
});

test("of a thread that was reset only what came after is read, without the reset itself", async () => {
  expect(await read(2_000, "thread")).toEqual(["3.0"]);
});

test("in the channel only the thread's own root is left out: what others said has not been reset", async () => {
  expect(await read(2_500, "channel")).toEqual(["2.0", "3.0"]);
});

test("a direct conversation, which is a channel of its own, is reset whichever way it is read", async () => {
  const conversation = sinceReset(
    { read: async () => ({ messages, isPartial: false, isOwnThread: true }) },
    { newest: async () => 2_000 },
  );
  const reading = await conversation.read(direct, { where: "channel", limit: 10 }, never);
  expect(reading.messages.map(({ id }) => id)).toEqual(["3.0"]);
});
