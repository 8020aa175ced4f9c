import { once } from "node:events";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDiscordApi } from "../../src/adapters/discord/api.ts";
import { registerCommands, wantedCommands } from "../../src/adapters/discord/commands.ts";
import { identify } from "../../src/adapters/discord/identify.ts";
import { PERMISSIONS } from "../../src/adapters/discord/permissions.ts";
import { readSettings } from "../../src/adapters/settings/settings.ts";
import { createSystemClock } from "../../src/adapters/system-clock.ts";
import { runDoctor } from "../../src/doctor.ts";
import { createLocalDiscord } from "../support/discord/local-discord.ts";
import { freePort } from "../support/services/free-port.ts";
import { freshDatabase, ownPostgres } from "../support/services/postgres.ts";
import { freshRedis, ownRedis } from "../support/services/redis.ts";
import { silentLog } from "../support/silent-log.ts";

/** What doctor asks of Discord. */
const ASKED = [
  "GET /users/@me",
  "GET /applications/@me",
  "GET /gateway/bot",
  "GET /applications/:application/commands",
  "GET /users/@me/guilds",
];

async function doctor(env: Record<string, string>) {
  const port = `${await freePort()}`;
  const read = await readSettings(
    { PORT: port, DATA_DIR: join(tmpdir(), "bobbin-doctor"), ...env },
    { folder: "/nowhere" },
  );
  if (read.kind === "wrong") throw new Error(JSON.stringify(read.problems));
  const lines: string[] = [];
  const code = await runDoctor(read.settings, (line) => lines.push(line));
  return { code, text: lines.join("\n") };
}

