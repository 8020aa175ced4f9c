// A token that Discord takes no more, in the middle of the work: nothing is answered into nothing, and the next start goes on.
import { expect, test } from "vitest";
import { createGoals } from "../../src/adapters/postgres/goals.ts";
import { sessionIdOf, type SessionId } from "../../src/core/thread.ts";
import { inPieces } from "../support/fake-llm/answers.ts";
import { owner } from "../support/goals.ts";
import { until } from "../support/until.ts";
import { openDiscordWorld } from "./discord-world.ts";

test("the token is reset amid an answer: it waits whole, nothing else is begun, no goal goes on, and the start with the new token delivers each once", async () => {
  await using world = await openDiscordWorld({ parts: ["gateway", "worker"] });
  const { discord, llm } = world;
  const ana = discord.person("Ana");
  const channel = discord.channel("general");
  const sessionOf = ({ id }: { readonly id: string }): SessionId =>
    sessionIdOf({ platform: "discord", space: discord.guild.id, channel: id });
  const sql = await world.sql();
  const goals = createGoals(sql);
  const old = ana.say(channel, `${discord.botMention} before it`);
  await world.settled(old.id, 1);
  const asked = llm.requests.length;

  const more = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<void>();
  llm.script(inPieces("It begins ", more.promise, "and goes on ", rest.promise, "to the very end."));
  const running = ana.say(channel, `${discord.botMention} which is under way`);
  await world.shows(running.id, "It begins");

  discord.gateway.token = "another";
  more.resolve();
  const [, worker] = world.running;
  const told = await until(
    async () => {
      const said = await world.readiness(worker);
      return said.includes("DISCORD_TOKEN") ? said : undefined;
    },
    { what: "the worker says so" },
  );
  // It has nothing else to do than what it can, so nobody has to take it out of service.
  expect(told).toContain('"ready":true');

  await ana.command(old.id, "goal set", { objective: "tidy up the old thread" });
  const waiting = [
    ana.say(channel, `${discord.botMention} the first that waits`),
    ana.say(channel, `${discord.botMention} the second that waits`),
  ] as const;
  rest.resolve();
  const replyOf = async (session: SessionId): Promise<string | undefined> =>
    (await sql.query<{ reply: string }>({ text: `select reply from runs where session = '${session}'` }))[0]
      ?.reply;
  await until(async () => (await replyOf(sessionOf(running))) === "settling", {
    what: "the answer is whole, and not delivered",
  });
  const states = async (): Promise<readonly string[]> =>
    (
      await sql.query<{ state: string }>({
        text: `select state from inbox where session in ('${waiting.map(sessionOf).join("', '")}')`,
      })
    ).map(({ state }) => state);
  await until(async () => (await states()).length === 2, { what: "both are stored" });
  await until(
    async () => (await sql.query({ text: "select from goals where closed is null" })).length === 1,
    {
      what: "the goal is set",
    },
  );
  await world.stopAll();
  expect(await states()).toEqual(["waiting", "waiting"]);
  expect(await replyOf(sessionOf(running))).toBe("settling");
  expect(llm.requests).toHaveLength(asked + 1);

  // With the token of today.
  discord.gateway.token = discord.token;
  await world.start("gateway");
  await world.start("worker");
  const [answer] = await world.settled(running.id, 1);
  expect(answer?.text).toContain("It begins and goes on to the very end.");
  for (const { id } of waiting) await world.settled(id, 1);
  await until(() => world.askedAbout("tidy up the old thread") > 0, { what: "the goal goes on" });
  await goals.apply(sessionOf(old), { kind: "pause", by: owner });
  for (const words of ["which is under way", "the first that waits", "the second that waits"])
    expect(world.askedAbout(words)).toBe(1);
  expect(await replyOf(sessionOf(running))).toBe("settled");
  expect(world.replies(running.id)).toHaveLength(1);
  world.expectPeace();
});

test("the gateway is thrown out for its token: the answer under way waits whole, and Discord is not asked with that token once more", async () => {
  await using world = await openDiscordWorld({ parts: "start" });
  const { discord, llm } = world;
  const rest = Promise.withResolvers<void>();
  llm.script(inPieces("It begins ", rest.promise, "and ends."));
  const said = discord.person("Ana").say(discord.channel("general"), `${discord.botMention} hello`);
  await world.shows(said.id, "It begins");
  discord.gateway.token = "another";
  discord.gateway.cut(4004);
  await until(async () => (await world.readiness()).includes("DISCORD_TOKEN"), {
    what: "health says so",
  });
  rest.resolve();
  const sql = await world.sql();
  await until(
    async () => (await sql.query({ text: "select from runs where reply = 'settling'" })).length === 1,
    { what: "the answer is whole, and not delivered" },
  );
  await world.stopAll();
  expect(discord.invalidRequests).toBe(0);
  discord.gateway.token = discord.token;
  await world.start("start");
  const [answer] = await world.settled(said.id, 1);
  expect(answer?.text).toContain("It begins and ends.");
  expect(llm.requests).toHaveLength(1);
  world.expectPeace();
});
