// How far the reader has come, over the local Discord: whatever goes wrong meanwhile, nothing that was said is left out.
import { expect, test } from "vitest";
import { createDiscordApi } from "../../../src/adapters/discord/api.ts";
import type { Message } from "../../../src/adapters/discord/parse.ts";
import { Reader } from "../../../src/adapters/discord/reader.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import { createLocalDiscord } from "../../support/discord/local-discord.ts";
import type { Channel } from "../../support/discord/model.ts";
import { silentLog } from "../../support/silent-log.ts";
import { until } from "../../support/until.ts";

async function world({ mostWaiting = 200 } = {}) {
  const stack = new AsyncDisposableStack();
  const discord = await createLocalDiscord();
  stack.defer(() => discord.close());
  const api = createDiscordApi({ log: silentLog }, { token: discord.token, apiUrl: discord.apiUrl });
  stack.defer(() => api.close());
  const channel = discord.channel("general");
  const ana = discord.person("Ana");
  const before = ana.say(channel, "what is read already");
  /** What was taken in, in its order and once. */
  const taken = new Set<string>();
  let holds: Promise<void> | undefined;
  let isHeld = false;
  const reader = new Reader(
    {
      api,
      marks: {
        begin: async () => ({ number: 1, restarts: 0 }),
        list: async () => [],
        move: async () => true,
      },
      receive: {
        async message({ content }) {
          isHeld = holds !== undefined;
          await holds;
          taken.add(content);
        },
        update: async () => {},
        remove: async () => {},
      },
      clock: createSystemClock(),
      log: silentLog,
    },
    {
      term: 1,
      known: [{ space: discord.guild.id, channel: channel.id, seen: before.id }],
      isLive: () => true,
      mostWaiting,
    },
  );
  stack.defer(() => reader.stop());
  const ids: string[] = [];
  return {
    reader,
    taken: () => [...taken],
    say: (text: string): string => {
      const { id } = ana.say(channel, text);
      ids.push(id);
      return id;
    },
    /** What the gateway would tell of it. */
    tell(id: string, content: string): void {
      const told = { id, channel_id: channel.id, content } as Message;
      reader.message(told, discord.guild.id);
    },
    /** What the gateway tells when it is entered anew. */
    enter(): void {
      reader.enter();
      const { id } = channel as Channel;
      reader.guild(discord.guild.id, [
        { id, guild: discord.guild.id, kind: "text", newest: ids.at(-1) ?? "0" },
      ]);
    },
    /** The store takes long from now on. @returns what ends that. */
    hold(): () => void {
      const gate = Promise.withResolvers<void>();
      holds = gate.promise;
      return () => {
        holds = undefined;
        gate.resolve();
      };
    },
    held: () => until(() => isHeld, { what: "the store is at work" }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test("what is said while the gateway is entered once more, amid the fetching of what was missed before, is fetched too", async () => {
  await using w = await world();
  const goOn = w.hold();
  w.say("missed");
  w.enter();
  await w.held();
  w.say("missed amid the fetching");
  w.enter();
  goOn();
  await until(() => w.taken().length >= 2, { what: "both were taken in" });
  w.tell(w.say("heard"), "heard");
  await until(() => w.taken().includes("heard"), { what: "the last one was taken in" });
  expect(w.taken()).toEqual(["missed", "missed amid the fetching", "heard"]);
});

test("what found the line full, amid the fetching of what was missed before, is fetched later", async () => {
  await using w = await world({ mostWaiting: 3 });
  const goOn = w.hold();
  w.say("missed");
  w.enter();
  await w.held();
  for (const text of ["waits", "waits too", "finds it full"]) w.tell(w.say(text), text);
  goOn();
  await until(() => w.taken().length >= 3, { what: "the line is empty" });
  w.tell(w.say("comes later"), "comes later");
  await until(() => w.taken().includes("comes later"), { what: "the last one was taken in" });
  expect(w.taken()).toEqual(["missed", "waits", "waits too", "finds it full", "comes later"]);
});
