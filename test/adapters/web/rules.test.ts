// What the web chat lets in and gives out, at the level of requests.
import { expect, test } from "vitest";
import { BobbinError } from "../../../src/core/errors.ts";
import type { MessageInbound } from "../../../src/core/inbound.ts";
import { ChatWorld } from "./chat-world.ts";

const id = "aaaabbbbcccc";

function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  return [
    path,
    {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json", ...headers },
    },
  ] as const;
}

async function opened(world: ChatWorld, text = "hello"): Promise<string> {
  const response = await world.app().request(...post("/messages", { id, text }));
  return ((await response.json()) as { thread: string }).thread;
}

test("a message is a row and an inbound before it is acknowledged, and its thread begins with it", async () => {
  const world = new ChatWorld();
  const response = await world.app().request(...post("/messages", { id, text: " hello \n" }));
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    thread: `web:local:general:${id}`,
    path: `/threads/${encodeURIComponent(`web:local:general:${id}`)}`,
  });
  const [inbound] = world.inbounds as MessageInbound[];
  expect(inbound).toMatchObject({
    kind: "message",
    id: `web/chat/local/general/message/${id}`,
    session: `web:local:general:${id}`,
    addressed: true,
    author: { name: "Guest" },
    parts: [{ kind: "text", text: "hello" }],
  });
  expect(await world.messages.list(inbound!.session)).toMatchObject([
    { id, from: "person", speaker: "Guest" },
  ]);
});

test("the same message sent again is stored once and says what was said first", async () => {
  const world = new ChatWorld();
  await opened(world, "hello");
  const again = await world.app().request(...post("/messages", { id, text: "not what was said" }));
  expect(again.status).toBe(200);
  expect(world.inbounds).toHaveLength(1);
  const page = await world.app().request(`/threads/web:local:general:${id}`);
  expect(await page.text()).not.toContain("not what was said");
});

test("while the store is away a message is refused with one sentence, and the same message goes through later", async () => {
  const world = new ChatWorld();
  const app = world.app();
  world.messages.isAway = true;
  const refused = await app.request(...post("/messages", { id, text: "hello" }));
  expect(refused.status).toBe(503);
  expect(await refused.json()).toEqual({ error: "The bot's database cannot be reached at the moment." });
  expect(world.inbounds).toHaveLength(0);
  world.messages.isAway = false;

  world.isIntakeAway = true;
  expect((await app.request(...post("/messages", { id, text: "hello" }))).status).toBe(503);
  world.isIntakeAway = false;

  expect((await app.request(...post("/messages", { id, text: "hello" }))).status).toBe(200);
  expect(world.inbounds).toHaveLength(1);
});

test("a page that cannot be read from the store says so and asks again by itself", async () => {
  const world = new ChatWorld();
  world.messages.isAway = true;
  const response = await world.app().request("/");
  expect(response.status).toBe(503);
  const text = await response.text();
  expect(text).toContain("database cannot be reached");
  expect(text).toContain('http-equiv="refresh"');
});

test("a fault of our own shows one sentence and nothing of the fault", async () => {
  const world = new ChatWorld();
  const intake = { receive: () => Promise.reject(new Error("secret detail at /srv/x")) };
  const response = await world.app({}, { intake }).request(...post("/messages", { id, text: "hello" }));
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("secret");
  const other = { receive: () => Promise.reject(new BobbinError("model_auth", "key sk-1 refused")) };
  const second = await world.app({}, { intake: other }).request(...post("/messages", { id, text: "hello" }));
  expect(await second.json()).toEqual({ error: "Something went wrong inside the bot. Please try again." });
});

