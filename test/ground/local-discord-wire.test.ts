// The local Discord on the wire, where a library would hide what it is told: faults, limits, and the rules of the gateway.
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { checkCommands } from "../support/discord/command-forms.ts";
import { createLocalDiscord, type LocalDiscord } from "../support/discord/local-discord.ts";
import type { JsonObject } from "../support/discord/model.ts";
import { until } from "../support/until.ts";

let discord: LocalDiscord;
const sockets: WebSocket[] = [];
beforeEach(async () => {
  discord = await createLocalDiscord({ identifies: { remaining: 3, atOnce: 16 } });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await discord.close();
});

interface Payload {
  readonly op: number;
  readonly t: string | null;
  readonly s: number | null;
  readonly d: unknown;
}

async function open() {
  const socket = new WebSocket(
    `${discord.apiUrl.replace("http:", "ws:").replace("/api", "")}/?v=10&encoding=json`,
  );
  sockets.push(socket);
  const said: Payload[] = [];
  socket.on("message", (data: Buffer) => said.push(JSON.parse(data.toString()) as Payload));
  socket.on("error", () => undefined);
  const closed = new Promise<number>((resolve) => void socket.once("close", (code) => resolve(code)));
  await until(() => said.length > 0, { what: "hello" });
  const say = (payload: object): void => socket.send(JSON.stringify(payload));
  const identify = (more: object = {}): void =>
    say({ op: 2, d: { token: discord.token, intents: 37_377, shard: [0, 1], ...more } });
  const hears = (t: string): Promise<Payload> => until(() => said.find((one) => one.t === t), { what: t });
  return { said, closed, say, identify, hears };
}

