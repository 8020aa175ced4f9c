// The way in from Discord over its whole life: restarts, two gateways, gaps, refusals. What was said is answered once, whatever happens.
import { expect, test } from "vitest";
import { says } from "../support/fake-llm/answers.ts";
import { ownPostgres } from "../support/services/postgres.ts";
import { ownRedis } from "../support/services/redis.ts";
import { until } from "../support/until.ts";
import { IDENTIFIES, openDiscordWorld, type DiscordWorld } from "./discord-world.ts";

const isListening = (world: DiscordWorld, count = 1) =>
  until(() => world.discord.gateway.connected === count, { what: `${count} listen` });

const isWell = (world: DiscordWorld) =>
  until(async () => (await world.missing()).length === 0, { what: "all is well" });

test.each(["embedded", ["gateway", "worker"]] as const)(
  "pitfall 2: what was said while nobody listened is answered when somebody does, once (%s)",
  async (parts) => {
    await using world = await openDiscordWorld({ parts });
    const { discord } = world;
    const [ana, ben] = [discord.person("Ana"), discord.person("Ben")];
    const channel = discord.channel("general");
    const first = ana.say(channel, `${discord.botMention} before`);
    await world.settled(first.id, 1);
    const dm = ana.dm("before, quietly");
    await world.settled(dm.channel, 1);
    await world.stopAll();

    // A mention in a channel, a reply in a thread, a direct message, a channel and a forum's post that are new, and talk.
    const mention = ben.say(channel, `${discord.botMention} missed mention`);
    ana.say(first.id, "missed reply");
    ana.dm("missed quietly");
    const fresh = ben.say(discord.channel("fresh"), `${discord.botMention} missed in a new channel`);
    const post = ana.publish(
      discord.channel("ideas", "forum"),
      "An idea",
      `${discord.botMention} missed post`,
    );
    ben.say(channel, "missed talk");
    // Discord has no list of conversations: nobody can know of this one.
    ben.dm("missed from a stranger");
    const roles = typeof parts === "string" ? (["start"] as const) : parts;
    for (const role of roles) await world.start(role);

    for (const [thread, count, words] of [
      [mention.id, 1, "missed mention"],
      [first.id, 2, "missed reply"],
      [dm.channel, 2, "missed quietly"],
      [fresh.id, 1, "missed in a new channel"],
      [post.id, 1, "missed post"],
    ] as const) {
      expect((await world.settled(thread, count)).at(-1)?.text).toContain(words);
    }
    const stranger = ben.dm("is anybody there?");
    await world.shows(stranger.channel, "is anybody there?");
    await world.shows(stranger.channel, "missed from a stranger");
    // Not only as what was said before: it was fetched, as it would have come.
    const fetched = discord
      .callsOf("GET /channels/:channel/messages")
      .filter(({ query }) => "after" in query);
    expect(fetched.some(({ params }) => params["channel"] === stranger.channel)).toBe(true);
    for (const words of [
      "missed mention",
      "missed reply",
      "missed quietly",
      "missed in a new channel",
      "missed post",
    ])
      expect(world.askedAbout(words)).toBe(1);
    expect(JSON.stringify(world.llm.requests.map(({ body }) => body.messages))).not.toContain("missed talk");
    world.expectPeace();
  },
);

test("two gateways: one listens; when it is killed the other does within seconds, and nothing is lost or doubled", async () => {
  await using world = await openDiscordWorld({ parts: ["gateway", "gateway", "worker"], as: "processes" });
  const { discord } = world;
  const ana = discord.person("Ana");
  const channel = discord.channel("general");
  expect(discord.gateway.connected).toBe(1);
  expect(discord.gateway.identifies).toHaveLength(1);
  const first = ana.say(channel, `${discord.botMention} to the first`);
  await world.settled(first.id, 1);
  const leader = world.running.find(({ process }) =>
    process?.output.includes("this process listens to Discord"),
  );
  // A command that it has taken and not answered yet dies with it.
  const never = Promise.withResolvers<void>();
  discord.fault(
    "PATCH /webhooks/:application/:token/messages/:message",
    { kind: "late", until: never.promise },
    { times: 1 },
  );
  expect(await ana.command(first.id, "status")).toBe("answered");
  await until(() => discord.unusedFaults === 0, { what: "the answer is on its way" });
  expect(discord.whispers(first.id, ana)).toEqual([undefined]);
  leader?.process?.kill("SIGKILL");
  await leader?.process?.exited;
  const between = ana.say(channel, `${discord.botMention} in between`);
  ana.say(first.id, "and in the thread");
  await isListening(world);
  await world.settled(between.id, 1);
  await world.settled(first.id, 2);
  const later = ana.say(channel, `${discord.botMention} to the second`);
  await world.settled(later.id, 1);
  for (const words of ["to the first", "in between", "and in the thread", "to the second"])
    expect(world.askedAbout(words)).toBe(1);
  await until(() => discord.whispers(first.id, ana)[0] !== undefined, { what: "somebody else tells her" });
  expect(discord.whispers(first.id, ana)).toEqual([expect.stringContaining("The last answer is complete.")]);
  never.resolve();
  expect(discord.gateway.identifies).toHaveLength(2);
  // They were registered once, since nothing about them changed.
  expect(discord.callsOf("PUT /applications/:application/commands")).toHaveLength(1);
  world.expectPeace();
});

