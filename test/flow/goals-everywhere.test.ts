// A goal on each surface, from its first word to its end: the local Slack with a gateway and a worker on Redis and Postgres, the local
// Discord, and the web chat.
import { test } from "vitest";
import type { Person } from "../support/discord/person.ts";
import type { SeenMessage as DiscordMessage } from "../support/discord/seen.ts";
import type { SeenMessage } from "../support/slack/seen.ts";
import { until } from "../support/until.ts";
import { deploy } from "./deployment.ts";
import { openDiscordWorld } from "./discord-world.ts";
import { playGoal, type GoalDriver, type ShownCard } from "./goal-scenario.ts";
import { openSlackWorld, type ThreadOf } from "./slack-world.ts";

const isCard = (text: string): boolean => /^\**Goal ·/.test(text);

async function onSlack(): Promise<GoalDriver<ThreadOf>> {
  const world = await openSlackWorld({ over: "socket", parts: ["gateway", "worker"] });
  const { slack } = world;
  const ana = slack.person("Ana");
  const channel = slack.channel("ponds");
  const textOf = ({ text, blocks }: SeenMessage): string => `${text} ${JSON.stringify(blocks)}`;
  const messageOf = (spot: ThreadOf, { id }: ShownCard): SeenMessage =>
    world.replies(spot).find(({ ts }) => ts === id)!;
  return {
    llm: world.llm,
    async begin(text) {
      await ana.slash("/goal", text, channel);
      const root = await until(
        () => slack.channelTop(channel.id).find(({ text }) => text.includes("gave me a goal")),
        { what: "the thread is opened" },
      );
      return { channel: channel.id, root: root.ts };
    },
    say: (spot, text) => ana.say(channel, text, { thread: spot.root }).delivered,
    cards: async (spot) =>
      world
        .replies(spot)
        .filter(({ text }) => isCard(text))
        .map((one) => ({ id: one.ts, text: textOf(one), buttons: one.controls.map(({ text }) => text) })),
    async press(spot, card, label) {
      const message = messageOf(spot, card);
      const control = message.controls.find(({ text }) => text === label)!;
      await ana.click(message, control.actionId);
    },
    async edit(spot, card, text) {
      await ana.click(messageOf(spot, card), "bobbin_edit");
      await until(() => ana.modal() !== undefined, { what: "the form is shown" });
      await ana.submit({ text });
    },
    replies: async (spot) =>
      world
        .replies(spot)
        .filter(({ text, ts }) => !isCard(text) && ts !== spot.root)
        .map(textOf),
    expectPeace: world.expectPeace,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

async function onDiscord(): Promise<GoalDriver<string>> {
  const world = await openDiscordWorld({ parts: "start" });
  const { discord } = world;
  const ana: Person = discord.person("Ana");
  const channel = discord.channel("ponds");
  const messageOf = (thread: string, { id }: ShownCard): DiscordMessage =>
    world.replies(thread).find((one) => one.id === id)!;
  return {
    llm: world.llm,
    async begin(text) {
      // Without a text it asks for one, in a form.
      await ana.command(channel, "goal set");
      await ana.submit({ text });
      const root = await until(
        () => discord.shown(channel.id).find(({ content }) => content.includes("gave me a goal")),
        { what: "the thread is opened" },
      );
      return root.id;
    },
    say: async (thread, text) => ana.say(thread, text),
    cards: async (thread) =>
      world
        .replies(thread)
        .filter(({ content }) => isCard(content))
        .map(({ id, content, buttons }) => ({
          id,
          text: content,
          buttons: buttons.map(({ label }) => label),
        })),
    press: (thread, card, label) => ana.click(messageOf(thread, card), label),
    async edit(thread, card, text) {
      await ana.click(messageOf(thread, card), "Edit");
      await ana.submit({ text });
    },
    replies: async (thread) =>
      world.replies(thread).flatMap(({ content }) => (isCard(content) ? [] : [content])),
    expectPeace: world.expectPeace,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

async function onTheWeb(): Promise<GoalDriver<string>> {
  const bobbin = await deploy({ workers: 1, times: { sweep: { everyMs: 1_000, idleMs: 500 } } });
  const ana = bobbin.newPerson();
  return {
    llm: bobbin.llm,
    begin: (text) => ana.say(`/goal ${text}`),
    say: (thread, text) => ana.say(text, thread),
    async cards(thread) {
      const card = await ana.card(thread);
      if (card === undefined) return [];
      const { id, text, foot, buttons } = card;
      return [{ id, text: `${text} ${foot}`, buttons: buttons.map(({ label }) => label) }];
    },
    async press(thread, _, label) {
      const button = (await ana.card(thread))?.buttons.find((one) => one.label === label);
      await ana.click(thread, button!.action, button!.value);
    },
    edit: (thread, _, text) => ana.say(`/goal edit ${text}`, thread),
    replies: async (thread) =>
      (await ana.read(thread)).flatMap(({ from, text, foot }) => (from === "bot" ? [`${text} ${foot}`] : [])),
    expectPeace: () => {},
    [Symbol.asyncDispose]: () => bobbin[Symbol.asyncDispose](),
  };
}

async function play<Spot>(opened: Promise<GoalDriver<Spot>>): Promise<void> {
  await using driver = await opened;
  await playGoal(driver);
}

test("on Slack, given in a channel, with a form for the edit and buttons", () => play(onSlack()));
test("in the web chat, from the box and the card", () => play(onTheWeb()));
test("on Discord, given in a channel, with a form for the edit and buttons", () => play(onDiscord()));
