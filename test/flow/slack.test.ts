// Slack as people have it, in each of the ways in which Bobbin is run: what they write, and what they see.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { SeenMessage } from "../support/slack/seen.ts";
import { until } from "../support/until.ts";
import { openSlackWorld, type SlackWorld } from "./slack-world.ts";

const several = ["gateway", "worker", "worker"] as const;
const ways = [
  { name: "one process over a socket", over: "socket", parts: "embedded" },
  { name: "one process over HTTP", over: "http", parts: "embedded" },
  { name: "a gateway and two workers over a socket", over: "socket", parts: several },
  { name: "a gateway and two workers over HTTP", over: "http", parts: several },
] as const;

const wordsOf = ({ text }: SeenMessage): readonly string[] => text.match(/word\d+/g) ?? [];
const words = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `word${n + 1}`);

describe.each(ways)("$name", ({ over, parts }) => {
  let world: SlackWorld;
  beforeAll(async () => {
    world = await openSlackWorld({ over, parts, as: "processes", llm: { talker: { perSecond: 60 } } });
  });
  afterEach(() => world.expectPeace());
  afterAll(() => world[Symbol.asyncDispose]());

  /** A channel of its own with two people, so that nothing of the other tests is in the way. */
  function scene(name: string) {
    const { slack } = world;
    const [ana, ben] = [slack.person(`Ana of ${name}`), slack.person(`Ben of ${name}`)];
    return { slack, ana, ben, channel: slack.channel(name), at: slack.botMention };
  }
  const lastPrompt = (): string => JSON.stringify(world.llm.requests.at(-1)?.body.messages);

  test("a mention is answered in its thread: a sign of life before the model's first word, growing text, all of it", async () => {
    const { slack, ana, channel, at } = scene("first");
    using hold = world.llm.hold(0);
    const root = ana.say(channel, `${at} say 240 words`);
    await until(() => slack.statusLine(channel, root) === "processing", {
      what: "Slack says that the bot works",
    });
    await world.shows(root, "Thinking…");
    for (const word of [60, 120]) {
      hold.release(word);
      await world.shows(root, `word${word - 20} `);
    }
    hold.release();
    const [answer, ...more] = await world.settled(root, 1);
    expect(more).toEqual([]);
    expect(wordsOf(answer!)).toEqual(words(240));
    // No faster than one edit a second on the whole; two close together are complained about by the local Slack.
    const [first, ...edits] = answer!.versions;
    const seconds = (edits.at(-1)!.atMs - first!.atMs) / 1000;
    expect(edits.length).toBeGreaterThan(2);
    expect(edits.length).toBeLessThanOrEqual(seconds + 1);
    expect(slack.statusHistory(channel, root)).toEqual(["processing", ""]);
  });

  test("a reply without a mention goes on with what was said, and a second thread knows nothing of it", async () => {
    const { ana, ben, channel, at } = scene("second");
    const root = ana.say(channel, `${at} the word is heron`);
    await world.settled(root, 1);
    ben.say(channel, "which word was it?", { thread: root });
    const [, second] = await world.settled(root, 2);
    expect(second?.text).toContain("which word was it?");
    expect(lastPrompt()).toContain("the word is heron");

    const other = ana.say(channel, `${at} another matter`);
    const [answer] = await world.settled(other, 1);
    expect(answer?.text).toContain("another matter");
    expect(lastPrompt()).not.toContain("heron");
    expect(world.replies(root)).toHaveLength(2);
  });

  test("a direct message is answered in a thread of its own, and so is the next one", async () => {
    const { ana } = scene("third");
    const one = ana.dm("quietly, the word is egret");
    const [first] = await world.settled(one, 1);
    expect(first?.text).toContain("quietly");
    const two = ana.dm("and now?");
    await world.settled(two, 1);
    expect(lastPrompt()).not.toContain("egret");
    ana.dm("go on", { thread: one });
    await world.settled(one, 2);
    expect(lastPrompt()).toContain("egret");
  });

  test("pitfall 17: a mention in mid-thread knows what was said there, and nothing of the channel", async () => {
    const { ana, ben, channel, at } = scene("fourth");
    ana.say(channel, "the budget is 7 herons");
    const root = ana.say(channel, "what do we do about the budget?");
    ben.say(channel, "I think it is too small", { thread: root });
    ana.say(channel, `${at} and what do you say?`, { thread: root });
    const [answer] = await world.settled(root, 1);
    expect(answer?.text).toContain("and what do you say?");
    for (const said of ["what do we do about", "Ben of fourth", "too small"])
      expect(lastPrompt()).toContain(said);
    expect(lastPrompt()).not.toContain("7 herons");
  });

  test("what is not for the bot is neither answered nor stored", async () => {
    const { slack, ana, ben, channel, at } = scene("fifth");
    const asked = world.llm.requests.length;
    const talk = ana.say(channel, "unheard: lunch?");
    const heard = [
      talk,
      ben.say(channel, "unheard: yes", { thread: talk }),
      ben.say(channel, `${ana.mention} unheard: at one`),
      slack.otherBot("Weather").say(channel, `${at} unheard: rain`),
      ana.join(channel),
    ];
    await Promise.all(heard.map(({ delivered }) => delivered));
    await ana.edit(talk, "unheard: dinner?").delivered;
    const root = ana.say(channel, `${at} but this is`);
    await world.settled(root, 1);
    await ben.say(channel, `${ana.mention} unheard: not the bot`, { thread: root }).delivered;
    await ben.say(channel, "(aside) unheard: it is slow", { thread: root }).delivered;
    ana.say(channel, "and this", { thread: root });
    await world.settled(root, 2);
    expect(world.llm.requests).toHaveLength(asked + 2);
    expect(world.replies(talk)).toEqual([]);

    const sql = await world.ended();
    const stored = await sql.query<{ body: string }>({
      name: "everything-said",
      text: "select body::text as body from inbox union all select body::text from entries",
    });
    expect(stored.some(({ body }) => body.includes("but this is"))).toBe(true);
    expect(stored.filter(({ body }) => body.includes("unheard"))).toEqual([]);
  });
});
