// Who may use the bot in Slack, over real parts: what is stored with which rule, what people are told, and what nobody hears of.
import { expect, test } from "vitest";
import type { InboundView } from "../../../src/core/ports/transcripts.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { DEFAULT_ACCESS } from "../../../src/core/access/defaults.ts";
import type { Person, Said, Writer } from "../../support/slack/person.ts";
import { exactly } from "../../support/until.ts";
import { inboundWorld, type InboundWorld } from "./inbound-world.ts";

type Channel = ReturnType<InboundWorld["slack"]["channel"]>;
const hour = { withinMs: 3_600_000 };

function cast(world: InboundWorld) {
  const { slack } = world;
  return {
    slack,
    ana: slack.person("Ana"),
    ada: slack.person("Ada", { role: "admin" }),
    gus: slack.person("Gus", { role: "guest" }),
    channel: slack.channel("general"),
    at: slack.botMention,
  };
}

function sessionOf(world: InboundWorld, channel: Channel, { root }: { readonly root: string }): SessionId {
  return `slack:${world.slack.teamId}:${channel.id}:${root}` as SessionId;
}

async function viewsIn(world: InboundWorld, channel: Channel, root: Said): Promise<readonly InboundView[]> {
  return world.transcripts.inbounds(sessionOf(world, channel, root));
}

const inShort = ({ fate, state, rule }: InboundView): string => `${fate ?? state} by ${rule?.split(":")[0]}`;

/** What only this person was told in the channel or the thread, once there is so much of it. */
async function told(world: InboundWorld, person: Person, where: Channel, root: Said | undefined, count = 1) {
  const seen = () =>
    (root === undefined
      ? world.slack.channelTop(where, { as: person })
      : world.slack.thread(where, root, { as: person })
    )
      .filter(({ ephemeralTo }) => ephemeralTo === person.id)
      .map(({ text }) => text);
  return exactly(seen, count, `${person.name} is told ${count} things`);
}

async function says(who: Writer, channel: Channel, words: string, thread?: Said): Promise<Said> {
  const said = who.say(channel, words, thread === undefined ? {} : { thread });
  await said.delivered;
  return said;
}

/** A thread in which the bot has answered, with its Stop button, and the run that it belongs to. */
async function working(world: InboundWorld, who: Person, channel: Channel) {
  const root = await says(who, channel, `${world.slack.botMention} work for long`);
  const opened = await world.store.open(sessionOf(world, channel, root), "worker");
  if (opened.kind !== "run") throw new Error(`expected a run, got ${opened.kind}`);
  return { root, run: opened.run.id, fence: opened.fence };
}

test("a guest is told once that guests may not, makes no session, and an admin reads the rule with why", async () => {
  await using world = await inboundWorld();
  const { ana, ada, gus, channel, at } = cast(world);
  const root = await says(gus, channel, `${at} let me in`);
  expect((await viewsIn(world, channel, root)).map(inShort)).toEqual(["refused by guests"]);
  expect(await world.sessions()).toEqual([]);
  expect(await told(world, gus, channel, undefined)).toEqual(["Guests may not use this bot."]);
  for (const words of ["please", "please!"]) await says(gus, channel, `${at} ${words}`, root);
  // Nobody else hears of it, and the guest not once more in the hour; talk that is not for the bot is not kept.
  await says(gus, channel, "among us", root);
  expect(await viewsIn(world, channel, root)).toHaveLength(3);
  await told(world, gus, channel, root, 0);
  await says(ana, channel, `${at} why`, root);
  expect(await told(world, ana, channel, root)).toEqual([expect.stringMatching(/^Only admins may use/)]);
  await says(ada, channel, `${at} why`, root);
  const [why] = await told(world, ada, channel, root);
  expect(why).toMatch(/did not answer Gus[^]*guests: slack:T0LOCALTEAM:U\w+ is a guest/);
  expect(world.slack.complaints).toEqual([]);
});

test("a guest who writes in a thread of the bot's is kept as refused, and a colleague there is answered", async () => {
  await using world = await inboundWorld();
  const { ana, ada, gus, channel, at } = cast(world);
  const root = await says(ana, channel, `${at} hello`);
  const guests = await says(gus, channel, "me too", root);
  await says(ana, channel, "and this", root);
  const expected = ["waiting by members", "refused by guests", "waiting by members"];
  expect((await viewsIn(world, channel, root)).map(inShort)).toEqual(expected);
  await told(world, gus, channel, root, 0);
  // By the message's address, from anywhere.
  const link = `https://local.slack.com/archives/${channel.id}/p${guests.ts.replace(".", "")}?thread_ts=${root.root}&amp;cid=${channel.id}`;
  await says(ada, channel, `${at} why <${link}>`);
  await says(ada, channel, `${at} why ${guests.ts}`, root);
  expect(await told(world, ada, channel, undefined)).toEqual([expect.stringContaining("guests:")]);
  expect(await told(world, ada, channel, root)).toEqual([expect.stringContaining("guests:")]);
  await says(ada, channel, `${at} why ${root.ts}`, root);
  expect((await told(world, ada, channel, root, 2))[1]).toMatch(/^It waits for its answer\.[^]*members:/);
});