const post = (path: string, body: unknown, token = discord.token): Promise<Response> =>
  fetch(`${discord.apiUrl}/v10${path}`, {
    method: "POST",
    headers: { authorization: `Bot ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

test.each<[string, (connection: Awaited<ReturnType<typeof open>>) => void, number]>([
  ["an unknown opcode", ({ say }) => say({ op: 99 }), 4001],
  ["what is no payload", ({ say }) => say([]), 4002],
  ["anything before an identify", ({ say }) => say({ op: 3, d: {} }), 4003],
  ["a wrong token", ({ identify }) => identify({ token: "x" }), 4004],
  ["a shard that is none", ({ identify }) => identify({ shard: [2, 1] }), 4010],
  ["intents that are none", ({ identify }) => identify({ intents: -1 }), 4013],
])("%s closes the connection", async (_, say, code) => {
  const connection = await open();
  say(connection);
  expect(await connection.closed).toBe(code);
});

test("silence closes the connection", async () => {
  await discord.close();
  discord = await createLocalDiscord({ heartbeatMs: 300 });
  expect(await (await open()).closed).toBe(4009);
});

test("a session is resumed from where it was read, and not once it was ended", async () => {
  const first = await open();
  first.identify();
  const ready = await first.hears("READY");
  const { session_id: session } = ready.d as { session_id: string };
  await first.hears("GUILD_CREATE");
  const channel = discord.channel("general");
  await first.hears("CHANNEL_CREATE");
  const seq = Number(first.said.at(-1)?.s);
  discord.gateway.cut(4000);
  await first.closed;
  discord.person("Ana").say(channel, "while away");
  const second = await open();
  second.say({ op: 6, d: { token: discord.token, session_id: session, seq } });
  await second.hears("RESUMED");
  expect(second.said.filter(({ op }) => op === 0).map(({ t }) => t)).toEqual(["MESSAGE_CREATE", "RESUMED"]);
  discord.gateway.invalidate({ mayResume: false });
  const third = await open();
  third.say({ op: 6, d: { token: discord.token, session_id: session, seq } });
  await until(() => third.said.some(({ op, d }) => op === 9 && d === false), {
    what: "the session is invalid",
  });
});

test("events may come twice, late, in another order, or never", async () => {
  const connection = await open();
  connection.identify();
  await connection.hears("GUILD_CREATE");
  const channel = discord.channel("general");
  const ana = discord.person("Ana");
  const contents = (): unknown[] =>
    connection.said
      .filter(({ t }) => t === "MESSAGE_CREATE")
      .map(({ d }) => (d as { content: string }).content);
  discord.gateway.judge(() => "lose");
  ana.say(channel, "never");
  discord.gateway.judge(() => "twice");
  ana.say(channel, "twice");
  discord.gateway.judge(undefined);
  discord.gateway.hold();
  ana.say(channel, "first");
  ana.say(channel, "second");
  discord.gateway.release((held) => held.toReversed());
  await until(() => contents().length === 4, { what: "all is heard" });
  expect(contents()).toEqual(["twice", "twice", "second", "first"]);
});

test("without the intent the words of others are empty, and those that mention the bot are not", async () => {
  const connection = await open();
  connection.identify({ intents: 37_377 & ~(1 << 15) });
  await connection.hears("GUILD_CREATE");
  const ana = discord.person("Ana");
  ana.say(discord.channel("general"), "unread");
  ana.say("general", `${discord.botMention} read`);
  const said = () => connection.said.filter(({ t }) => t === "MESSAGE_CREATE");
  await until(() => said().length === 2, { what: "both are heard" });
  expect(said().map(({ d }) => (d as { content: string }).content)).toEqual([
    "",
    `${discord.botMention} read`,
  ]);
});

test("more identifies than are left cost the token, and that is complained about", async () => {
  for (let count = 0; count < 4; count++) {
    const connection = await open();
    connection.identify();
    await until(() => discord.gateway.identifies.length === count + 1, { what: "it identifies" });
  }
  expect(discord.complaints).toEqual(["identify: more identifies than are left: the token is reset"]);
  expect((await post("/users/@me/channels", {})).status).toBe(401);
});

test("two identifies of one shard within five seconds make the second invalid", async () => {
  await using strict = await createLocalDiscord();
  discord.gateway.cut(1000);
  const before = discord;
  discord = strict;
  try {
    const [first, second] = [await open(), await open()];
    first.identify();
    await first.hears("READY");
    second.identify();
    await until(() => second.said.some(({ op }) => op === 9), { what: "the second is refused" });
  } finally {
    discord = before;
  }
});

test("limits are told before they are met, and a 429 says for how long", async () => {
  const channel = discord.channel("general");
  const answers = [];
  for (let count = 0; count < 6; count++)
    answers.push(await post(`/channels/${channel.id}/messages`, { content: "x" }));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
  expect(answers.map(({ headers }) => headers.get("x-ratelimit-remaining"))).toEqual([
    "4",
    "3",
    "2",
    "1",
    "0",
    "0",
  ]);
  expect(Number(answers[5]?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await answers[5]?.json()).toMatchObject({ global: false });
  // Other channels have buckets of their own.
  expect((await post(`/channels/${discord.channel("other").id}/messages`, { content: "x" })).status).toBe(
    200,
  );
  await post(`/channels/${channel.id}/messages`, { content: "x" });
  expect(discord.complaints).toEqual([
    expect.stringContaining("pace: POST /channels/:channel/messages comes"),
  ]);
});

test("one request too many in a second is one too many for all", async () => {
  await using strict = await createLocalDiscord({ rateLimits: { globalPerS: 2, nowMs: () => 0 } });
  const me = () =>
    fetch(`${strict.apiUrl}/v10/users/@me`, { headers: { authorization: `Bot ${strict.token}` } });
  const answers = [await me(), await me(), await me()];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(answers[2]?.headers.get("x-ratelimit-global")).toBe("true");
});

test("faults hit the call that they were ordered for, before it is done or after", async () => {
  const route = "POST /channels/:channel/messages";
  const channel = discord.channel("general");
  const say = (content: string) => post(`/channels/${channel.id}/messages`, { content });
  discord.fault(route, { kind: "status", status: 502 });
  discord.fault(route, { kind: "status after", status: 502 });
  discord.fault(route, { kind: "lost response" });
  discord.fault(route, { kind: "unreachable" });
  discord.fault(route, { kind: "refused", status: 403, code: 50013 });
  expect((await say("one")).status).toBe(502);
  expect((await say("two")).status).toBe(502);
  await expect(say("three")).rejects.toThrow("fetch failed");
  await expect(say("four")).rejects.toThrow("fetch failed");
  expect((await say("five")).status).toBe(403);
  expect(discord.unusedFaults).toBe(0);
  expect(discord.shown(channel).map(({ text }) => text)).toEqual(["two", "three"]);
});

test("a name of a thread changes twice in ten minutes, and an old message three times in six seconds", async () => {
  let now = Date.now();
  await using aged = await createLocalDiscord({ nowMs: () => now });
  const call = (method: string, path: string, body: object): Promise<Response> =>
    fetch(`${aged.apiUrl}/v10${path}`, {
      method,
      headers: { authorization: `Bot ${aged.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const root = aged.person("Ana").say(aged.channel("general"), "hello");
  await call("POST", `/channels/${root.channel}/messages/${root.id}/threads`, { name: "one" });
  const rename = async (name: string) => (await call("PATCH", `/channels/${root.id}`, { name })).status;
  expect([await rename("two"), await rename("three"), await rename("four")]).toEqual([200, 200, 429]);
  const posted = await call("POST", `/channels/${root.id}/messages`, { content: "0" });
  const { id } = (await posted.json()) as { id: string };
  now += 2 * 3_600_000;
  const edit = async (content: string) =>
    (await call("PATCH", `/channels/${root.id}/messages/${id}`, { content })).status;
  expect([await edit("1"), await edit("2"), await edit("3"), await edit("4")]).toEqual([200, 200, 200, 429]);
});

test("commands that Discord would not take are refused, each for what is wrong with it", () => {
  const check =
    (...list: JsonObject[]) =>
    (): void =>
      checkCommands(list, new Set([0]));
  const good = { name: "why", description: "which rule" };
  const option = { type: 3, name: "message", description: "its address" };
  const choices = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `${n}`, value: `${n}` }));
  const menu = { type: 3, name: "Ask about this" };
  expect(
    check(good, menu, { ...good, name: "model", options: [{ ...option, choices: choices(25) }] }),
  ).not.toThrow();
  for (const [field, bad] of [
    ["name", { ...good, name: "Why" }],
    ["name", { ...good, name: "w".repeat(33) }],
    ["description", { ...good, description: "" }],
    ["description", { ...good, description: "d".repeat(101) }],
    ["integration_types", { ...good, integration_types: [1] }],
    ["contexts", { ...good, contexts: [3] }],
    ["options.name", { ...good, options: [{ ...option, name: "A message" }] }],
    ["options.description", { ...good, options: [{ ...option, description: "" }] }],
    ["options", { ...good, options: [option, option] }],
    ["options", { ...good, options: [option, { ...option, name: "other", required: true }] }],
    ["choices", { ...good, options: [{ ...option, choices: choices(26) }] }],
    ["autocomplete", { ...good, options: [{ ...option, choices: choices(1), autocomplete: true }] }],
    ["description", { ...menu, description: "of a menu" }],
    ["name", { ...menu, name: "m".repeat(33) }],
  ] as const)
    expect(check(bad)).toThrow(`Invalid Form Body: ${field}:`);
  expect(check(menu, menu)).toThrow("Names have to differ");
  expect(check(...Array.from({ length: 16 }, (_, n) => ({ ...menu, name: `Menu ${n}` })))).toThrow(
    "Maximum number",
  );
});
