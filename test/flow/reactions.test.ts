// From an emoji in the thread to the page: an admin sees what people gave to what was said and to the answer, and what they took back.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ChatBrowser } from "../adapters/web/chat-browser.ts";
import { chromiumPath } from "../support/services/chromium.ts";
import { until } from "../support/until.ts";
import { openDiscordWorld } from "./discord-world.ts";
import { openSlackWorld } from "./slack-world.ts";

let browser: ChatBrowser;
beforeAll(async () => {
  browser = await ChatBrowser.start(await chromiumPath());
});
afterAll(() => browser.stop());

const LINK = /http:[^"|>\s)]+\/admin\/in\/[A-Za-z0-9_-]{43}/;

/** The transcript, as who was given the link sees it. */
async function transcript(stack: AsyncDisposableStack, link: string): Promise<Page> {
  const page = await browser.open(stack);
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/admin\/threads\//);
  return page;
}

/** What stands below the messages, once it is this: each emoji with a name, and whether it was taken back. */
async function shows(page: Page, expected: readonly string[]): Promise<void> {
  const reactions = page.locator("#thread .people .reaction");
  const seen = async (): Promise<readonly string[]> => {
    const texts = await reactions.evaluateAll((all) =>
      all.map((one) => {
        const words = (one.querySelector("s") ?? one).textContent ?? "";
        const isTaken = one.querySelector("s") !== null && one.textContent?.includes("taken back") === true;
        const [emoji = "", name = ""] = words.trim().split(/\s+/);
        return `${emoji} ${name}${isTaken ? " taken back" : ""}`;
      }),
    );
    return texts.toSorted();
  };
  const wanted = expected.toSorted().join("; ");
  await until(async () => (await seen()).join("; ") === wanted, {
    everyMs: 100,
    what: `the page shows ${wanted}`,
  });
}

test("on Slack: what is given shows while one looks, and what is taken back is struck through, in whatever order it is told", async () => {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await openSlackWorld({ over: "socket", parts: "start" }));
  const { slack } = world;
  const [boss, ana] = [slack.person("Bea", { role: "admin" }), slack.person("Ana")];
  const channel = slack.channel("general");
  const asked = ana.say(channel, `${slack.botMention} may I?`);
  const thread = { channel: channel.id, root: asked.ts };
  const [answer] = await world.settled(thread, 1);
  const reply = { channel: channel.id, ts: answer!.ts };
  boss.say(channel, `${slack.botMention} transcript`, { thread: asked.ts });
  await world.whispers(thread, boss, 1);
  const whisper = slack.thread(channel.id, asked.ts, { as: boss }).find((one) => one.ephemeralTo === boss.id);
  const page = await transcript(stack, LINK.exec(JSON.stringify(whisper?.blocks))?.[0] ?? "");
  const asks = world.llm.requests.length;

  await boss.react(asked, "eyes").delivered;
  await ana.react(reply, "tada").delivered;
  await shows(page, [":eyes: Bea", ":tada: Ana"]);
  const about = page.getByRole("list", { name: "Reactions" }).getByTitle(`Ana (${ana.id}): :tada:`);
  await about.locator("time").waitFor();

  await ana.unreact(reply, "tada").delivered;
  slack.delivery.hold();
  const sent = [boss.react(reply, "+1"), boss.unreact(reply, "+1")];
  slack.delivery.release((held) => held.toReversed());
  await Promise.all(sent.map(({ delivered }) => delivered));
  await shows(page, [":eyes: Bea", ":tada: Ana taken back", ":+1: Bea taken back"]);

  // To a message of no thread, and by the bot itself.
  await ana.react(ana.say(channel, "among us"), "wave").delivered;
  await ana.react(reply, "wave").delivered;
  await shows(page, [":eyes: Bea", ":tada: Ana taken back", ":+1: Bea taken back", ":wave: Ana"]);

  // Nobody was answered for any of it.
  expect(world.replies(thread)).toHaveLength(1);
  expect(world.llm.requests).toHaveLength(asks);
  world.expectPeace();
});

test("on Discord: what is given to the message that began a thread and to the answer, taken back by one, and by a moderator", async () => {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await openDiscordWorld({ parts: "embedded" }));
  const { discord } = world;
  const [boss, ana] = [discord.person("Bea", { isModerator: true }), discord.person("Ana")];
  const channel = discord.channel("general");
  const asked = ana.say(channel, `${discord.botMention} may I?`);
  const [reply] = await world.settled(asked.id, 1);
  await boss.command(asked.id, "transcript");
  const told = await until(() => discord.whispers(asked.id, boss)[0], { what: "Bea is given a link" });
  const page = await transcript(stack, LINK.exec(told)?.[0] ?? "");
  const asks = world.llm.requests.length;

  boss.react(asked, "👀");
  ana.react(reply!, "🎉");
  boss.react(reply!, "🎉");
  ana.react(reply!, "<:party:123456789012345678>");
  await shows(page, ["👀 Bea", "🎉 Ana", "🎉 Bea", ":party: Ana"]);

  ana.unreact(reply!, "🎉");
  await shows(page, ["👀 Bea", "🎉 Ana taken back", "🎉 Bea", ":party: Ana"]);
  boss.clearReactions(reply!, "<:party:123456789012345678>");
  await shows(page, ["👀 Bea", "🎉 Ana taken back", "🎉 Bea", ":party: Ana taken back"]);
  boss.clearReactions(reply!);
  await shows(page, ["👀 Bea", "🎉 Ana taken back", "🎉 Bea taken back", ":party: Ana taken back"]);

  expect(world.replies(asked.id)).toHaveLength(1);
  expect(world.llm.requests).toHaveLength(asks);
  world.expectPeace();
});