test("S18: in a channel that companies share their people are refused, whichever copy of a post comes, and ours are not", async () => {
  await using world = await inboundWorld();
  const { slack, ana, at } = cast(world);
  const eve = slack.person("Eve", { teamId: "T0OTHER" });
  const shared = slack.channel("shared", { members: [eve, ana], isShared: true });
  for (const copies of ["only the message", "only the mention"] as const) {
    const said = eve.say(shared, `${at} ${copies}`, { copies });
    await said.delivered;
    expect((await viewsIn(world, shared, said)).map(inShort)).toEqual(["refused by external"]);
    expect(await told(world, eve, shared, undefined, copies === "only the message" ? 1 : 2)).toContain(
      "People of other companies may not use this bot.",
    );
  }
  const ours = ana.say(shared, `${at} hello`, { copies: "only the mention" });
  await ours.delivered;
  expect((await viewsIn(world, shared, ours)).map(inShort)).toEqual(["waiting by members"]);
});

test("S18: in a shared channel somebody who cannot be looked up is not let in", async () => {
  await using world = await inboundWorld();
  const { slack, at } = cast(world);
  const eve = slack.person("Eve", { teamId: "T0OTHER" });
  const shared = slack.channel("shared", { members: [eve], isShared: true });
  slack.fault("users.info", { kind: "refused", error: "internal_error" }, { times: 9 });
  const said = eve.say(shared, `${at} hello`, { copies: "only the mention" });
  await said.delivered;
  expect((await viewsIn(world, shared, said)).map(inShort)).toEqual(["refused by external"]);
});

test("S18: whoever is of another company stops and resets nothing in a shared channel, and writes to the bot alone in vain", async () => {
  await using world = await inboundWorld();
  const { slack, ana } = cast(world);
  const eve = slack.person("Eve", { teamId: "T0OTHER" });
  const shared = slack.channel("shared", { members: [eve, ana], isShared: true });
  const { root, fence } = await working(world, ana, shared);
  const message = { channel: shared.id, ts: root.ts };
  await eve.shortcut("bobbin_stop", message);
  expect(await told(world, eve, shared, root)).toEqual(["People of other companies may not use this bot."]);
  await eve.shortcut("bobbin_details", message);
  await eve.shortcut("bobbin_reset", message);
  await told(world, eve, shared, root, 3);
  await eve.slash("/bobbin", "status", shared);
  expect(await told(world, eve, shared, undefined)).toEqual([
    "People of other companies may not use this bot.",
  ]);
  expect(await world.store.isStopped(fence)).toBe(false);
  const direct = eve.dm("let me in");
  await direct.delivered;
  expect((await viewsIn(world, eve.directChannel, direct)).map(inShort)).toEqual(["refused by external"]);
  expect(await world.transcripts.status(sessionOf(world, shared, root))).toMatchObject({ epoch: 1 });
});

test("in a denied channel nobody is answered, and an admin may ask why there", async () => {
  await using world = await inboundWorld({
    access: (slack) => ({ channels: { deny: [`slack:${slack.teamId}:${slack.channel("off").id}`] } }),
  });
  const { slack, ana, ada, channel, at } = cast(world);
  const off = slack.channel("off");
  const root = await says(ana, off, `${at} hello`);
  expect((await viewsIn(world, off, root)).map(inShort)).toEqual(["refused by channels.deny"]);
  expect(await told(world, ana, off, undefined)).toEqual(["I do not answer in this channel."]);
  await says(ada, off, `${at} why`, root);
  expect(await told(world, ada, off, root)).toEqual([expect.stringContaining("channels.deny:")]);
  const elsewhere = await says(ana, channel, `${at} hello`);
  expect((await viewsIn(world, channel, elsewhere)).map(inShort)).toEqual(["waiting by members"]);
});

test("S11: a click is asked for anew: who may not stop is told so, and the answer goes on", async () => {
  await using world = await inboundWorld();
  const { slack, ana, gus, channel } = cast(world);
  const { root, fence } = await working(world, ana, channel);
  await gus.shortcut("bobbin_stop", { channel: channel.id, ts: root.ts });
  expect(await told(world, gus, channel, root)).toEqual(["Guests may not use this bot."]);
  expect(await world.store.isStopped(fence)).toBe(false);
  expect((await viewsIn(world, channel, root)).map(inShort)).toEqual([
    "admitted by members",
    "refused by guests",
  ]);
  await ana.shortcut("bobbin_stop", { channel: channel.id, ts: root.ts });
  expect(await told(world, ana, channel, root)).toEqual(["Stopping."]);
  expect(await world.store.isStopped(fence)).toBe(true);
  // Nor does a guest read which threads there are.
  expect(await gus.slash("/bobbin", "status", channel)).toMatchObject({ kind: "acknowledged" });
  expect(await told(world, gus, channel, undefined)).toEqual(["Guests may not use this bot."]);
  expect(slack.complaints).toEqual([]);
});

