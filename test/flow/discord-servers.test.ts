// Servers that the bot is invited to and thrown out of, and ones that Discord itself cannot reach for a while.
import { expect, test } from "vitest";
import { createGoals } from "../../src/adapters/postgres/goals.ts";
import { sessionIdOf, toSessionId } from "../../src/core/thread.ts";
import { delta, eventsThenSilence } from "../support/fake-llm/answers.ts";
import { owner, setGoal } from "../support/goals.ts";
import { until } from "../support/until.ts";
import { openDiscordWorld, type DiscordWorld } from "./discord-world.ts";

interface Stored {
  readonly said: string;
  readonly state: string;
  readonly fate: string;
  readonly reason: string;
}

/** What is stored of one server. */
async function storeOf(world: DiscordWorld, guild: string) {
  const sql = await world.sql();
  const inbox = (): Promise<readonly Stored[]> =>
    sql.query<Stored>({
      name: "inbox-of-a-server",
      text: `select body->'parts'->0->>'text' as said, state, fate, reason from inbox where session like '%:${guild}:%' order by seq`,
    });
  return {
    inbox,
    of: async (words: string) => (await inbox()).find(({ said }) => said.includes(words)),
    marks: () =>
      sql.query({ name: "marks-of-a-server", text: `select from reading_marks where space = '${guild}'` }),
  };
}

const REASON = "the bot was removed from this server";

test("thrown out of a server: what waits there ends with the reason and asks no model, what is under way stops; invited again, it answers", async () => {
  await using world = await openDiscordWorld({ parts: ["gateway", "worker"] });
  const { discord, llm } = world;
  const ana = discord.person("Ana");
  const guild = discord.addGuild("Club");
  discord.invite(guild);
  const store = await storeOf(world, guild.id);
  const channel = discord.channel("club", "text", guild);
  const old = ana.say(channel, `${discord.botMention} hello`);
  await world.settled(old.id, 1);

  const goals = createGoals(await world.sql());
  const thread = toSessionId(`discord:${guild.id}:${old.id}`)!;
  await goals.apply(thread, setGoal("keep the club tidy"));
  await goals.apply(thread, { kind: "pause", by: owner });
  const { abandoned } = llm;
  llm.script(eventsThenSilence(delta({ content: "on the way " })));
  const running = ana.say(channel, `${discord.botMention} work for long`);
  await world.shows(running.id, "on the way");
  // It waits for the round before it.
  ana.say(running.id, "and this waits");
  await until(async () => (await store.of("and this waits")) !== undefined, { what: "it waits" });
  const asked = llm.requests.length;
  discord.throwOut(guild);
  await until(() => llm.abandoned === abandoned + 1, { what: "the model is left" });
  await until(async () => (await store.inbox()).every(({ state }) => state === "done"), {
    what: "everything there has its fate",
  });
  expect(await store.of("and this waits")).toMatchObject({ fate: "expired", reason: REASON });
  expect(await store.of("work for long")).toMatchObject({ fate: "cancelled" });
  await until(async () => (await store.marks()).length === 0, { what: "how far it had read is forgotten" });
  // The goal of a thread in which nothing was said just then is ended too.
  expect(await goals.apply(thread, { kind: "resume", by: owner })).toMatchObject({ kind: "refused" });
  expect(llm.requests).toHaveLength(asked);

  // Nobody was there to hear this.
  ana.say(channel, `${discord.botMention} is anybody there?`);
  ana.say(old.id, "not here?");
  discord.invite(guild);
  ana.say(old.id, "and now?");
  await world.shows(old.id, "and now?");
  const fresh = ana.say(channel, `${discord.botMention} welcome back`);
  await world.settled(fresh.id, 1);
  expect(world.askedAbout("is anybody there?")).toBe(0);
  expect(world.askedAbout("not here?")).toBe(0);
  world.expectPeace();
});

test("invited while nobody listens: what was said there since the bot came is answered, and nothing from before", async () => {
  await using world = await openDiscordWorld({ parts: ["worker", "gateway"] });
  const { discord } = world;
  const ana = discord.person("Ana");
  await world.running.at(-1)?.stop();
  const guild = discord.addGuild("Club");
  const store = await storeOf(world, guild.id);
  const channel = discord.channel("club", "text", guild);
  ana.say(channel, `${discord.botMention} before the bot came`);
  discord.invite(guild);
  const first = ana.say(channel, `${discord.botMention} hello`);
  await world.start("gateway");
  await world.settled(first.id, 1);
  expect(await store.inbox()).toMatchObject([{ said: expect.stringContaining("hello") as unknown }]);
  world.expectPeace();
});

