// Discord as people have it, in each of the ways in which Bobbin is run: what they write, and what they see.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { SeenMessage } from "../support/discord/seen.ts";
import { says } from "../support/fake-llm/answers.ts";
import { until } from "../support/until.ts";
import { openDiscordWorld, type DiscordWorld } from "./discord-world.ts";

const ways = [
  { name: "one process, embedded", parts: "embedded" },
  { name: "a gateway and two workers", parts: ["gateway", "worker", "worker"] },
] as const;

const wordsOf = ({ text }: SeenMessage): readonly string[] => text.match(/word\d+/g) ?? [];
const words = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `word${n + 1}`);

describe.each(ways)("$name", ({ parts }) => {
  let world: DiscordWorld;
  beforeAll(async () => {
    world = await openDiscordWorld({ parts, llm: { talker: { perSecond: 60 } } });
  });
  afterEach(() => world.expectPeace());
  afterAll(() => world[Symbol.asyncDispose]());

  function scene(name: string) {
    const { discord } = world;
    const [ana, ben] = [discord.person(`Ana of ${name}`), discord.person(`Ben of ${name}`)];
    return { discord, ana, ben, channel: discord.channel(name), at: discord.botMention };
  }
  const lastPrompt = (): string => JSON.stringify(world.llm.requests.at(-1)?.body.messages);

  test("a mention is answered in a thread below it: a sign of life before the model's first word, growing text, all of it", async () => {
    const { discord, ana, channel, at } = scene("first");
    using hold = world.llm.hold(0);
    const { id } = ana.say(channel, `${at} say 200 words`);
    await world.shows(id, "Thinking…");
    expect(discord.threadNamed(id)).toMatchObject({ parent: channel.id, name: "say 200 words" });
    for (const word of [60, 120]) {
      hold.release(word);
      await world.shows(id, `word${word - 20} `);
    }
    hold.release();
    const [answer, ...more] = await world.settled(id, 1);
    expect(more).toEqual([]);
    expect(wordsOf(answer!)).toEqual(words(200));
    const edits = answer!.versions.length - 1;
    const seconds = (answer!.versions.at(-1)!.atMs - answer!.versions[0]!.atMs) / 1000;
    expect(edits).toBeGreaterThan(2);
    expect(edits).toBeLessThanOrEqual(seconds + 2);
    expect(discord.invalidRequests).toBe(0);
  });

  test("a reply without a mention goes on with what was said, and a second thread knows nothing of it", async () => {
    const { ana, ben, channel, at } = scene("second");
    const { id } = ana.say(channel, `${at} the word is heron`);
    await world.settled(id, 1);
    ben.say(id, "which word was it?");
    const [, second] = await world.settled(id, 2);
    expect(second?.text).toContain("which word was it?");
    expect(lastPrompt()).toContain("the word is heron");

    const other = ana.say(channel, `${at} another matter`);
    const [answer] = await world.settled(other.id, 1);
    expect(answer?.text).toContain("another matter");
    expect(lastPrompt()).not.toContain("heron");
    expect(world.replies(id)).toHaveLength(2);
  });

  test("a direct message is answered in its place, and the conversation goes on until it is reset", async () => {
    const { discord, ana } = scene("third");
    const said = ana.dm("quietly, the word is egret");
    const [first] = await world.settled(said.channel, 1);
    expect(first?.text).toContain("quietly");
    ana.dm("which word?");
    await world.settled(said.channel, 2);
    expect(lastPrompt()).toContain("egret");
    expect(await ana.command(said.channel, "reset")).toBe("answered");
    await until(() => discord.whispers(said.channel, ana)[0]?.includes("begins anew"), {
      what: "Ana is told",
    });
    ana.dm("and now?");
    await world.settled(said.channel, 3);
    expect(lastPrompt()).not.toContain("egret");
  });

  test("a post in a forum that mentions the bot is answered in it, and one that does not is left alone", async () => {
    const { discord, ana, at } = scene("fourth");
    const forum = discord.channel("ideas", "forum");
    const quiet = ana.publish(forum, "Not for the bot", "just an idea");
    const post = ana.publish(forum, "For the bot", `${at} what about this idea?`);
    const [answer] = await world.settled(post.id, 1);
    expect(answer?.text).toContain("what about this idea?");
    ana.say(post.id, "and the costs?");
    const [, second] = await world.settled(post.id, 2);
    expect(second?.text).toContain("and the costs?");
    expect(world.replies(quiet.id)).toEqual([]);
  });

  test("called into a thread of others, the bot knows what was said there, its first message too, and nothing of the channel", async () => {
    const { discord, ana, ben, channel, at } = scene("fifth");
    ana.say(channel, "the budget is 7 herons");
    const forum = discord.channel("talks", "forum");
    const thread = ana.publish(forum, "The budget", "what do we do about the budget?");
    ben.say(thread.id, "I think it is too small");
    ana.say(thread.id, `${at} and what do you say?`);
    const [answer] = await world.settled(thread.id, 1);
    expect(answer?.text).toContain("and what do you say?");
    for (const said of ["what do we do about", "Ben of fifth", "too small"])
      expect(lastPrompt()).toContain(said);
    expect(lastPrompt()).not.toContain("7 herons");
  });

  test("messages that wait can be corrected and taken back, and the model reads them as they are then", async () => {
    const { ana, channel, at } = scene("waiting");
    const mayEnd = Promise.withResolvers<void>();
    world.llm.script(async (exchange) => {
      await mayEnd.promise;
      await says("the first part")(exchange);
    });
    const { id } = ana.say(channel, `${at} begin`);
    await world.shows(id, "Thinking…");
    const corrected = ana.say(id, "the wrong wrod");
    const taken = ana.say(id, "never mind this");
    ana.edit(corrected, "the right word");
    ana.delete(taken);
    world.discord.unfurl(corrected);
    // A command goes no faster than what was said before it in the channel, so all that is told is stored once it is.
    await until(
      async () => {
        await ana.command(id, "queue");
        const queue = world.discord.whispers(id, ana).findLast((text) => text !== undefined) ?? "";
        return queue.includes("the right word") && !queue.includes("never mind");
      },
      { what: "the queue shows it" },
    );
    mayEnd.resolve();
    await world.shows(id, "the right word");
    await world.settled(id, 1);
    const read = JSON.stringify(world.llm.requests.at(-1)?.body.messages);
    expect(read).toContain("the right word");
    expect(read).not.toContain("never mind this");
    expect(read).not.toContain("wrod");
  });

  test("what is not for the bot is neither answered nor stored", async () => {
    const { discord, ana, ben, channel, at } = scene("sixth");
    const asked = world.llm.requests.length;
    const talk = ana.say(channel, "unheard: lunch?");
    ben.say(channel, "unheard: @everyone yes", { replyTo: talk });
    discord.otherBot("Weather").say(channel, `${at} unheard: rain`);
    ben.say(channel, `${at} unheard: by a hook`, { webhook: true });
    ana.edit(talk, "unheard: dinner?");
    const { id } = ana.say(channel, `${at} but this is`);
    await world.settled(id, 1);
    ben.say(id, `${ana.mention} unheard: not the bot`);
    ben.say(id, "(aside) unheard: it is slow");
    ana.say(id, "and this");
    await world.settled(id, 2);
    expect(world.llm.requests).toHaveLength(asked + 2);
    expect(world.replies(talk.id)).toEqual([]);

    const sql = await world.ended();
    const stored = await sql.query<{ body: string }>({
      name: "everything-said",
      text: "select body::text as body from inbox union all select body::text from entries",
    });
    expect(stored.some(({ body }) => body.includes("but this is"))).toBe(true);
    expect(stored.filter(({ body }) => body.includes("unheard"))).toEqual([]);
  });
});