test("started again and again: each start enters the gateway once, from the fifth on later and later, and what was said meanwhile is answered once", async () => {
  const { apartMs, onTheWayMs } = IDENTIFIES;
  await using world = await openDiscordWorld({
    parts: "start",
    identify: { longestWaitMs: 1_500 },
  });
  const { discord } = world;
  const ana = discord.person("Ana");
  const channel = discord.channel("general");
  const said: string[] = [];
  for (let start = 1; start < 6; start++) {
    await world.stopAll();
    said.push(ana.say(channel, `${discord.botMention} before start ${start}.`).id);
    await world.start("start");
    await isListening(world);
  }
  // A run that is handed over asks the model anew; people see one answer.
  for (const id of said) expect(await world.settled(id, 1)).toHaveLength(1);
  const entered = discord.gateway.identifies.map(({ atMs }) => atMs);
  expect(entered).toHaveLength(6);
  const waited = entered.slice(1).map((atMs, at) => atMs - (entered[at] ?? 0));
  // The sixth would have waited two seconds.
  for (const [at, least] of [apartMs, apartMs, apartMs, 1_000, 1_500].entries())
    expect(waited[at]).toBeGreaterThanOrEqual(least - onTheWayMs);
  expect(discord.gateway.resumes).toBe(0);
  world.expectPeace();
});

test("Postgres and then Redis go away: what is said meanwhile is answered once they are back, and a command is told that it cannot be done", async () => {
  await using postgres = await ownPostgres();
  await using redis = await ownRedis();
  await using world = await openDiscordWorld({
    parts: ["gateway", "worker"],
    databaseUrl: postgres.url,
    redisUrl: redis.url,
  });
  const { discord } = world;
  const ana = discord.person("Ana");
  const channel = discord.channel("general");
  const first = ana.say(channel, `${discord.botMention} hello`);
  await world.settled(first.id, 1);
  await postgres.stop();
  const second = ana.say(channel, `${discord.botMention} without a store`);
  ana.say(first.id, "nor here");
  expect(await ana.command(first.id, "reset")).toBe("answered");
  await until(() => discord.whispers(first.id, ana).at(-1)?.includes("could not be done"), {
    what: "Ana is told",
  });
  await postgres.start();
  await world.settled(second.id, 1);
  await world.settled(first.id, 2);
  await redis.stop("kill");
  await until(async () => (await world.missing()).includes("Redis"), { what: "health says so" });
  const third = ana.say(channel, `${discord.botMention} without a bell`);
  await redis.start();
  await world.settled(third.id, 1);
  await isWell(world);
  for (const words of ["without a store", "nor here", "without a bell"])
    expect(world.askedAbout(words)).toBe(1);
  expect(discord.complaints).toEqual([]);
});

test("pitfall 1: events that come twice, late or in another order, and ones that never come, are answered once", async () => {
  await using world = await openDiscordWorld({ parts: "start" });
  const { discord } = world;
  const ana = discord.person("Ana");
  const channel = discord.channel("general");
  discord.gateway.judge(() => "twice");
  const twice = ana.say(channel, `${discord.botMention} said twice`);
  await world.settled(twice.id, 1);
  discord.gateway.judge(undefined);
  discord.gateway.hold();
  ana.say(twice.id, "one");
  ana.say(twice.id, "two");
  discord.gateway.release((held) => [...held, ...held.toReversed()]);
  await world.shows(twice.id, "two");
  await world.settled(twice.id, 2);
  discord.gateway.judge(() => "lose");
  const lost = ana.say(channel, `${discord.botMention} never told`);
  discord.gateway.judge(undefined);
  // A session that ended is entered anew, and what it missed is fetched.
  discord.gateway.cut(1000);
  await world.settled(lost.id, 1);
  expect(world.askedAbout("said twice")).toBe(1);
  expect(world.askedAbout("never told")).toBe(1);
  world.expectPeace();
});

