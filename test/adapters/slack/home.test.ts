// The Home tab over real parts: what somebody sees of their threads, who sees what, and what Slack does that is in its way.
import { afterAll, beforeAll, expect, test } from "vitest";
import { objectsIn, readable } from "../../support/slack/rendering.ts";
import type { JsonObject } from "../../support/slack/message.ts";
import type { Person, Said } from "../../support/slack/person.ts";
import { until } from "../../support/until.ts";
import { inboundWorld, type InboundWorld } from "./inbound-world.ts";

type Channel = ReturnType<InboundWorld["slack"]["channel"]>;

let world: InboundWorld;
let scenes = 0;
beforeAll(async () => {
  world = await inboundWorld({
    access: (slack) => ({ channels: { deny: [`slack:${slack.teamId}:${slack.channel("off").id}`] } }),
  });
});
afterAll(() => world[Symbol.asyncDispose]());

function scene() {
  scenes++;
  const { slack } = world;
  const [ana, ben] = [slack.person(`Ana ${scenes}`), slack.person(`Ben ${scenes}`)];
  const channel = slack.channel(`channel-${scenes}`, { members: [ana, ben] });
  const secret = slack.channel(`secret-${scenes}`, { kind: "private", members: [ana, ben] });
  return { slack, ana, ben, channel, secret, at: slack.botMention };
}

async function says(who: Person, where: Channel, words: string, thread?: Said): Promise<Said> {
  const said = who.say(where, words, thread === undefined ? {} : { thread });
  await said.delivered;
  return said;
}

const published = (): number => world.slack.callsOf("views.publish").filter(({ status }) => status).length;

/** What the tab says once it has been published as often as that since. */
async function home(who: Person, act: () => unknown = () => who.openHome()): Promise<string> {
  const before = published();
  act();
  await until(() => published() > before, { what: "a Home tab is published" });
  return textOf(who);
}

function textOf(who: Person): string {
  return readable({ text: "", blocks: objectsIn(who.home()?.["blocks"]), attachments: undefined });
}

function linksOf(who: Person): readonly string[] {
  const found: string[] = [];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(walk);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    const object = value as JsonObject;
    if (object["type"] === "link") found.push(String(object["url"]));
    Object.values(object).forEach(walk);
  };
  walk(who.home()?.["blocks"]);
  return found;
}

test("who has no threads reads how to begin one", async () => {
  const { ana } = scene();
  expect(await home(ana)).toMatch(/no threads with me yet\. Mention @bobbin[^]*@bobbin help/);
  expect(world.slack.complaints).toEqual([]);
});

test("somebody sees the threads in which they wrote, wherever that was, the newest first, with state, place and a link", async () => {
  const { slack, ana, ben, channel, secret, at } = scene();
  const first = await says(ana, channel, `${at} the first *question* &lt;!here&gt;`);
  const second = await says(ben, secret, `${at} Ben's question`);
  await says(ana, secret, "and mine", second);
  await says(ben, channel, `${at} Ben alone`);
  const direct = ana.dm("between us two");
  await direct.delivered;
  const opened = await world.store.open(
    `slack:${slack.teamId}:${channel.id}:${first.root}` as never,
    "worker",
  );
  if (opened.kind !== "run") throw new Error("there is nothing to do");
  const text = await home(ana);
  expect(text).not.toContain("Ben alone");
  expect(text).toContain("the first *question* <!here>");
  expect(text).toMatch(new RegExp(`first[^]*Working · \\S+ · #${channel.id}`));
  expect(text).toMatch(new RegExp(`Ben's question\\s+Waiting for its turn · \\S+ · #${secret.id}`));
  expect(text).toMatch(/between us two\s+Waiting for its turn · \S+ · between us/);
  // The one that was touched last is the one in which work began.
  expect(linksOf(ana)[0]).toBe(
    `${slack.origin}/archives/${channel.id}/p${first.root.replace(".", "")}?thread_ts=${first.root}&cid=${channel.id}`,
  );
  expect(slack.complaints).toEqual([]);
});

test("the button makes the tab anew, and so does opening it again", async () => {
  const { slack, ana, channel, at } = scene();
  await says(ana, channel, `${at} one`);
  expect(await home(ana)).toContain("one");
  await says(ana, channel, `${at} two`);
  expect(textOf(ana)).not.toContain("two");
  expect(await home(ana, () => ana.press("home", "bobbin_home_refresh"))).toMatch(/two[^]*one/);
  await says(ana, channel, `${at} three`);
  expect(await home(ana)).toMatch(/three[^]*two[^]*one/);
  const hashes = slack
    .callsOf("views.publish")
    .slice(-2)
    .map(({ args }) => args["hash"]);
  expect(hashes.every((hash) => typeof hash === "string")).toBe(true);
});