/** A model server that answers everything with one status and body. */
async function modelServer(status: number, body: string) {
  const server = createServer((_, response) => void response.writeHead(status).end(body));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    env: {
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      MODEL: "some-model",
      OPENAI_API_KEY: "sk-never-to-be-seen",
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

test("with nothing configured it says what is built in, what that is not good for, and what to do next", async () => {
  const { code, text } = await doctor({});
  expect(code).toBe(0);
  expect(text).toMatch(/^warn {2}The built-in Postgres survives a killed process, but not a power cut\.$/m);
  expect(text).toMatch(/^warn {2}No model is configured/m);
  expect(text).toMatch(/^next {2}For production set DATABASE_URL/m);
  expect(text).toMatch(/^ok {4}The web chat is on: http:/m);
});

test("that everybody may come to the web chat is told where it is so, and only there", async () => {
  const told = /^warn {2}The web chat is public, .*https:\/\/bobbin\.example\.org\//m;
  const PUBLIC_URL = "https://bobbin.example.org";
  expect((await doctor({ PUBLIC_URL, WEB_CHAT: "public" })).text).toMatch(told);
  expect((await doctor({ PUBLIC_URL, WEB_CHAT: "on" })).text).not.toMatch(told);
});

test("with servers that answer everything is ok", async () => {
  await using database = await freshDatabase();
  await using redis = await freshRedis();
  await using model = await modelServer(200, '{"choices":[{"message":{"content":"ok"}}]}');
  const { code, text } = await doctor({
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    ...model.env,
  });
  expect(text).toMatch(/^ok {4}Postgres 1\d\S* .*answers/m);
  expect(text).toMatch(/^ok {4}Redis \d\S* answers/m);
  expect(text).toMatch(/^ok {4}The model some-model .*answers/m);
  expect(text).toContain("Nothing to do");
  expect(text).not.toContain("never-to-be-seen");
  expect(code).toBe(0);
});

test("Discord is asked whose token it is, what the bot may read, and what it may do in its servers", async () => {
  await using discord = await createLocalDiscord();
  const access = { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl };
  const well = await doctor({
    ...access,
    DISCORD_CLIENT_ID: discord.applicationId,
    DISCORD_CLIENT_SECRET: "never-to-be-seen",
    PUBLIC_URL: "https://bobbin.example.org/",
  });
  expect(well.text).toMatch(
    /^ok {4}Admins can sign in with Discord, .*: https:\/\/bobbin\.example\.org\/admin\/with\/discord\/back$/m,
  );
  expect(well.text).not.toContain("never-to-be-seen");
  expect(well.text).toMatch(/^ok {4}Discord knows the bot as Bobbin\.$/m);
  expect(well.text).toMatch(/^ok {4}In the server Home the bot may do all that it needs\.$/m);
  // Nobody has started it yet.
  expect(well.text).toMatch(/^warn {2}Discord does not have these commands as they are today: .*\breset\b/m);
  expect(well.text).toContain("next  Start Bobbin: whoever listens to Discord registers its commands.");
  expect(well.code).toBe(0);

  discord.gateway.mayReadContent = false;
  discord.forbid("SendMessagesInThreads");
  const ill = await doctor({ ...access, DISCORD_CLIENT_ID: "123" });
  expect(ill.code).toBe(1);
  expect(ill.text).toMatch(/^fail {2}The Message Content Intent is off/m);
  expect(ill.text).toMatch(
    /^fail {2}In the server Home the bot lacks the permission Send Messages in Threads/m,
  );
  expect(ill.text).toMatch(/^fail {2}DISCORD_CLIENT_ID is not the id/m);
  expect(ill.text).toContain("permissions=309237763136");
  expect(ill.text).not.toContain(discord.token);

  const refused = await doctor({ DISCORD_TOKEN: "never-to-be-seen", DISCORD_API_URL: discord.apiUrl });
  expect(refused.text).toMatch(/^fail {2}Discord does not take DISCORD_TOKEN \(HTTP 401\)/m);
  expect(refused.text).not.toContain("never-to-be-seen");
});

test("whatever the bot lacks on Discord is named, with what to do: each permission, a command, a server, entries to the gateway", async () => {
  await using discord = await createLocalDiscord({
    identifies: { remaining: 30 },
    // So often nobody asks.
    rateLimits: { globalPerS: 1_000, buckets: Object.fromEntries(ASKED.map((route) => [route, [1_000, 1]])) },
  });
  const access = { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl };
  const registering = createDiscordApi({ log: silentLog }, { token: discord.token, apiUrl: discord.apiUrl });
  const { app, installs } = await identify(registering);
  const deps = { api: registering, clock: createSystemClock(), log: silentLog };
  await registerCommands(deps, { app, installs }, new AbortController().signal);
  const { text } = await doctor(access);
  expect(text).toMatch(/^ok {4}Discord has all commands of Bobbin\.$/m);
  expect(text).toMatch(/^warn {2}Discord's gateway takes the bot 30 times more today, of 1000\.$/m);

  const [first, ...others] = wantedCommands(installs);
  await registering.call("PUT", `/applications/${app}/commands`, { body: others });
  registering.close();
  expect((await doctor(access)).text).toContain(`as they are today: ${first?.name}.`);

  const { botPermissions } = discord.guild;
  const given = [...botPermissions];
  expect(given.length).toBe(Object.keys(PERMISSIONS).length);
  const named = new Set<string>();
  for (const permission of given) {
    botPermissions.delete(permission);
    const lacking = await doctor(access);
    const [, name = "nothing"] = /lacks the permission ([\w ]+): Bobbin/.exec(lacking.text) ?? [];
    expect(lacking.text).toContain(`next  Give the bot's role in Home the permission ${name}`);
    named.add(name);
    botPermissions.add(permission);
  }
  expect(named).toEqual(new Set(Object.keys(PERMISSIONS)));

  discord.throwOut(discord.guild);
  const nowhere = await doctor(access);
  expect(nowhere.text).toMatch(/^warn {2}The bot is in no server of Discord's yet\.$/m);
  expect(nowhere.text).toContain("next  Invite the bot: https://discord.com/oauth2/authorize");
});

test("servers that are away fail in one plain sentence each, without the password", async () => {
  const port = await freePort();
  const { code, text } = await doctor({
    DATABASE_URL: `postgres://me:hunter2-hunter2@127.0.0.1:${port}/x`,
    REDIS_URL: `redis://:hunter2-hunter2@127.0.0.1:${port}`,
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    MODEL: "m",
  });
  expect(code).toBe(1);
  expect(text.match(/^fail {2}.*Nothing listens at that address\.$/gm)).toHaveLength(3);
  expect(text).toContain("Start Postgres, or correct DATABASE_URL.");
  expect(text).not.toContain("hunter2");
});

test("a wrong database and a Redis that may throw keys away are failures", async () => {
  await using postgres = await ownPostgres();
  await using redis = await ownRedis({ maxmemoryPolicy: "allkeys-lru" });
  const wrong = postgres.url.replace(/postgres$/, "not_there");
  const { code, text } = await doctor({ DATABASE_URL: wrong, REDIS_URL: redis.url });
  expect(code).toBe(1);
  expect(text).toContain("It has no database of that name.");
  expect(text).toMatch(/^fail {2}.*allkeys-lru/m);
});

test.each([
  [401, "{}", "fail", "refuses the key"],
  [404, "{}", "fail", "does not know the model"],
  [429, "{}", "warn", "used up"],
  [503, "", "warn", "fault of its own"],
  [200, "<html>hello</html>", "fail", "not in the form of Chat Completions"],
])("a model that answers %i %s is judged as %s", async (status, body, state, sentence) => {
  await using model = await modelServer(status, body);
  const { text } = await doctor(model.env);
  expect(text).toMatch(new RegExp(`^${state} .*${sentence}`, "m"));
  expect(text).not.toContain("never-to-be-seen");
});

test("a port that is in use and a folder that cannot be written are told", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? `${address.port}` : "";
  const { text } = await doctor({ PORT: port, DATA_DIR: join(import.meta.filename, "data") });
  server.close();
  expect(text).toMatch(/^warn {2}Port \d+ on 127\.0\.0\.1 is in use\.$/m);
  expect(text).toMatch(/^fail {2}The folder \S+ cannot be written\.$/m);
});

test("the cheap model is asked too, and what is wrong with it is told with what it means for goals", async () => {
  await using model = await modelServer(200, '{"choices":[{"message":{"content":"ok"}}]}');
  await using lite = await modelServer(404, "{}");
  const there = { ...model.env, LITE_MODEL: "small" };
  expect((await doctor(there)).text).toMatch(/^ok {4}The cheap model small at .* answers/m);
  const away = await doctor({ ...there, LITE_BASE_URL: lite.env.OPENAI_BASE_URL });
  expect(away.text).toMatch(
    /^fail {2}The cheap model small at .* cannot be used\. It does not know the model small/m,
  );
  expect(away.text).toMatch(/^next {2}Correct LITE_MODEL, LITE_BASE_URL or LITE_API_KEY/m);
});