test("a command is answered in the thread and is no message for the agent", async () => {
  const world = new ChatWorld();
  const thread = await opened(world);
  const app = world.app();
  const command = post("/messages", { id: "ddddeeeeffff", text: "/HELP ", thread });
  expect((await app.request(...command)).status).toBe(200);
  expect((await app.request(...command)).status).toBe(200);
  const rows = await world.messages.list(world.inbounds[0]!.session);
  expect(rows.map((row) => [row.from, row.id])).toEqual([
    ["person", id],
    ["person", "ddddeeeeffff"],
    ["bot", "ddddeeeeffff-answer"],
  ]);
  expect(world.inbounds).toHaveLength(1);

  await app.request(...post("/messages", { id: "ddddeeeeffff2", text: "/stop", thread }));
  expect(world.inbounds[1]).toMatchObject({ kind: "command", command: { name: "stop" } });
  await app.request(...post("/messages", { id: "ddddeeeeffff3", text: "/frobnicate", thread }));
  const last = (await world.messages.list(world.inbounds[0]!.session)).at(-1);
  expect(last?.page.markdown).toMatch(/There is no command `\/frobnicate`[\s\S]*\/reset/);
  expect(world.inbounds).toHaveLength(2);
  await app.request(...post("/messages", { id: "ddddeeeeffff4", text: "/etc/hosts: what is it?", thread }));
  expect(world.inbounds[2]).toMatchObject({ kind: "message" });
});

test("a click is a command with an answer for the one who clicked", async () => {
  const world = new ChatWorld();
  const thread = await opened(world);
  const click = { id: "ddddeeeeffff", thread, action: "stop", value: "r1" };
  const response = await world.app().request(...post("/action", click));
  expect(await response.json()).toMatchObject({ notice: "Stopping." });
  expect(world.inbounds[1]).toMatchObject({ kind: "command", command: { name: "stop" } });
});

test.each([
  ["..%2f..%2fetc%2fpasswd"],
  ["a%2F..%2F..%2Fb"],
  ["slack:T1:C1:171.5"],
  ["web:other:general:aaaabbbbcccc"],
  ["web:local:general:unknownunknown"],
  ["web:local:general"],
  ["%00"],
])("S8, S16: the thread %s is not found, in every place and in the same way", async (thread) => {
  const world = new ChatWorld();
  await opened(world);
  const app = world.app();
  for (const path of ["", "/transcript", "/events"]) {
    expect((await app.request(`/threads/${thread}${path}`)).status).toBe(404);
  }
  const name = decodeURIComponent(thread);
  const message = await app.request(...post("/messages", { id: "ddddeeeeffff", text: "x", thread: name }));
  expect(message.status).toBe(404);
  const click = await app.request(...post("/action", { id, thread: name, action: "stop" }));
  expect(click.status).toBe(404);
  expect(world.inbounds).toHaveLength(1);
});

test.each<[string, unknown]>([
  ["an id that is none", { id: "../x", text: "a" }],
  ["no text", { id }],
  ["nothing", null],
  ["blank text", { id, text: " \u200B\n" }],
])("a body with %s is refused with a sentence", async (_, body) => {
  const world = new ChatWorld();
  const response = await world.app().request(...post("/messages", body));
  expect(response.status).toBe(400);
  expect(((await response.json()) as { error: string }).error).toMatch(/\.$/);
  expect(world.inbounds).toHaveLength(0);
});

test("a body that is too long is refused before it is read", async () => {
  const world = new ChatWorld();
  const response = await world
    .app({ bodyBytes: 1_000 })
    .request(...post("/messages", { id, text: "x".repeat(2_000) }));
  expect(response.status).toBe(413);
});

test("hostile text is stored whole and shown escaped, in every place it appears", async () => {
  const world = new ChatWorld();
  const text = `<script>alert("1")</script>\u0000\uD800 '"&`;
  const thread = await opened(world, text);
  await world.app().request(...post("/name", { name: "<b>" }));
  const rows = await world.messages.list(world.inbounds[0]!.session);
  expect(rows[0]?.page.markdown).toBe(`<script>alert("1")</script>\uFFFD\uFFFD '"&`);
  for (const path of ["/", `/threads/${thread}`]) {
    const page = await (await world.app().request(path)).text();
    expect(page).not.toContain("<script>alert");
    expect(page).toContain("&lt;script&gt;");
  }
});