test("a server that was left while nobody listened is left once somebody does; one that Discord cannot reach is not, and is caught up with", async () => {
  await using world = await openDiscordWorld({ parts: ["gateway", "worker"] });
  const { discord, llm } = world;
  const ana = discord.person("Ana");
  const guild = discord.addGuild("Club");
  discord.invite(guild);
  const [left, home] = [await storeOf(world, guild.id), await storeOf(world, discord.guild.id)];
  const channel = discord.channel("club", "text", guild);
  const [there, here] = [
    ana.say(channel, `${discord.botMention} hello`),
    ana.say(discord.channel("general"), `${discord.botMention} hello`),
  ];
  await world.settled(there.id, 1);
  await world.settled(here.id, 1);
  // The gateway has stored it, and no worker has taken it up.
  const [gateway, worker] = world.running;
  await worker?.stop();
  for (const { id } of [there, here]) ana.say(id, "this waits");
  for (const store of [left, home])
    await until(async () => (await store.of("this waits"))?.state === "waiting", { what: "it waits" });
  await gateway?.stop();
  discord.throwOut(guild);
  discord.setReachable(discord.guild, false);
  await world.start("gateway");
  await until(async () => (await left.of("this waits"))?.state === "done", { what: "it has its fate" });
  expect(await left.of("this waits")).toMatchObject({ fate: "expired", reason: REASON });
  expect(await home.of("this waits")).toMatchObject({ state: "waiting" });

  // Told to nobody, since Discord's own servers were parted.
  discord.gateway.judge(() => "lose");
  ana.say(here.id, "said meanwhile");
  discord.gateway.judge(undefined);
  discord.setReachable(discord.guild, true);
  await world.start("worker");
  await world.shows(here.id, "this waits");
  await world.shows(here.id, "said meanwhile");
  expect(world.askedAbout("said meanwhile")).toBe(1);
  // And once more while it listens.
  discord.setReachable(discord.guild, false);
  discord.gateway.judge(() => "lose");
  ana.say(here.id, "said in the second outage");
  discord.gateway.judge(undefined);
  discord.setReachable(discord.guild, true);
  await world.shows(here.id, "said in the second outage");
  expect(llm.requests.some(({ body }) => JSON.stringify(body.messages).includes("hello"))).toBe(true);
  world.expectPeace();
});

test("a server with as many open threads as Discord allows: who asks is told so in the channel, a goal that is given there stays, and when there is room it answers", async () => {
  await using world = await openDiscordWorld({ parts: ["gateway", "worker"] });
  const { discord } = world;
  const [ana, ben] = [discord.person("Ana"), discord.person("Ben")];
  const channel = discord.channel("general");
  const sql = await world.sql();
  discord.fault(
    "POST /channels/:channel/messages/:message/threads",
    { kind: "refused", status: 400, code: 160_006 },
    { times: Infinity },
  );
  const root = ana.say(channel, `${discord.botMention} hello`);
  const session = sessionIdOf({ platform: "discord", space: discord.guild.id, channel: root.id });
  await until(async () => (await sql.query({ text: "select from inbox where state = 'done'" })).length > 0, {
    what: "Ana's is done",
  });
  // Whoever sweeps finds that it has a turn to do.
  await createGoals(sql).apply(session, setGoal("tidy the wiki", { by: { id: ana.id, isAdmin: false } }));
  await until(
    async () =>
      (await sql.query({ text: "select from runs where cause = 'continuation' and reply = 'settled'" }))
        .length > 0,
    { what: "its first turn is over" },
  );
  const said = ben.say(channel, `${discord.botMention} hello`);
  const isDone = { text: `select from inbox where message = '${said.id}' and state = 'done'` };
  await until(async () => (await sql.query(isDone)).length > 0, { what: "Ben's is done" });
  expect(discord.botOutsideOfThreads().map(({ text }) => text)).toEqual([
    expect.stringContaining("as many open threads as Discord allows"),
  ]);
  expect(await sql.query({ text: "select from goals where closed is null" })).toHaveLength(1);
  discord.clearFaults();
  const now = ben.say(channel, `${discord.botMention} and now?`);
  await world.settled(now.id, 1);
});