test("a command that is for admins is refused to a member and done for an admin", async () => {
  const commands = { ...DEFAULT_ACCESS.commands, reset: "admins" } as const;
  await using world = await inboundWorld({ access: () => ({ commands }) });
  const { ana, ada, channel, at } = cast(world);
  const root = await says(ana, channel, `${at} hello`);
  await says(ana, channel, `${at} reset`, root);
  expect(await told(world, ana, channel, root)).toEqual(["Only admins may use reset."]);
  expect(await world.transcripts.status(sessionOf(world, channel, root))).toMatchObject({ epoch: 1 });
  await says(ada, channel, `${at} reset`, root);
  expect(await told(world, ada, channel, root)).toEqual([expect.stringContaining("begins anew")]);
  expect(await world.transcripts.status(sessionOf(world, channel, root))).toMatchObject({ epoch: 2 });
  expect((await viewsIn(world, channel, root)).map(inShort)).toEqual([
    "cancelled by members",
    "refused by commands.reset",
    "answered by admins",
  ]);
});

test("an admin who cannot be looked up is none", async () => {
  await using world = await inboundWorld();
  const { slack, ana, ada, channel, at } = cast(world);
  const root = await says(ana, channel, `${at} hello`);
  slack.fault("users.info", { kind: "refused", error: "internal_error" }, { times: 9 });
  await says(ada, channel, `${at} why`, root);
  expect(await told(world, ada, channel, root)).toEqual([expect.stringContaining("could not learn")]);
});

test("I7: another bot is not heard; one on the list is where it mentions ours, and never so often that two talk for ever", async () => {
  const listed: Writer[] = [];
  await using world = await inboundWorld({
    access: (slack) => {
      const parrot = slack.otherBot("Parrot");
      listed.push(parrot);
      return { bots: { allow: [`slack:${slack.teamId}:${parrot.id}`], rate: { most: 2, ...hour } } };
    },
  });
  const { slack, ana, channel, at } = cast(world);
  const crow = slack.otherBot("Crow");
  const root = await says(ana, channel, `${at} talk to each other`);
  for (const words of ["one", "two", "three", "four"]) {
    for (const parrot of listed) {
      await says(parrot, channel, `${at} ${words}`, root);
      await says(parrot, channel, "without a mention", root);
    }
    await says(crow, channel, `${at} ${words}`, root);
  }
  expect((await viewsIn(world, channel, root)).map(inShort)).toEqual([
    "waiting by members",
    "waiting by bots.allow",
    "waiting by bots.allow",
    "refused by bots",
    "refused by bots",
  ]);
});

test("who has asked as often as they may is told so, copies count once, and talk among people not at all", async () => {
  await using world = await inboundWorld({ access: () => ({ limits: { user: { most: 2, ...hour } } }) });
  const { ana, ada, channel, at } = cast(world);
  const elsewhere = await says(ana, channel, "among us");
  await says(ana, channel, "more of it", elsewhere);
  const first = await says(ana, channel, `${at} one`);
  const second = await says(ana, channel, `${at} two`);
  const third = await says(ana, channel, `${at} three`);
  const views = await Promise.all([first, second, third].map((root) => viewsIn(world, channel, root)));
  expect(views.flat().map(inShort)).toEqual([
    "waiting by members",
    "waiting by members",
    "refused by limits.user",
  ]);
  expect(await told(world, ana, channel, undefined)).toEqual([
    expect.stringContaining("Please try again later."),
  ]);
  const admins = await says(ada, channel, `${at} four`);
  expect((await viewsIn(world, channel, admins)).map(inShort)).toEqual(["waiting by admins"]);
});

test("who may not write directly is told where they may", async () => {
  await using world = await inboundWorld({ access: () => ({ direct: "admins" }) });
  const { slack, ana, ada } = cast(world);
  const refused = ana.dm("hello");
  await refused.delivered;
  expect((await viewsIn(world, ana.directChannel, refused)).map(inShort)).toEqual(["refused by direct"]);
  expect(await told(world, ana, ana.directChannel, undefined)).toEqual([
    expect.stringContaining("Mention me in a channel"),
  ]);
  const allowed = ada.dm("hello");
  await allowed.delivered;
  expect((await viewsIn(world, ada.directChannel, allowed)).map(inShort)).toEqual(["waiting by admins"]);
  expect(slack.complaints).toEqual([]);
});

test("one word behind a slash that is no command is answered with the list; one without is said to the bot", async () => {
  await using world = await inboundWorld();
  const { ana, channel, at } = cast(world);
  const root = await says(ana, channel, `${at} thanks`);
  await says(ana, channel, `${at} /bananas`, root);
  const [list] = await told(world, ana, channel, root);
  expect(list).toMatch(/There is no command \/bananas[^]*status/);
  expect((await viewsIn(world, channel, root)).map(inShort)).toEqual(["waiting by members"]);
  // What people say to whoever answers them is no command where nobody else is there.
  const direct = ana.dm("why");
  await direct.delivered;
  expect((await viewsIn(world, ana.directChannel, direct)).map(inShort)).toEqual(["waiting by members"]);
});