test("what was missed, and somebody wrote before they reset the thread, is not answered after it", async () => {
  await using world = await openDiscordWorld({ parts: "start" });
  const { discord } = world;
  const ana = discord.person("Ana");
  const { id } = ana.say(discord.channel("general"), `${discord.botMention} begin`);
  await world.settled(id, 1);
  discord.gateway.judge(() => "lose");
  ana.say(id, "before the reset");
  discord.gateway.judge(undefined);
  // Platform time is kept in milliseconds.
  const saidAt = Date.now();
  await until(() => Date.now() > saidAt, { what: "the clock has moved" });
  expect(await ana.command(id, "reset")).toBe("answered");
  await until(() => discord.whispers(id, ana).some((text) => text?.includes("begins anew")), {
    what: "Ana is told",
  });
  // A session that ended is entered anew, and what it missed is fetched.
  discord.gateway.cut(1000);
  await until(() => discord.gateway.identifies.length === 2, { what: "it is entered anew" });
  await isListening(world);
  ana.say(id, "and anew");
  await world.shows(id, "and anew");
  await world.settled(id, 2);
  const fetched = discord.callsOf("GET /channels/:channel/messages").filter(({ query }) => "after" in query);
  expect(fetched.some(({ params }) => params["channel"] === id)).toBe(true);
  expect(JSON.stringify(world.llm.requests.map(({ body }) => body.messages))).not.toContain(
    "before the reset",
  );
  world.expectPeace();
});

test("a broken connection is resumed without an identify, and what came meanwhile is answered", async () => {
  await using world = await openDiscordWorld({ parts: "start" });
  const { discord } = world;
  const ana = discord.person("Ana");
  discord.gateway.cut("terminate");
  const said = ana.say(discord.channel("general"), `${discord.botMention} meanwhile`);
  await world.settled(said.id, 1);
  discord.gateway.askToReconnect();
  await until(() => discord.gateway.resumes === 2, { what: "it has come again" });
  ana.say(said.id, "and then");
  await world.settled(said.id, 2);
  expect(discord.gateway.identifies).toHaveLength(1);
  await isWell(world);
  world.expectPeace();
});

test("pitfall 3: heartbeats that nobody answers are told by health, until they are answered again", async () => {
  await using world = await openDiscordWorld({ parts: "start", discord: { heartbeatMs: 400 } });
  const { discord } = world;
  await isWell(world);
  discord.gateway.isAlive = false;
  await until(async () => (await world.readiness()).includes("does not answer heartbeats"), {
    what: "health says so",
  });
  discord.gateway.isAlive = true;
  await isWell(world);
  const said = discord.person("Ana").say(discord.channel("general"), `${discord.botMention} still there?`);
  await world.settled(said.id, 1);
});

test("pitfall 3: thrown out by Discord, the bot says so by health and does not come again", async () => {
  await using world = await openDiscordWorld({ parts: "start" });
  const { discord } = world;
  await isWell(world);
  discord.gateway.token = "another";
  discord.gateway.cut(4004);
  await until(async () => (await world.readiness()).includes("does not take the bot's token"), {
    what: "health says so",
  });
  expect(discord.gateway.identifies).toHaveLength(1);
});

test("I21 pitfall 14: without the Message Content Intent mentions and direct messages are answered, and a thread is told once", async () => {
  await using world = await openDiscordWorld({
    parts: "start",
    prepare: (discord) => void (discord.gateway.mayReadContent = false),
  });
  const { discord } = world;
  const ana = discord.person("Ana");
  const said = ana.say(discord.channel("general"), `${discord.botMention} can you hear me?`);
  await world.settled(said.id, 1);
  ana.say(said.id, "and now?");
  await world.shows(said.id, "Message Content Intent");
  ana.say(said.id, "hello?");
  ana.say(said.id, `${discord.botMention} with your name`);
  await world.shows(said.id, "with your name");
  expect(world.replies(said.id).filter(({ text }) => text.includes("Intent"))).toHaveLength(1);
  const dm = ana.dm("and quietly?");
  await world.settled(dm.channel, 1);
  expect(discord.gateway.identifies.map(({ intents }) => intents)).toEqual([13_825]);
  await isWell(world);
  world.expectPeace();
});

test("shards: as many as Discord recommends are entered, and all of them hear", async () => {
  await using world = await openDiscordWorld({
    parts: "start",
    discord: { shards: 2, identifies: { atOnce: 2 } },
    prepare(discord) {
      for (const name of ["Second", "Third", "Fourth"]) discord.addGuild(name);
    },
    llm: {},
  });
  const { discord } = world;
  const ana = discord.person("Ana");
  await isListening(world, 2);
  const said = ana.say(discord.channel("general"), `${discord.botMention} here`);
  await world.settled(said.id, 1);
  const dm = ana.dm("and here");
  world.llm.script(says("and there"));
  await world.settled(dm.channel, 1);
});
