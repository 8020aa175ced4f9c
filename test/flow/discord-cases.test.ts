// What people and other bots really do on Discord, as it was reported in the field: each case by its id or its number, with what is seen of it.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { says } from "../support/fake-llm/answers.ts";
import type { Person } from "../support/discord/person.ts";
import { until } from "../support/until.ts";
import { openDiscordWorld, type DiscordWorld } from "./discord-world.ts";

let world: DiscordWorld;
let parrot: Person;
let scenes = 0;
beforeAll(async () => {
  world = await openDiscordWorld({
    parts: ["gateway", "worker"],
    prepare: (discord) => void (parrot = discord.otherBot("Parrot")),
    access: () => ({ bots: { allow: [`discord:*:${parrot.id}`], rate: { most: 2, withinMs: 3_600_000 } } }),
  });
});
afterEach(() => world.expectPeace());
afterAll(() => world[Symbol.asyncDispose]());

function scene() {
  const { discord } = world;
  scenes++;
  const [ana, ben] = [discord.person(`Ana ${scenes}`), discord.person(`Ben ${scenes}`)];
  return { discord, ana, ben, channel: discord.channel(`channel-${scenes}`), at: discord.botMention };
}

/** The newest turn as the model read it. */
const turn = (): string => JSON.stringify(world.llm.requests.at(-1)?.body.messages.at(-1)?.content);
const asked = (): number => world.llm.requests.length;

test("I13: the message that a thread was started from comes once more when the thread is there, and so does a forum's first one: one turn each", async () => {
  const { discord, ana, channel, at } = scene();
  let copies: readonly (() => void)[] = [];
  discord.gateway.hold();
  const { id } = ana.say(channel, `${at} from a channel`);
  const post = ana.publish(discord.channel("cases", "forum"), "A post", `${at} from a forum`);
  expect(post.id).toBe(post.channel);
  discord.gateway.release((held) => (copies = held));
  await world.settled(id, 1);
  await world.settled(post.id, 1);
  const before = asked();
  for (const copy of copies) copy();
  // What comes later in the same channels is taken in later.
  ana.say(id, "and then");
  ana.say(post.id, "and then");
  expect(await world.settled(id, 2)).toHaveLength(2);
  expect(await world.settled(post.id, 2)).toHaveLength(2);
  expect(asked()).toBe(before + 2);
});

test("I14: the words of a forwarded message reach the model, as somebody else's", async () => {
  const { ana } = scene();
  const { channel } = ana.dm("", { forwarded: "please review" });
  await world.settled(channel, 1);
  expect(turn()).toMatch(/> please review/);
});

test("I8: a file without a word, in a direct message, is a turn with that file", async () => {
  const { ana } = scene();
  const { channel } = ana.dm("", { files: [{ name: "plan.pdf", bytes: 8, type: "application/pdf" }] });
  expect(await world.settled(channel, 1)).toHaveLength(1);
  expect(turn()).toContain("plan.pdf");
});

test("I19: a file with a mention, and a moment later only words: one answer, which knows both in their order", async () => {
  const { ana, channel, at } = scene();
  const mayEnd = Promise.withResolvers<void>();
  world.llm.script(async (exchange) => {
    await mayEnd.promise;
    await says("the first half")(exchange);
  });
  const files = [{ name: "roof.png", bytes: 8, type: "image/png" }];
  const { id } = ana.say(channel, `${at} look at this`, { files });
  await world.shows(id, "Thinking…");
  const more = ana.say(id, "it is from May");
  const sql = await world.sql();
  await until(
    async () =>
      (await sql.query({ name: "case-i19", text: "select from inbox where message = $1" }, [more.id]))
        .length > 0,
    { what: "it is stored" },
  );
  mayEnd.resolve();
  await world.shows(id, "it is from May");
  expect(await world.settled(id, 1)).toHaveLength(1);
  const said = JSON.stringify(world.llm.requests.at(-1)?.body.messages);
  expect(said).toMatch(/look at this.*roof\.png.*it is from May/);
});

