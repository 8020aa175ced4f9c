import { expect, test } from "vitest";
import type { Inbound } from "../../../src/core/inbound.ts";
import { exactly } from "../../support/until.ts";
import { inboundWorld, type InboundWorld } from "./inbound-world.ts";

const ways = ["socket", "http"] as const;

function words(inbounds: readonly Inbound[]): readonly string[] {
  return inbounds.map((inbound) => {
    const parts = inbound.kind === "message" || inbound.kind === "edit" ? inbound.parts : [];
    const said = parts.map((part) => (part.kind === "text" ? part.text : `(${part.kind})`)).join(" ");
    return inbound.kind === "message" ? said : `${inbound.kind}: ${said}`;
  });
}

const acknowledged = (attempts = 1) => expect.objectContaining({ kind: "acknowledged", attempts });

function cast(world: InboundWorld) {
  const { slack } = world;
  const ana = slack.person("Ana");
  const ben = slack.person("Ben");
  return { ana, ben, channel: slack.channel("general"), at: slack.botMention };
}

test.each(ways)("I1 over %s a mention is stored once, whichever copy comes first", async (over) => {
  await using world = await inboundWorld({ over });
  const { ana, channel, at } = cast(world);
  for (const order of ["message first", "mention first"] as const) {
    const said = ana.say(channel, `${at} ${order}`, { order });
    expect(await said.delivered).toEqual([acknowledged(), acknowledged()]);
  }
  for (const copies of ["only the message", "only the mention"] as const) {
    expect(await ana.say(channel, `${at} ${copies}`, { copies }).delivered).toEqual([acknowledged()]);
  }
  const stored = await world.stored();
  expect(words(stored)).toEqual(["message first", "mention first", "only the message", "only the mention"]);
  expect(stored[0]?.author).toMatchObject({
    id: ana.id,
    name: "Ana",
    kind: "member",
    isPlatformAdmin: false,
  });
  expect(await world.sessions()).toHaveLength(4);
  expect(world.slack.complaints).toEqual([]);
});

test.each(ways)("I2 I3 over %s what was not acknowledged comes again and is stored once", async (over) => {
  await using world = await inboundWorld({ over });
  const { ana, channel, at } = cast(world);
  world.slack.delivery.spoil("lost");
  await ana.say(channel, `${at} lost on the way`, { copies: "only the mention" }).delivered;
  world.slack.delivery.spoil("unacknowledged");
  const [outcome] = await ana.say(channel, `${at} taken, but the answer was lost`, {
    copies: "only the mention",
  }).delivered;
  expect(outcome).toEqual(acknowledged(2));
  const last = world.slack.delivery.log.at(-1);
  if (last === undefined) throw new Error("nothing was delivered");
  await world.slack.delivery.repeat(last.payload);
  expect(words(await world.stored())).toEqual(["lost on the way", "taken, but the answer was lost"]);
});

test.each(ways)(
  "over %s what cannot be stored is not acknowledged, and is stored when it comes again",
  async (over) => {
    await using world = await inboundWorld({ over, slack: { ackTimeoutMs: 800 } });
    const { ana, channel, at } = cast(world);
    world.breakStore(2);
    const said = ana.say(channel, `${at} while the store is away`, { copies: "only the message" });
    expect(await said.delivered).toEqual([acknowledged(3)]);
    expect(words(await world.stored())).toEqual(["while the store is away"]);
  },
);

test("a command that cannot be stored is taken when it comes again, and answered once", async () => {
  await using world = await inboundWorld({ slack: { ackTimeoutMs: 800 } });
  const { ana, channel, at } = cast(world);
  const root = ana.say(channel, `${at} hello`);
  await root.delivered;
  world.breakStore(1);
  await ana.say(channel, `${at} reset`, { thread: root }).delivered;
  expect(words(await world.stored())).toEqual(["hello", "command: "]);
  const told = () =>
    world.slack.thread(channel, root, { as: ana }).filter((one) => one.ephemeralTo === ana.id);
  await exactly(told, 1, "Ana is told");
});

test("the same event at two gateways is stored once", async () => {
  await using world = await inboundWorld();
  await world.another();
  const { ana, channel, at } = cast(world);
  world.slack.delivery.deliverTo("every");
  await ana.say(channel, `${at} to both`).delivered;
  await ana.say(channel, `${at} again`).delivered;
  expect(words(await world.stored())).toEqual(["to both", "again"]);
});