test("of very many threads the newest are shown, within what Slack takes", async () => {
  const { ana, channel, at } = scene();
  for (let n = 1; n <= 27; n++) await says(ana, channel, `${at} ${n} ${"w".repeat(200)}`);
  const text = await home(ana);
  expect(linksOf(ana)).toHaveLength(25);
  expect(text).toContain("Only the newest 25 are shown.");
  expect(text).not.toMatch(/^2 w/m);
});

test("whoever has left a channel sees its threads no more, and is told that some are left out", async () => {
  const { ana, channel, secret, at } = scene();
  await says(ana, secret, `${at} in secret`);
  await says(ana, channel, `${at} in the open`);
  expect(await home(ana)).toMatch(/in the open[^]*in secret/);
  secret.members.delete(ana.id);
  const text = await home(ana);
  expect(text).toContain("in the open");
  expect(text).not.toContain("in secret");
  expect(text).toContain("have left");
  secret.members.add(ana.id);
  expect(await home(ana)).toContain("in secret");
});

test("where Slack does not say which channels somebody is in, only what they wrote to the bot alone is shown", async () => {
  const { slack, ana, secret, at } = scene();
  await says(ana, secret, `${at} in secret`);
  await ana.dm("between us two").delivered;
  slack.fault("users.conversations", { kind: "refused", error: "missing_scope" });
  const text = await home(ana);
  expect(text).toContain("between us two");
  expect(text).not.toContain("in secret");
  expect(text).toContain("could not learn");
});

test("S18: people of other companies and guests read that they may not, and nothing of the threads", async () => {
  const { slack, ana, at } = scene();
  const eve = slack.person("Eve", { teamId: "T0OTHER" });
  const gus = slack.person("Gus", { role: "guest" });
  const shared = slack.channel(`shared-${scenes}`, { members: [eve, ana, gus], isShared: true });
  const root = await says(ana, shared, `${at} a question among us`);
  for (const [who, why] of [
    [eve, "People of other companies may not use this bot."],
    [gus, "Guests may not use this bot."],
  ] as const) {
    await says(who, shared, "me too", root);
    const text = await home(who);
    expect(text).toContain(why);
    expect(text).not.toContain("a question among us");
  }
});

test("threads of a channel in which nobody may ask are left out, and somebody whom Slack does not name sees none", async () => {
  const { slack, ana, channel, at } = scene();
  const off = slack.channel("off");
  await says(ana, channel, `${at} here`);
  await says(ana, off, `${at} there`);
  const text = await home(ana);
  expect(text).toContain("here");
  expect(text).not.toContain("there");
  const cid = slack.person(`Cid ${scenes}`);
  slack.fault("users.info", { kind: "refused", error: "internal_error" }, { times: 9 });
  expect(await home(cid)).toContain("could not learn from Slack who you are");
  slack.clearFaults();
});

test("a tab that another one has published meanwhile is made once more", async () => {
  const { slack, ana, channel, at } = scene();
  await says(ana, channel, `${at} one`);
  await home(ana);
  const before = published();
  slack.fault("views.publish", { kind: "refused", error: "hash_conflict" });
  await says(ana, channel, `${at} two`);
  ana.openHome();
  await until(() => published() >= before + 2, { what: "the tab is published again" });
  expect(textOf(ana)).toContain("two");
});

test("who opens the tab again and again is served once more at the end, not each time", async () => {
  const { slack, ana, channel, at } = scene();
  await says(ana, channel, `${at} one`);
  const mayAnswer = Promise.withResolvers<void>();
  expect(await home(ana)).toContain("one");
  slack.fault("views.publish", { kind: "late", until: mayAnswer.promise });
  const before = slack.callsOf("views.publish").length;
  for (let n = 0; n < 5; n++) await ana.openHome().delivered;
  await says(ana, channel, `${at} two`);
  mayAnswer.resolve();
  await until(() => textOf(ana).includes("two"), { what: "the tab shows it" });
  expect(slack.callsOf("views.publish").length).toBeLessThanOrEqual(before + 3);
});

test("the tab with messages is no Home tab", async () => {
  const { slack, ana } = scene();
  const before = slack.callsOf("views.publish").length;
  await ana.openHome("messages").delivered;
  await home(ana);
  expect(slack.callsOf("views.publish")).toHaveLength(before + 1);
});

test.each([
  { kind: "refused", error: "not_enabled" },
  { kind: "status", status: 503 },
  { kind: "lost response" },
  // The last one, as the method is closed after it.
  { kind: "rate limited", retryAfterS: 1 },
] as const)("a tab that cannot be published ($kind) holds nothing up", async (fault) => {
  const { slack, ana, channel, at } = scene();
  slack.fault("views.publish", fault);
  await ana.openHome().delivered;
  await until(() => slack.unusedFaults === 0, { what: "the call went wrong" });
  const root = await says(ana, channel, `${at} a question`);
  expect(await world.sessions()).toContain(`slack:${slack.teamId}:${channel.id}:${root.ts}`);
});
