// How far the reader has come, over the local Discord: whatever goes wrong meanwhile, nothing that was said is left out.
import { expect, test } from "vitest";
import { createDiscordApi } from "../../../src/adapters/discord/api.ts";
import { Channels, type KnownChannel } from "../../../src/adapters/discord/channels.ts";
import type { Message } from "../../../src/adapters/discord/parse.ts";
import { createMembers } from "../../../src/adapters/discord/members.ts";
import { Reader } from "../../../src/adapters/discord/reader.ts";
import { createReceive } from "../../../src/adapters/discord/receive.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { Inbound } from "../../../src/core/inbound.ts";
import type { Clock } from "../../../src/core/ports/clock.ts";
import { createLocalDiscord } from "../../support/discord/local-discord.ts";
import { silentLog } from "../../support/silent-log.ts";
import { until } from "../../support/until.ts";

const system = createSystemClock();
/** Waits that double from half a second on pass in no time. */
const clock: Clock = { ...system, after: (ms, run) => system.after(ms / 100, run) };
const marks = {
  begin: () => Promise.resolve({ number: 1, restarts: 0, sinceMs: 0 }),
  list: () => Promise.resolve([]),
  move: () => Promise.resolve(true),
  entering: () => Promise.resolve(),
  drop: () => Promise.resolve(),
};

/** A text channel of the server, unless said, as the gateway tells of it. */
const known = (
  { id, name }: { readonly id: string; readonly name?: string },
  guild: string,
  more: Pick<KnownChannel, "newest"> & Partial<KnownChannel>,
): KnownChannel => ({ id, guild, kind: "text", name, parent: undefined, ...more });

interface WorldOptions {
  readonly mostWaiting?: number;
  /** Somebody listens for the first time: nothing is known. By default it was read to where people began to talk. */
  readonly isFirst?: boolean;
  /** Of those from the time when the first channel of a server had the server's id. */
  readonly isOldServer?: boolean;
}