test.each(ways)("over %s what is not for the bot is acknowledged and never stored", async (over) => {
  await using world = await inboundWorld({ over });
  const { slack } = world;
  const { ana, ben, channel, at } = cast(world);
  const robot = slack.otherBot("ci");
  const talk = [
    ana.say(channel, "lunch?"),
    ana.say(channel, `${ben.mention} lunch?`),
    robot.say(channel, `${at} build 7 failed`),
    robot.say(channel, `${at} build 8 failed`, { subtype: "bot_message" }),
    slack.person("Cem").join(channel),
    ana.say(slack.groupDm(ana, ben), "a word among us"),
  ];
  const reply = ben.say(channel, "yes", { thread: talk[0]! });
  for (const each of [...talk, reply]) {
    for (const outcome of await each.delivered) expect(outcome).toEqual(acknowledged());
  }
  slack.unfurl(talk[0]!, "https://example.org");
  await ana.edit(talk[0]!, "supper?").delivered;
  await ana.delete(talk[1]!).delivered;
  expect(await world.stored()).toEqual([]);
  expect(await world.sessions()).toEqual([]);
  expect(slack.callsOf("chat.postMessage")).toEqual([]);
});

test("in a thread of the bot a reply needs no mention; what is for somebody else or said aside is left out", async () => {
  await using world = await inboundWorld();
  const { ana, ben, channel, at } = cast(world);
  const root = ana.say(channel, `${at} hello`);
  await root.delivered;
  await ben.say(channel, "me too", { thread: root }).delivered;
  await ben.say(channel, `${ana.mention} do you believe that?`, { thread: root }).delivered;
  await ben.say(channel, "(aside) it is often wrong", { thread: root }).delivered;
  await ben.say(channel, "and also here", { thread: root, alsoToChannel: true }).delivered;
  const stored = await world.stored();
  expect(words(stored)).toEqual(["hello", "me too", "and also here"]);
  expect(stored.map(({ author }) => author.name)).toEqual(["Ana", "Ben", "Ben"]);
  expect(await world.sessions()).toHaveLength(1);
});

test("each direct message opens a thread of its own; a group needs a mention", async () => {
  await using world = await inboundWorld();
  const { slack } = world;
  const { ana, ben, at } = cast(world);
  const first = ana.dm("hello");
  await first.delivered;
  await ana.dm("something else").delivered;
  await ana.dm("more of the first", { thread: first }).delivered;
  const group = slack.groupDm(ana, ben);
  await ana.say(group, "not for the bot").delivered;
  const asked = ana.say(group, `${at} what do you think?`);
  await asked.delivered;
  await ben.say(group, "yes, what?", { thread: asked }).delivered;
  expect(words(await world.stored())).toEqual([
    "hello",
    "something else",
    "more of the first",
    "what do you think?",
    "yes, what?",
  ]);
  expect(await world.sessions()).toHaveLength(3);
});

test("I5 edits and deletes reach the message that they are about", async () => {
  await using world = await inboundWorld();
  const { ana, channel, at } = cast(world);
  const root = ana.say(channel, `${at} helo`);
  await root.delivered;
  const reply = ana.say(channel, "nevermind", { thread: root });
  await reply.delivered;
  await ana.edit(root, `${at} hello`).delivered;
  world.slack.unfurl(root, "https://example.org");
  await ana.delete(reply).delivered;
  await ana.delete(root).delivered;
  const stored = await world.stored();
  expect(words(stored)).toEqual(["hello", "nevermind", "edit: hello", "delete: ", "delete: "]);
});

test("I18 names stand for the people who are mentioned, and signs are what was typed", async () => {
  await using world = await inboundWorld();
  const { ana, ben, channel } = cast(world);
  await ana.type(channel, "@bobbin does @Ben know that a < b && c?").delivered;
  expect(words(await world.stored())).toEqual(["does @Ben know that a < b && c?"]);
  expect(ben.name).toBe("Ben");
});

test("I8 I14 I19 files and forwarded words come with their message", async () => {
  await using world = await inboundWorld();
  const { slack } = world;
  const { ana } = cast(world);
  await ana.dm("", { files: [slack.file(ana, "plan.txt", "the plan")] }).delivered;
  await ana.dm("", {
    attachments: [{ author_name: "Ben", is_share: true, text: "please review", fallback: "please review" }],
  }).delivered;
  const stored = await world.stored();
  expect(words(stored)).toEqual(["(file)", "Forwarded, written by Ben:\n> please review"]);
});