test("every answer forbids foreign scripts, frames, guesses of type, and says nothing to other sites", async () => {
  const world = new ChatWorld();
  for (const path of ["/", "/assets/chat.js", "/threads/nothing"]) {
    const { headers } = await world.app().request(path);
    expect(headers.get("content-security-policy")).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    );
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  }
  const page = await (await world.app().request("/")).text();
  expect(page).not.toMatch(/<script(?![^>]* src="\/assets\/)/);
  expect(page).not.toMatch(/<style|\sstyle="|\son[a-z]+="/);
});

test.each([
  ["evil.example", 403],
  ["127.0.0.1.evil.example:3000", 403],
  ["0.0.0.0:3000", 403],
  ["bot.example", 200],
  ["BOT.example:8080", 200],
  ["localhost:3000", 200],
  ["127.0.0.1:3000", 200],
  ["[::1]:3000", 200],
])("a request to the name %s gets %i", async (host, status) => {
  const app = new ChatWorld().app({ allowedHosts: ["bot.example"] });
  expect((await app.request("/", { headers: { Host: host } })).status).toBe(status);
});

test.each<[string, Record<string, string>, number]>([
  ["the page itself", { Host: "localhost:3000", Origin: "http://localhost:3000" }, 200],
  ["a program without an origin", { Host: "localhost:3000" }, 200],
  ["another program on this machine", { Host: "localhost:3000", Origin: "http://localhost:5173" }, 403],
  ["another site", { Host: "localhost:3000", Origin: "https://evil.example" }, 403],
  ["a sandboxed page", { Host: "localhost:3000", Origin: "null" }, 403],
  ["a site that hides its origin", { Host: "localhost:3000", "Sec-Fetch-Site": "cross-site" }, 403],
  ["a form", { Host: "localhost:3000", "Content-Type": "text/plain" }, 403],
])("a message from %s gets its due", async (_, headers, status) => {
  const world = new ChatWorld();
  expect((await world.app().request(...post("/messages", { id, text: "x" }, headers))).status).toBe(status);
  expect(world.inbounds).toHaveLength(status === 200 ? 1 : 0);
});

test("a browser is known by a cookie that no script reads, and writes under the name it chose", async () => {
  const world = new ChatWorld();
  const app = world.app();
  const first = await app.request("/");
  const cookie = first.headers.getSetCookie()[0] ?? "";
  expect(cookie).toMatch(/^bobbin_person=[a-z0-9]+; Max-Age=\d{8}; Path=\/; HttpOnly; SameSite=Strict$/);
  const named = await app.request(...post("/name", { name: "  Ada\n\u202ELovelace " }));
  expect(await named.json()).toEqual({ name: "Ada Lovelace" });
  const both = [cookie, named.headers.getSetCookie().at(-1) ?? ""]
    .map((each) => each.split(";")[0])
    .join("; ");
  const sent = await app.request(...post("/messages", { id, text: "x" }, { Cookie: both }));
  expect(sent.headers.getSetCookie()).toEqual([]);
  const known = { id: cookie.split(/[=;]/)[1], name: "Ada Lovelace" };
  expect(world.inbounds[0]?.author).toEqual({ ...known, kind: "member", roles: [], isPlatformAdmin: true });
});

test("the transcript is on the admin pages, which say who may see it", async () => {
  const world = new ChatWorld();
  const answer = await world.app().request(`/threads/${await opened(world)}/transcript`);
  expect(answer.status).toBe(303);
  expect(answer.headers.get("location")).toMatch(/^\/admin\/threads\/web%3Alocal%3Ageneral%3A/);
});

test("a file that has not changed is not sent again", async () => {
  const app = new ChatWorld().app();
  const first = await app.request("/assets/chat.js");
  expect(first.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  const tag = first.headers.get("etag") ?? "";
  expect((await app.request("/assets/chat.js", { headers: { "If-None-Match": tag } })).status).toBe(304);
  expect((await app.request("/assets/tsconfig.json")).status).toBe(404);
  expect((await app.request("/assets/..%2fconnection.ts")).status).toBe(404);
});
