// Starting where Discord refuses the bot, or is not there yet.
import { expect, test } from "vitest";
import { createLocalDiscord } from "../support/discord/local-discord.ts";
import { createFakeLlm } from "../support/fake-llm/server.ts";
import { spawnProduct, startProduct } from "../support/product.ts";
import { freePort } from "../support/services/free-port.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { until } from "../support/until.ts";
import { createWebPerson } from "../support/web-person.ts";

test("a token that Discord does not take ends the start with one sentence", async () => {
  await using database = await freshDatabase();
  await using discord = await createLocalDiscord();
  await using bobbin = spawnProduct("start", {
    DATABASE_URL: database.url,
    DISCORD_TOKEN: "not-a-token",
    DISCORD_API_URL: discord.apiUrl,
  });
  expect(await bobbin.exited).toBe(1);
  expect(bobbin.output).toContain("Discord does not take DISCORD_TOKEN (HTTP 401).");
  expect(discord.gateway.identifies).toEqual([]);
});

test("a Discord that is away at the start holds up neither the web chat nor the answers there, and is answered when it comes", async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await freshDatabase());
  const llm = await createFakeLlm();
  stack.defer(() => llm.close());
  const port = await freePort();
  const { url } = stack.use(
    await startProduct("start", {
      DATABASE_URL: database.url,
      OPENAI_BASE_URL: llm.url,
      MODEL: "fake",
      WEB_CHAT: "on",
      DISCORD_TOKEN: "local-discord-token",
      DISCORD_API_URL: `http://127.0.0.1:${port}/api`,
    }),
  );
  const eve = createWebPerson(url);
  const [answer] = await eve.replies(await eve.say("is anybody there?"), 1);
  expect(answer?.text).toContain("is anybody there?");
  const health = await fetch(`${url}/readyz`);
  expect(health.status).toBe(503);
  expect(await health.text()).toContain("Discord has not answered yet.");

  const discord = stack.use(await createLocalDiscord({ port }));
  await until(() => discord.gateway.connected > 0, { what: "the gateway is entered" });
  const said = discord.person("Ana").say(discord.channel("general"), `${discord.botMention} and here?`);
  await until(() => discord.shown(said.id).some(({ text }) => text.includes("You said")), {
    what: "the mention is answered",
  });
  await until(async () => (await fetch(`${url}/readyz`)).ok, { what: "nothing is missing" });
  expect(discord.complaints).toEqual([]);
});
