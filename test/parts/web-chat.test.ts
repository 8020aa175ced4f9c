// Who is let in to the web chat, by what whoever runs the bot has set.
import { expect, test } from "vitest";
import { readSettings } from "../../src/adapters/settings/settings.ts";
import { lettingIn } from "../../src/parts/web-chat.ts";
import { ChatWorld } from "../adapters/web/chat-world.ts";

/** A workspace's own settings, for which `PUBLIC_URL` has to be set. */
const distributed = {
  SLACK_CLIENT_ID: "1",
  SLACK_CLIENT_SECRET: "1",
  SLACK_APP_TOKEN: "xapp-1",
  SECRET_KEY: "a text that nobody guesses in a while",
};
const PUBLIC_URL = "https://bot.example";

async function statusOf(env: Record<string, string>, headers: Record<string, string>): Promise<number> {
  const read = await readSettings(env, { folder: "/nowhere" });
  if (read.kind === "wrong") throw new Error(JSON.stringify(read.problems));
  return (await new ChatWorld().app(lettingIn(read.settings)).request("/", { headers })).status;
}

const fromOutside = { Host: "bot.example" };
/** A proxy that writes the name of where it asks over the one it was asked for. */
const overProxy = { Host: "127.0.0.1:3000", "X-Forwarded-For": "203.0.113.7" };
const fromHere = { Host: "127.0.0.1:3000" };

test.each<[string, Record<string, string>]>([
  ["beside Slack", { ...distributed, PUBLIC_URL, WEB_CHAT: "on" }],
  ["alone, because it was set", { PUBLIC_URL, WEB_CHAT: "on" }],
  ["alone, because nothing else is", { PUBLIC_URL }],
])("a web chat that is on %s is for the machine itself, whatever PUBLIC_URL is set for", async (_, env) => {
  expect(await statusOf(env, fromOutside)).toBe(403);
  expect(await statusOf(env, overProxy)).toBe(403);
  expect(await statusOf(env, fromHere)).toBe(200);
});

test("a web chat that is public is served at PUBLIC_URL too, and at no other name", async () => {
  const env = { ...distributed, PUBLIC_URL, WEB_CHAT: "public" };
  expect(await statusOf(env, fromOutside)).toBe(200);
  expect(await statusOf(env, { ...fromOutside, ...overProxy })).toBe(200);
  expect(await statusOf(env, fromHere)).toBe(200);
  expect(await statusOf(env, { Host: "evil.example" })).toBe(403);
});

test("where PUBLIC_URL is the machine itself, or is not set, a proxy on it is let through as before", async () => {
  expect(await statusOf({ PUBLIC_URL: "http://127.0.0.1:3000" }, overProxy)).toBe(200);
  expect(await statusOf({}, overProxy)).toBe(200);
});
