// Who may use the bot, from what people do to what they see: nothing is asked of the model for who may not.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { delta, eventsThenSilence } from "../support/fake-llm/answers.ts";
import { startProduct } from "../support/product.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import type { Writer } from "../support/slack/person.ts";
import type { LocalDiscord } from "../support/discord/local-discord.ts";
import { exactly, until } from "../support/until.ts";
import { createWebPerson } from "../support/web-person.ts";
import { openDiscordWorld } from "./discord-world.ts";
import { openSlackWorld, type SlackWorld } from "./slack-world.ts";

type Channel = ReturnType<LocalDiscord["channel"]>;

const hour = { withinMs: 3_600_000 };

describe("on Slack", () => {
  let world: SlackWorld;
  let parrot: Writer;
  beforeAll(async () => {
    world = await openSlackWorld({
      over: "socket",
      parts: "start",
      webChat: true,
      access: (slack) => {
        parrot = slack.otherBot("Parrot");
        const bots = { allow: [`slack:${slack.teamId}:${parrot.id}`], rate: { most: 2, ...hour } };
        return { bots, channels: { deny: [`slack:${slack.teamId}:${slack.channel("off").id}`] } };
      },
    });
  });
  afterEach(() => world.expectPeace());
  afterAll(() => world[Symbol.asyncDispose]());

  const asked = (): number => world.llm.requests.length;

  test("S18: guests, people of other companies and whoever writes in a denied channel are told so, and nothing runs for them", async () => {
    const { slack } = world;
    const [ana, gus] = [slack.person("Ana"), slack.person("Gus", { role: "guest" })];
    const eve = slack.person("Eve", { teamId: "T0OTHER" });
    const [channel, off] = [slack.channel("general"), slack.channel("off")];
    const shared = slack.channel("shared", { members: [ana, eve], isShared: true });
    const before = asked();
    const refused = [
      { said: gus.say(channel, `${slack.botMention} hello`), who: gus, where: channel },
      { said: eve.say(shared, `${slack.botMention} hello`), who: eve, where: shared },
      { said: ana.say(off, `${slack.botMention} hello`), who: ana, where: off },
    ];
    for (const { said, who, where } of refused) {
      await said.delivered;
      const told = () =>
        slack.channelTop(where, { as: who }).filter(({ ephemeralTo }) => ephemeralTo === who.id);
      await exactly(told, 1, `${who.name} is told so`);
      expect(world.replies(said)).toEqual([]);
    }
    expect(asked()).toBe(before);
    // In the guest's own thread a colleague is answered, and what the guest says there goes on starting nothing.
    const [{ said: root }] = refused as [(typeof refused)[number]];
    ana.say(channel, `${slack.botMention} and me`, { thread: root });
    await world.settled(root, 1);
    await gus.say(channel, "me too", { thread: root }).delivered;
    ana.say(channel, "go on", { thread: root });
    await world.settled(root, 2);
    expect(asked()).toBe(before + 2);
    expect(JSON.stringify(world.llm.requests.at(-1)?.body.messages)).not.toContain("me too");
  });

  test("S11: a Stop button that a guest presses stops nothing; it does for a colleague", async () => {
    const { slack } = world;
    const [ana, gus] = [slack.person("Ana B"), slack.person("Gus B", { role: "guest" })];
    const channel = slack.channel("buttons");
    const { abandoned } = world.llm;
    world.llm.script(eventsThenSilence(delta({ content: "as far as here " })));
    const root = ana.say(channel, `${slack.botMention} work for long`);
    const answer = await world.shows(root, "as far as here");
    await gus.click(answer, "bobbin_stop");
    expect(await world.whispers(root, gus, 1)).toEqual(["Guests may not use this bot."]);
    expect(world.llm.abandoned).toBe(abandoned);
    await ana.click(answer, "bobbin_stop");
    expect(await world.whispers(root, ana, 1)).toEqual(["Stopping."]);
    const [stopped] = await world.settled(root, 1);
    expect(stopped?.text).toMatch(/as far as here[^]*Stopped\./);
  });

  test("I7 pitfall 18: two bots do not talk to each other for ever, also where the other one is let in", async () => {
    const { slack } = world;
    const ana = slack.person("Ana C");
    const channel = slack.channel("parrots");
    slack.invite(channel);
    const root = ana.say(channel, `${slack.botMention} hello`);
    await world.settled(root, 1);
    const before = asked();
    for (let turn = 1; turn <= 4; turn++) {
      await parrot.say(channel, `${slack.botMention} and ${turn}`, { thread: root }).delivered;
      await world.settled(root, 1 + Math.min(turn, 2));
    }
    ana.say(channel, "and I", { thread: root });
    await world.settled(root, 4);
    expect(asked()).toBe(before + 3);
  });

  test("in the web chat whoever is there is an admin, and reads why", async () => {
    const person = createWebPerson(world.urls[0] ?? "");
    const thread = await person.say("hello");
    await person.replies(thread, 1);
    await person.say("/why", thread);
    const [, why] = await person.replies(thread, 2);
    expect(why?.text).toMatch(
      /^The bot answered it \(run \w+ ?\)\. Let in by the rule admins: web:local:\w+ is one/,
    );
    await person.say("/bananas", thread);
    const [, , list] = await person.replies(thread, 3);
    expect(list?.text).toContain("There is no command /bananas");
  });
});

