// Clicks and commands on Discord: taken within the three seconds, done once and answered once, whoever dies on the way and whatever is lost.
import { expect, test } from "vitest";
import type { CommandRequest } from "../../../src/core/command/commands.ts";
import type { InboundId } from "../../../src/core/ids.ts";
import { dies, interactionWorlds } from "./interaction-world.ts";

const openInteractionWorld = interactionWorlds();

const CALLBACK = "POST /interactions/:interaction/:token/callback";
const ANSWER = "PATCH /webhooks/:application/:token/messages/:message";

test("pitfall 5: a command that takes long is taken at once, and answered when it is done", async () => {
  const mayEnd = Promise.withResolvers<void>();
  await using world = await openInteractionWorld(async (command) => {
    await mayEnd.promise;
    return `done: ${command.name}`;
  });
  const { discord, ana, channel } = world;
  expect(await ana.command(channel, "status")).toBe("answered");
  expect(discord.whispers(channel, ana)).toEqual([undefined]);
  mayEnd.resolve();
  await world.settled(1);
  expect(discord.whispers(channel, ana)).toEqual(["done: status"]);
  expect(discord.complaints).toEqual([]);
});

test("pitfall 5: a command that cannot be done is answered too, and done when it can be", async () => {
  await using world = await openInteractionWorld(() => Promise.reject(new Error("no store")));
  const { discord, ana, channel } = world;
  await ana.command(channel, "reset");
  await world.settled(1);
  expect(discord.whispers(channel, ana)).toEqual([
    "That could not be done yet. It is tried again for some minutes.",
  ]);
  await world.takeOver(() => Promise.resolve("done"));
  expect(discord.whispers(channel, ana)).toEqual(["done"]);
});

test("without a store that keeps it, a command is answered once, and whoever asked is told to try again", async () => {
  await using world = await openInteractionWorld(() => Promise.reject(new Error("no store")));
  const { discord, ana, channel } = world;
  const comesBack = await world.storeGoes();
  await ana.command(channel, "reset");
  await world.settled(1);
  await comesBack();
  expect(discord.whispers(channel, ana)).toEqual(["That could not be done now. Please try again."]);
});

test("one that another process has taken is left to it", async () => {
  const asked: string[] = [];
  await using world = await openInteractionWorld((command) =>
    Promise.resolve(String(asked.push(command.name))),
  );
  const { discord, ana, channel } = world;
  discord.fault(CALLBACK, { kind: "refused", status: 400, code: 40_060 });
  const outcome = ana.command(channel, "stop");
  await world.settled(1);
  expect(asked).toEqual([]);
  expect(await outcome).toBe("failed");
});

test("an acknowledgement whose answer was lost changes nothing: the command is done once and answered", async () => {
  const asked: string[] = [];
  await using world = await openInteractionWorld((command) => {
    asked.push(command.name);
    return Promise.resolve("done");
  });
  const { discord, ana, channel } = world;
  discord.fault(CALLBACK, { kind: "lost response" });
  expect(await ana.command(channel, "stop")).toBe("answered");
  await world.settled(1);
  expect(asked).toEqual(["stop"]);
  expect(discord.whispers(channel, ana)).toEqual(["done"]);
});

test("who dies before a command is done leaves it to the next, which does it as the same command and answers in the same place", async () => {
  const asked: CommandRequest[] = [];
  await using world = await openInteractionWorld((_, request) => {
    asked.push(request);
    return dies();
  });
  const { discord, ana, channel } = world;
  expect(await ana.command(channel, "stop")).toBe("answered");
  await world.isOwed(1);
  await world.takeOver((command, request) => {
    asked.push(request);
    return Promise.resolve(`done: ${command.name}`);
  });
  expect(discord.whispers(channel, ana)).toEqual(["done: stop"]);
  expect(asked[1]).toEqual(asked[0]);
  // The next one finds nothing more to do, and the address of the answer is kept nowhere.
  await world.takeOver(() => Promise.reject(new Error("again")));
  expect(discord.callsOf(ANSWER)).toHaveLength(1);
  expect(await world.rows()).toEqual([{ told: true, place: "" }]);
});

test.each([{ kind: "lost response" }, { kind: "status", status: 503 }, { kind: "unreachable" }] as const)(
  "an answer that meets $kind is given all the same, once",
  async (fault) => {
    await using world = await openInteractionWorld(() => Promise.resolve("done"));
    const { discord, ana, channel } = world;
    discord.fault(ANSWER, fault);
    await ana.command(channel, "status");
    await world.settled(1);
    expect(discord.whispers(channel, ana)).toEqual(["done"]);
    expect(discord.callsOf(ANSWER)).toHaveLength(2);
    expect((await world.rows()).map(({ told }) => told)).toEqual([true]);
  },
);

test("an answer that Discord would not take for long is owed until it does, and the address of it stands in no line of the log", async () => {
  await using world = await openInteractionWorld(() => Promise.resolve("done"));
  const { discord, ana, channel, lines } = world;
  discord.fault(ANSWER, { kind: "unreachable" }, { times: 3 });
  await ana.command(channel, "status");
  await world.settled(1);
  expect(discord.whispers(channel, ana)).toEqual([undefined]);
  const [row] = await world.rows();
  expect(row?.told).toBe(false);
  const { token } = JSON.parse(row?.place ?? "") as { readonly token: string };
  expect(token).toMatch(/^interaction-/);
  await world.takeOver(() => Promise.resolve("done later"));
  expect(discord.whispers(channel, ana)).toEqual(["done later"]);
  expect(lines.join("")).toContain("could not be shown");
  expect(lines.join("")).not.toContain(token);
});

test("nothing is done for a command whose answer nobody can be told any more", async () => {
  await using world = await openInteractionWorld(dies);
  const { discord, ana, channel } = world;
  await ana.command(channel, "reset");
  await world.isOwed(1);
  world.passes(16 * 60_000);
  const asked: string[] = [];
  await world.takeOver((command) => Promise.resolve(String(asked.push(command.name))));
  expect(asked).toEqual([]);
  expect(discord.callsOf(ANSWER)).toEqual([]);
  expect((await world.rows()).map(({ told }) => told)).toEqual([true]);
});

test("what the bot says by itself below a message is said by the next one when the first dies before, and never twice", async () => {
  await using world = await openInteractionWorld(dies);
  const { discord, ana, channel, owed, api } = world;
  const says = async (text: string) => {
    const said = ana.say(channel, "may I?");
    const place = { kind: "message", channel: channel.id, nonce: `no-${said.id}`, below: said.id } as const;
    await owed.owe(owed.answerTo(said.id as InboundId, place, text));
    return said;
  };
  await says("You may not.");
  await says("You may not, either.");
  // Its post was done, so long ago that Discord does not know its nonce any more.
  await api.call("POST", `/channels/${channel.id}/messages`, {
    body: { content: "You may not, either.", allowed_mentions: { parse: [] } },
  });
  await world.takeOver(dies);
  await world.takeOver(dies);
  const said = discord.shown(channel).filter(({ authorId }) => authorId === discord.botId);
  expect(said.map(({ text }) => text)).toEqual(["You may not, either.", "You may not."]);
  expect((await world.rows()).map(({ told }) => told)).toEqual([true, true]);
});