test("pitfall 10: two threads of one channel and a direct conversation at the same time: each answer stands where it was asked, and knows nothing of the others", async () => {
  const { discord, ana, ben, channel, at } = scene();
  const places = [
    { words: "the heron", place: ana.say(channel, `${at} the heron`).id },
    { words: "the otter", place: ben.say(channel, `${at} the otter`).id },
    { words: "the newt", place: ana.dm("the newt").channel },
  ];
  for (const { words, place } of places) {
    const [answer] = await world.settled(place, 1);
    expect(answer?.text).toContain(words);
  }
  for (const { place } of places) {
    ana.say(place, "and again");
    await world.settled(place, 2);
  }
  for (const { words, place } of places) {
    const others = places.filter((one) => one.words !== words);
    const shown = discord.ever(place).map(({ text }) => text);
    for (const other of others) expect(shown.some((text) => text.includes(other.words))).toBe(false);
    const requests = world.llm.requests.map(({ body }) => JSON.stringify(body.messages));
    const own = requests.filter((request) => request.includes(words));
    expect(own).toHaveLength(2);
    for (const other of others) expect(own.some((request) => request.includes(other.words))).toBe(false);
  }
});

test("pitfall 11: the bot's own role calls it, everybody's name and a reply with a ping do not, and in its own thread nobody has to", async () => {
  const { discord, ana, ben, channel } = scene();
  const { id } = ana.say(channel, `<@&${discord.guild.botRole}> who are you?`);
  const [answer] = await world.settled(id, 1);
  const before = asked();
  const loud = ana.say(channel, "@everyone look");
  const reply = ben.say(channel, "yes", { replyTo: loud });
  ben.say(id, "and without a name?");
  await world.settled(id, 2);
  expect(answer?.text).toContain("who are you?");
  expect(asked()).toBe(before + 1);
  for (const quiet of [loud, reply]) expect(discord.threadNamed(quiet.id)).toBeUndefined();
});

test("I7 pitfall 13: other bots and webhooks are not heard; one that is allowed is where it mentions the bot, and not for ever", async () => {
  const { discord, ana, channel, at } = scene();
  const { id } = ana.say(channel, `${at} hello`);
  await world.settled(id, 1);
  const before = asked();
  discord.otherBot("Echo").say(id, `${at} hello, bot`);
  ana.say(id, `${at} by a program`, { webhook: true });
  parrot.say(id, "hello, hello");
  for (const turns of [1, 2]) {
    parrot.say(id, `${at} and ${turns}`);
    await world.shows(id, `and ${turns}`);
    await world.settled(id, turns + 1);
  }
  parrot.say(id, `${at} and for ever`);
  // Notices go to people only.
  ana.say(id, "enough");
  await world.shows(id, "enough");
  expect(await world.settled(id, 4)).toHaveLength(4);
  expect(asked()).toBe(before + 3);
  const read = JSON.stringify(world.llm.requests.map(({ body }) => body.messages));
  for (const unheard of ["hello, bot", "by a program", "hello, hello", "and for ever"])
    expect(read).not.toContain(unheard);
});

test("pitfall 15: the bot types only while nothing of an answer stands; then the sign of work is part of the reply and goes with it", async () => {
  const { discord, ana, channel, at } = scene();
  const mayEnd = Promise.withResolvers<void>();
  world.llm.script(async (exchange) => {
    await mayEnd.promise;
    await says("done")(exchange);
  });
  const { id } = ana.say(channel, `${at} work`);
  await world.shows(id, "Thinking…");
  mayEnd.resolve();
  const [answer] = await world.settled(id, 1);
  expect(answer?.text).not.toContain("Thinking");
  // Only what asks how the answer was stays.
  expect(answer?.buttons.map(({ label }) => label)).toEqual(["👍", "👎"]);
  expect(discord.isTyping(id)).toBe(false);
  world.llm.script(says("done again"));
  const limited = { kind: "rate limited", retryAfterS: 1 } as const;
  discord.fault("POST /channels/:channel/messages", limited, { times: Infinity });
  ana.say(id, "once more");
  await until(() => discord.isTyping(id), { what: "the bot types" });
  discord.clearFaults();
  await world.shows(id, "done again");
  await world.settled(id, 2);
  expect(discord.isTyping(id)).toBe(false);
});