test("on Discord who is denied is told so below their message, once, and an admin reads why", async () => {
  let denied: { readonly id: string } = { id: "" };
  await using world = await openDiscordWorld({
    parts: "start",
    access: (discord) => {
      const off = discord.channel("off");
      denied = discord.person("Gus");
      return {
        users: { deny: [`discord:*:${denied.id}`] },
        channels: { deny: [`discord:${discord.guild.id}:${off.id}`] },
      };
    },
  });
  const { discord } = world;
  const gus = denied as ReturnType<typeof discord.person>;
  const ana = discord.person("Ana");
  const [channel, off] = [discord.channel("general"), discord.channel("off")];
  const told = (where: string | Channel) =>
    discord.shown(where).flatMap(({ text }) => (text.startsWith("You may not use this bot.") ? [text] : []));
  /** What is told to this person alone, once something is. */
  const whispers = async (
    where: string | Channel,
    who: typeof ana,
  ): Promise<readonly (string | undefined)[]> => {
    await until(() => discord.whispers(where, who)[0] !== undefined, {
      what: `${who.name} is told something`,
    });
    return discord.whispers(where, who);
  };
  const first = gus.say(channel, `${discord.botMention} hello`);
  await exactly(() => told(channel), 1, "Gus is told so");
  expect(world.replies(first.id)).toEqual([]);

  const thread = ana.say(channel, `${discord.botMention} hello`);
  await world.settled(thread.id, 1);
  for (const words of ["let me in", "please"]) gus.say(thread.id, `${discord.botMention} ${words}`);
  await exactly(() => told(thread.id), 1, "Gus is told so there");
  expect(await ana.command(thread.id, "why")).toBe("answered");
  expect(await whispers(thread.id, ana)).toEqual([
    expect.stringMatching(/did not answer Gus[^]*users\.deny: discord:\d+:\d+ is on it/),
  ]);
  expect(await gus.command(thread.id, "reset")).toBe("answered");
  expect((await whispers(thread.id, gus)).map((text) => text?.slice(0, 11))).toEqual(["You may not"]);

  // To ask about a message is to write one.
  const about = ana.say(channel, "the cap leaks");
  expect(await gus.menu(about, "Ask about this")).toBe("answered");
  expect(await whispers(channel, gus)).toEqual(["You may not use this bot. Its admins can change that."]);
  expect(discord.threadNamed(about.id)).toBeUndefined();

  // A thread counts as its channel, also one that others have begun.
  ana.say(off, `${discord.botMention} hello`);
  await until(() => discord.shown(off).some(({ text }) => text === "I do not answer in this channel."), {
    what: "Ana is told so",
  });
  ana.say(thread.id, "go on");
  await world.settled(thread.id, 3);
  expect(world.llm.requests).toHaveLength(2);
  expect(discord.complaints).toEqual([]);
});

test("in the web chat who is denied, or has asked enough, reads so in the thread", async () => {
  await using database = await freshDatabase();
  const env = { DATABASE_URL: database.url, WEB_CHAT: "on" };
  {
    await using denied = await startProduct("start", env, {}, {}, { users: { deny: ["web:local:*"] } });
    const person = createWebPerson(denied.url);
    const thread = await person.say("hello");
    expect((await person.replies(thread, 1)).map(({ text }) => text)).toEqual([
      "You may not use this bot. Its admins can change that.",
    ]);
  }
  await using limited = await startProduct(
    "start",
    env,
    {},
    {},
    {
      admins: { platform: false, users: [], roles: [] },
      limits: { user: { most: 1, ...hour } },
    },
  );
  const person = createWebPerson(limited.url);
  const thread = await person.say("hello");
  await person.replies(thread, 1);
  await person.say("and again", thread);
  const [, refused] = await person.replies(thread, 2);
  expect(refused?.text).toContain("Please try again later.");
});