async function world({ mostWaiting = 200, isFirst = false, isOldServer = false }: WorldOptions = {}) {
  const stack = new AsyncDisposableStack();
  const discord = await createLocalDiscord();
  stack.defer(() => discord.close());
  const api = createDiscordApi({ log: silentLog }, { token: discord.token, apiUrl: discord.apiUrl });
  stack.defer(() => api.close());
  const channel = discord.channel("general");
  const ana = discord.person("Ana");
  const before = ana.say(channel, "what is read already");
  const guild = isOldServer ? channel.id : discord.guild.id;
  const sinceMs = isFirst ? discord.newMoment() : 0;
  /** What was taken in, in its order and once. */
  const taken = new Set<string>();
  /** How often each may still fail, as a store does that is not away. */
  const failing = new Map<string, number>();
  let holds: Promise<void> | undefined;
  let isHeld = false;
  const reader = new Reader(
    {
      api,
      marks,
      leave: async () => {},
      receive: {
        async message({ content }) {
          isHeld = holds !== undefined;
          await holds;
          const left = failing.get(content) ?? 0;
          failing.set(content, left - 1);
          if (left > 0) throw new Error("not one of those that are known");
          taken.add(content);
        },
        update: async () => {},
        remove: async () => {},
      },
      clock,
      log: silentLog,
    },
    {
      term: 1,
      sinceMs,
      known: isFirst ? [] : [{ space: guild, channel: channel.id, seen: before.id }],
      isLive: () => true,
      mostWaiting,
    },
  );
  stack.defer(() => reader.stop());
  const ids: string[] = [before.id];
  return {
    reader,
    discord,
    ana,
    guild,
    general: { id: channel.id, channel },
    taken: () => [...taken],
    /** Until so many messages, or the one with these words, were taken in. */
    takes: (what: number | string) =>
      until(() => (typeof what === "number" ? taken.size >= what : taken.has(what)), {
        what: `it takes in ${what}`,
      }),
    say: (text: string): string => {
      const { id } = ana.say(channel, text);
      ids.push(id);
      return id;
    },
    /** What the gateway would tell of it. */
    tell(id: string, content: string): void {
      const told = { id, channel_id: channel.id, content } as Message;
      reader.message(told, guild);
    },
    /** What the gateway tells of the server. @param others its other channels. */
    list(others: readonly KnownChannel[] = [], joinedMs = 0): void {
      reader.guild(guild, [known(channel, guild, { newest: ids.at(-1) }), ...others], joinedMs);
    },
    /** What it tells when it is entered anew. */
    enter(): void {
      reader.enter();
      this.list();
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
    /** The store fails for this one. @param times by default always. */
    fail: (content: string, times = Infinity) => void failing.set(content, times),
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
  await w.takes(2);
  w.tell(w.say("heard"), "heard");
  await w.takes("heard");
  expect(w.taken()).toEqual(["missed", "missed amid the fetching", "heard"]);
});

test("thrown out of the gateway before it has told its channels: what was said in a thread nobody knew is fetched next time, though newer words were heard elsewhere", async () => {
  await using w = await world();
  const root = w.ana.say(w.general.channel, "a talk of people");
  w.ana.openThread(root, "A talk of people");
  const { id: newest } = w.ana.say(root.id, "missed in the thread");
  w.reader.enter();
  w.tell(w.say("heard elsewhere"), "heard elsewhere");
  await w.takes("heard elsewhere");
  w.reader.enter();
  w.reader.guild(w.guild, [known(root, w.guild, { kind: "thread", parent: w.general.id, newest })], 0);
  await w.takes("missed in the thread");
});

test("what is said while Discord cannot reach the server, amid the fetching of what was missed before, is fetched too", async () => {
  await using w = await world();
  const goOn = w.hold();
  w.say("missed");
  w.enter();
  await w.held();
  w.reader.away(w.guild);
  w.say("missed in the outage");
  w.list();
  goOn();
  await w.takes(2);
  expect(w.taken()).toEqual(["missed", "missed in the outage"]);
});

test("in a server whose first channel has the server's id, what was missed there is fetched, though newer words stand in another channel", async () => {
  await using w = await world({ isOldServer: true });
  w.say("missed");
  const other = w.discord.channel("other");
  const { id: newest } = w.ana.say(other, "missed too");
  w.reader.enter();
  w.list([known(other, w.guild, { newest })]);
  await w.takes(2);
  expect(new Set(w.taken())).toEqual(new Set(["missed", "missed too"]));
});

test("where somebody listens for the first time, what was said before that is left alone, and what was said since is taken in", async () => {
  await using w = await world({ isFirst: true });
  w.enter();
  w.tell(w.say("heard"), "heard");
  await w.takes("heard");
  expect(w.taken()).toEqual(["heard"]);
  await using late = await world({ isFirst: true });
  late.say("said before the gateway was entered");
  late.enter();
  await late.takes(1);
  expect(late.taken()).toEqual(["said before the gateway was entered"]);
});

test("in a server that nobody has heard of, what was said since the bot came there is fetched, and nothing from before", async () => {
  await using w = await world();
  const club = w.discord.addGuild("Club");
  const channel = w.discord.channel("club", "text", club);
  w.ana.say(channel, "before the bot came");
  w.discord.invite(club);
  const { id: newest } = w.ana.say(channel, "since the bot is there");
  w.reader.enter();
  w.reader.guild(club.id, [known(channel, club.id, { newest })], club.joinedAtMs);
  await w.takes(1);
  expect(w.taken()).toEqual(["since the bot is there"]);
});

test("what was said between two stays of the bot in a server is left alone, though it was read before the first one ended", async () => {
  await using w = await world();
  w.say("while the bot was gone");
  const joinedMs = w.discord.newMoment();
  w.say("since it is back");
  w.reader.enter();
  w.list([], joinedMs);
  await w.takes(1);
  expect(w.taken()).toEqual(["since it is back"]);
});

test("what found the line full, amid the fetching of what was missed before, is fetched later", async () => {
  await using w = await world({ mostWaiting: 3 });
  const goOn = w.hold();
  w.say("missed");
  w.enter();
  await w.held();
  for (const text of ["waits", "waits too", "finds it full"]) w.tell(w.say(text), text);
  goOn();
  await w.takes(3);
  w.tell(w.say("comes later"), "comes later");
  await w.takes("comes later");
  expect(w.taken()).toEqual(["missed", "waits", "waits too", "finds it full", "comes later"]);
});

test("what a store that is not away fails to take in is read again with the next message, and is not lost", async () => {
  await using w = await world();
  w.enter();
  w.fail("while the store fails", 5);
  w.tell(w.say("while the store fails"), "while the store fails");
  w.tell(w.say("later"), "later");
  await w.takes(2);
  expect(w.taken()).toEqual(["while the store fails", "later"]);
});

test("what was dropped before the store was well is taken in behind what came later, once that could be", async () => {
  await using w = await world();
  w.enter();
  w.fail("dropped twice", 8);
  w.tell(w.say("dropped twice"), "dropped twice");
  w.tell(w.say("later"), "later");
  await w.takes(2);
  expect(w.taken()).toEqual(["later", "dropped twice"]);
});

test("a message that is wrong in itself holds up none that come later", async () => {
  await using w = await world();
  w.enter();
  w.fail("never");
  w.tell(w.say("never"), "never");
  for (const text of ["first", "second"]) w.tell(w.say(text), text);
  await w.takes("second");
  expect(w.taken()).toEqual(["first", "second"]);
  const reads = w.discord.callsOf("GET /channels/:channel/messages").length;
  w.tell(w.say("third"), "third");
  await w.takes("third");
  expect(w.discord.callsOf("GET /channels/:channel/messages")).toHaveLength(reads);
});

/** What is taken in of what the local Discord has, as it would be of a history. */
async function receiver() {
  const stack = new AsyncDisposableStack();
  const discord = stack.use(await createLocalDiscord());
  const api = createDiscordApi({ log: silentLog }, { token: discord.token, apiUrl: discord.apiUrl });
  stack.defer(() => api.close());
  const taken: Inbound[] = [];
  const receive = createReceive(
    {
      api,
      channels: new Channels(discord.botId),
      members: createMembers({ api, clock }),
      intake: {
        receive(inbound) {
          taken.push(inbound);
          return Promise.resolve({ kind: "stored", running: false });
        },
      },
      owed: {
        answerTo: () => {
          throw new Error("nothing is owed here");
        },
        owe: () => Promise.resolve(false),
        tell: () => Promise.resolve(),
      },
      places: { keep: () => Promise.resolve() },
      transcripts: { status: () => Promise.resolve(undefined) },
      clock,
      log: silentLog,
    },
    { app: discord.applicationId, user: discord.botId, name: "Bobbin" },
  );
  return {
    discord,
    api,
    taken,
    receive,
    /** As a history has it. */
    async read(channel: string): Promise<readonly Message[]> {
      const answer = await api.call("GET", `/channels/${channel}/messages`);
      return answer.kind === "ok" ? (answer.data as Message[]).toReversed() : [];
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test("a message whose channel Discord does not tell of now is taken in once it does, however long that takes", async () => {
  await using world = await receiver();
  const { discord, api, taken, receive } = world;
  const reader = new Reader(
    { api, marks, receive, leave: () => Promise.resolve(), clock, log: silentLog },
    { term: 1, sinceMs: 0, known: [], isLive: () => true },
  );
  discord.fault("GET /channels/:channel", { kind: "status", status: 502 }, { times: 6 });
  const channel = discord.channel("general");
  discord.person("Ana").say(channel, `${discord.botMention} hello`);
  const [message] = await world.read(channel.id);
  reader.message(message!, discord.guild.id);
  await until(() => taken.length > 0, { what: "it was taken in" });
  expect(taken.map(({ kind }) => kind)).toEqual(["message"]);
  expect(discord.unusedFaults).toBe(0);
  await reader.stop();
});

test("out of a history, who wrote what is for the bot is asked once with their roles; who cannot be learnt has none that are known", async () => {
  await using world = await receiver();
  const { discord, taken, receive } = world;
  const channel = discord.channel("general");
  const [ana, ben, gus] = [
    discord.person("Ana", { roles: ["11", "12"] }),
    discord.person("Ben"),
    discord.person("Gus", { roles: ["11"] }),
  ];
  ana.say(channel, "talk");
  for (const who of [ana, ana, ben, gus]) who.say(channel, `${discord.botMention} hello`);
  discord.fault(
    "GET /guilds/:guild/members/:user",
    { kind: "status", status: 503 },
    { times: 3, when: ({ params }) => params["user"] === gus.id },
  );
  for (const message of await world.read(channel.id)) await receive.message(message, discord.guild.id);
  expect(taken.map(({ author }) => author.roles)).toEqual([["11", "12"], ["11", "12"], [], undefined]);
  const asked = discord.callsOf("GET /guilds/:guild/members/:user").map(({ params }) => params["user"]);
  expect(asked).toEqual([ana.id, ben.id, gus.id, gus.id, gus.id]);
});

test("a message whose author cannot be learnt because the token is refused is not taken in as nobody's: it stays for the next start", async () => {
  await using world = await receiver();
  const { discord, taken, receive } = world;
  const channel = discord.channel("general");
  discord.person("Ana", { roles: ["11"] }).say(channel, `${discord.botMention} hello`);
  const [message] = await world.read(channel.id);
  discord.fault("GET /guilds/:guild/members/:user", { kind: "refused", status: 401, code: 0 });
  // Nothing is kept of the first time.
  for (let times = 0; times < 2; times++) {
    const tried = receive.message(message!, discord.guild.id);
    await expect(tried).rejects.toMatchObject({ code: "platform_refused", retryable: true });
  }
  expect(taken).toEqual([]);
  expect(discord.callsOf("GET /guilds/:guild/members/:user")).toHaveLength(1);
});
