// Commands on Discord: taken within the three seconds, answered once, whatever is lost on the way.
import { WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import { GatewayDispatchEvents } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { createDiscordApi } from "../../../src/adapters/discord/api.ts";
import { WANTED } from "../../../src/adapters/discord/commands.ts";
import { createTakeInteraction } from "../../../src/adapters/discord/interaction.ts";
import type { Command } from "../../../src/core/command/command.ts";
import type { CommandRequest } from "../../../src/core/command/commands.ts";
import { createLocalDiscord } from "../../support/discord/local-discord.ts";
import { silentLog } from "../../support/silent-log.ts";
import { until } from "../../support/until.ts";

const CALLBACK = "POST /interactions/:interaction/:token/callback";

async function openWorld(run: (command: Command, request: CommandRequest) => Promise<string>) {
  const stack = new AsyncDisposableStack();
  const discord = stack.use(await createLocalDiscord());
  const api = createDiscordApi({ log: silentLog }, { token: discord.token, apiUrl: discord.apiUrl });
  stack.defer(() => api.close());
  await api.call("PUT", `/applications/${discord.applicationId}/commands`, { body: WANTED });
  const commands = {
    run: async (...asked: [Command, CommandRequest]) => ({ text: await run(...asked) }),
    refusal: () => undefined,
    help: () => "help",
  };
  const bot = { app: discord.applicationId, user: discord.botId, name: "Bobbin" };
  const take = createTakeInteraction({ api, commands, log: silentLog }, bot);
  const manager = new WebSocketManager({ token: discord.token, intents: 1, rest: api.rest });
  manager.on(WebSocketShardEvents.Error, () => undefined);
  const taken: Promise<void>[] = [];
  manager.on(WebSocketShardEvents.Dispatch, ({ data }) => {
    if (data.t === GatewayDispatchEvents.InteractionCreate) taken.push(take(data.d));
  });
  await manager.connect();
  stack.defer(() => manager.destroy());
  return {
    discord,
    ana: discord.person("Ana"),
    channel: discord.channel("general"),
    /** Until all that was asked is answered. */
    async settled(count: number) {
      await until(() => taken.length >= count, { what: `${count} were asked` });
      await Promise.all(taken);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test("pitfall 5: a command that takes long is taken at once, and answered when it is done", async () => {
  const mayEnd = Promise.withResolvers<void>();
  await using world = await openWorld(async (command) => {
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

test("pitfall 5: a command that cannot be done is answered too", async () => {
  await using world = await openWorld(() => Promise.reject(new Error("no store")));
  const { discord, ana, channel } = world;
  await ana.command(channel, "reset");
  await world.settled(1);
  expect(discord.whispers(channel, ana)).toEqual(["That could not be done now. Please try again."]);
});

test("one that another process has taken is left to it", async () => {
  const asked: string[] = [];
  await using world = await openWorld((command) => Promise.resolve(String(asked.push(command.name))));
  const { discord, ana, channel } = world;
  discord.fault(CALLBACK, { kind: "refused", status: 400, code: 40_060 });
  const outcome = ana.command(channel, "stop");
  await world.settled(1);
  expect(asked).toEqual([]);
  expect(await outcome).toBe("failed");
});

test("an acknowledgement whose answer was lost changes nothing: the command is done once and answered", async () => {
  const asked: string[] = [];
  await using world = await openWorld((command) => {
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
