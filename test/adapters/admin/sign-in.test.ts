// Coming in to the admin pages, and staying in: who, how often, and for how long.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createAttempts } from "../../../src/core/admin/attempts.ts";
import type { Author } from "../../../src/core/inbound.ts";
import type { Person } from "../../../src/core/ports/sign-ins.ts";
import { toSessionId } from "../../../src/core/thread.ts";
import { storeThread } from "../../support/stored-threads.ts";
import { openAdminWorld, person, type AdminWorld } from "./admin-world.ts";

let world: AdminWorld;
beforeAll(async () => {
  world = await openAdminWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const ana = person("T1", "UANA", "Ana");
const admin = (id: string): Author => ({ id, name: id, kind: "member", roles: [], isPlatformAdmin: true });
const member = (id: string): Author => ({ id, name: id, kind: "member", roles: [], isPlatformAdmin: false });

beforeEach(async () => {
  world.people.clear();
  world.people.set("slack:T1:UANA", admin("UANA"));
  // Whatever was said of them before counts no more.
  await world.clock.advance(61_000);
});

test("who only looks at a link uses nothing up; its button lets one browser in, and the second finds it used", async () => {
  const link = await world.link(ana);
  const preview = world.newBrowser();
  for (let looks = 0; looks < 3; looks++) {
    const page = await preview.get(link);
    expect(page.status).toBe(200);
    expect(page.text).toContain("Ana");
    expect(preview.cookie).toBe("");
  }
  const own = world.newBrowser();
  const entered = await own.send(link, {}, { token: "none" });
  expect(entered.status).toBe(303);
  expect(entered.headers.get("location")).toBe("/admin/");
  const cookie = entered.headers.getSetCookie()[0] ?? "";
  expect(cookie).toMatch(/HttpOnly/);
  expect(cookie).toMatch(/SameSite=Lax/);
  expect((await own.get("/admin/browsers")).status).toBe(200);

  const thief = world.newBrowser();
  expect((await thief.send(link, {}, { token: "none" })).status).toBe(404);
  expect(thief.cookie).toBe("");
  expect((await thief.get(link)).text).toContain("was used already");
});

test("of many who press at once exactly one comes in", async () => {
  const link = await world.link(ana);
  const browsers = Array.from({ length: 8 }, () => world.newBrowser());
  const answers = await Promise.all(browsers.map((browser) => browser.send(link, {}, { token: "none" })));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    303,
    ...Array.from({ length: 7 }, () => 404),
  ]);
});

test("a link is over after 15 minutes, and one that nobody made leads nowhere", async () => {
  const link = await world.link(ana);
  await world.sql.query({ text: "update admin_offers set until = now_ms() where used_at is null" });
  const browser = world.newBrowser();
  expect((await browser.send(link, {}, { token: "none" })).status).toBe(404);
  for (const wrong of ["/admin/in/short", `/admin/in/${"a".repeat(43)}`, "/admin/in/..%2f..%2fetc"])
    expect((await browser.get(wrong)).status).toBe(404);
});

test("the link of a thread leads to its transcript", async () => {
  const session = toSessionId("slack:T1:C1:171.5");
  const browser = world.newBrowser();
  const answer = await browser.send(await world.link(ana, session), {}, { token: "none" });
  expect(answer.headers.get("location")).toBe("/admin/threads/slack%3AT1%3AC1%3A171.5");
});

test("neither a link nor a cookie stands in the database", async () => {
  const link = await world.link(ana);
  const browser = world.newBrowser();
  await browser.send(link, {}, { token: "none" });
  const rows = await world.sql.query<{ row: string }>({
    text: "select row_to_json(o)::text as row from admin_offers o union all select row_to_json(b)::text from admin_browsers b",
  });
  const stored = rows.map(({ row }) => row).join("\n");
  expect(stored).toContain("UANA");
  expect(stored).not.toContain(link.split("/").at(-1));
  expect(stored).not.toContain(browser.cookie.split("=")[1]);
});

test.each<[string, Author | undefined]>([
  ["a member without a role", member("UANA")],
  ["a guest, whatever lists say", { ...admin("UANA"), kind: "guest" }],
  ["somebody of another company", { ...admin("UANA"), kind: "external" }],
  ["somebody who was deactivated", undefined],
])("%s does not come in by a link, and it is written down", async (_, said) => {
  if (said === undefined) world.people.delete("slack:T1:UANA");
  else world.people.set("slack:T1:UANA", said);
  const browser = world.newBrowser();
  expect((await browser.send(await world.link(ana), {}, { token: "none" })).status).toBe(403);
  expect(browser.cookie).toBe("");
  expect((await world.audited(ana))[0]?.kind).toBe("sign_in_refused");
});

test("who is signed in and loses the role sees nothing from a minute later on, and again once it is back", async () => {
  const browser = await world.signedIn(ana);
  expect((await browser.get("/admin/audit")).status).toBe(200);
  world.people.set("slack:T1:UANA", member("UANA"));
  await world.clock.advance(60_000);
  expect((await browser.get("/admin/audit")).status).toBe(403);
  world.people.delete("slack:T1:UANA");
  await world.clock.advance(60_000);
  expect((await browser.get("/admin/audit")).status).toBe(403);
  expect((await world.audited(ana))[0]?.kind).toBe("refused");
  world.people.set("slack:T1:UANA", admin("UANA"));
  await world.clock.advance(60_000);
  expect((await browser.get("/admin/audit")).status).toBe(200);
});

test("while the platform does not say who somebody is, nobody sees anything", async () => {
  const browser = await world.signedIn(ana);
  world.people.set("slack:T1:UANA", new Error("away"));
  await world.clock.advance(60_000);
  const answer = await browser.get("/admin/audit");
  expect(answer.status).toBe(503);
  expect(answer.text).toContain("could not be learnt");
  world.people.set("slack:T1:UANA", admin("UANA"));
  expect((await browser.get("/admin/audit")).status).toBe(200);
});

test("a sign-in ends by sign-out, after eight hours, and after an hour without a look", async () => {
  const out = await world.signedIn(ana);
  const cookie = out.cookie;
  expect((await out.send("/admin/out")).status).toBe(303);
  out.cookie = cookie;
  expect((await out.get("/admin/audit")).status).toBe(401);

  const old = await world.signedIn(ana);
  await world.sql.query({ text: "update admin_browsers set until = now_ms()" });
  expect((await old.get("/admin/audit")).status).toBe(401);

  const idle = await world.signedIn(ana);
  await world.sql.query({ text: "update admin_browsers set seen_at = seen_at - 59 * 60000" });
  expect((await idle.get("/admin/audit")).status).toBe(200);
  await world.sql.query({ text: "update admin_browsers set seen_at = seen_at - 60 * 60000" });
  expect((await idle.get("/admin/audit")).status).toBe(401);
});

test("an admin signs out any browser of the space, a reviewer only their own, and nobody one of another space", async () => {
  world.people.set("slack:T1:UREVIEW", member("UREVIEW"));
  world.people.set("slack:T2:UOTHER", member("UOTHER"));
  const reviewer = await world.signedIn(person("T1", "UREVIEW"));
  const boss = await world.signedIn(ana);
  const other = await world.signedIn(person("T2", "UOTHER"));
  const idsOn = async (browser: typeof boss): Promise<string[]> =>
    [...(await browser.get("/admin/browsers")).text.matchAll(/action="\/admin\/browsers\/([^"]+)"/g)].map(
      ([, id]) => id ?? "",
    );
  const [own = ""] = await idsOn(reviewer);
  expect(await idsOn(boss)).toContain(own);
  expect(await idsOn(other)).not.toContain(own);
  expect(await idsOn(reviewer)).toEqual([own]);
  const ofBoss = (await idsOn(boss)).find((id) => id !== own) ?? "";
  expect((await reviewer.send(`/admin/browsers/${ofBoss}`)).status).toBe(404);
  expect((await other.send(`/admin/browsers/${own}`)).status).toBe(404);
  expect((await reviewer.get("/admin/browsers")).status).toBe(200);
  expect((await boss.send(`/admin/browsers/${own}`)).status).toBe(303);
  expect((await reviewer.get("/admin/browsers")).status).toBe(401);
  expect((await world.audited(ana))[0]).toMatchObject({ kind: "revoke", about: own });
});

test("all other browsers are signed out at once: one's own by everybody, those of one person by an admin", async () => {
  world.people.set("slack:T1:UREVIEW", member("UREVIEW"));
  const reviewer = person("T1", "UREVIEW");
  const [here, there, away] = [
    await world.signedIn(reviewer),
    await world.signedIn(reviewer),
    await world.signedIn(reviewer),
  ];
  const boss = await world.signedIn(ana);
  const statuses = (): Promise<number[]> =>
    Promise.all([here, there, away, boss].map(async (browser) => (await browser.get("/admin/")).status));
  expect((await here.get("/admin/browsers")).text).toContain("Sign out my other browsers");
  expect((await here.send("/admin/browsers")).status).toBe(303);
  expect(await statuses()).toEqual([200, 401, 401, 200]);
  const revoked = async (who: Person): Promise<string | undefined> =>
    (await world.audited(who)).find(({ kind }) => kind === "revoke")?.about;
  expect(await revoked(reviewer)).toBe("my other browsers");

  const again = await world.signedIn(reviewer);
  const [id = ""] =
    /(?<=formaction="\/admin\/browsers\/)[^"/]+(?=\/all")/.exec((await boss.get("/admin/browsers")).text) ??
    [];
  expect((await again.send(`/admin/browsers/${id}/all`)).status).toBe(403);
  expect((await boss.send(`/admin/browsers/${id}/all`)).status).toBe(303);
  expect(await statuses()).toEqual([401, 401, 401, 200]);
  expect((await again.get("/admin/")).status).toBe(401);
  expect(await revoked(ana)).toBe("all of UREVIEW");
});

test("the owner of the machine comes in from it and from nowhere else", async () => {
  const owner = { platform: "web", space: "local", person: "owner", name: "Owner" } as const;
  await using local = await openAdminWorld({ owner });
  local.people.set("web:local:owner", admin("owner"));
  const afar = local.newBrowser();
  for (const through of [
    { "x-forwarded-for": "203.0.113.9" },
    { via: "1.1 proxy" },
    { "x-forwarded-host": "bot.example" },
    { "x-forwarded-proto": "https" },
  ])
    expect((await afar.send("/admin/here", {}, { token: "none", headers: { ...through } })).status).toBe(403);
  const here = local.newBrowser();
  expect((await here.get("/admin/audit")).text).toContain("owner of this machine");
  const entered = await here.send("/admin/here", { next: "/admin/audit" }, { token: "none" });
  expect(entered.headers.get("location")).toBe("/admin/audit");
  expect((await here.get("/admin/audit")).status).toBe(200);
  for (const next of ["https://evil.example/", "//evil.example", "/admin//evil.example", "/admin/\\evil"]) {
    const answer = await local.newBrowser().send("/admin/here", { next }, { token: "none" });
    expect(answer.headers.get("location")).toBe("/admin/");
  }
  // Where no web chat is, nobody comes in that way.
  expect((await world.newBrowser().send("/admin/here", {}, { token: "none" })).status).toBe(403);
});

test("where others come by a name of its own nobody is the machine's owner, and is told why", async () => {
  const owner = { platform: "web", space: "local", person: "owner", name: "Owner" } as const;
  await using local = await openAdminWorld({ owner, allowedHosts: ["bot.example"] });
  local.people.set("web:local:owner", admin("owner"));
  const browser = local.newBrowser();
  expect((await browser.get("/admin/")).text).not.toContain("owner of this machine");
  const answer = await browser.send("/admin/here", {}, { token: "none" });
  expect([answer.status, answer.text.includes("PUBLIC_URL")]).toEqual([403, true]);
});

test("who tries too often has to wait a minute", async () => {
  await using strict = await openAdminWorld({ attempts: createAttempts(world.clock, { most: 3 }) });
  const browser = strict.newBrowser();
  const look = async (): Promise<number> => (await browser.get(`/admin/in/${"a".repeat(43)}`)).status;
  expect([await look(), await look(), await look(), await look()]).toEqual([404, 404, 404, 429]);
  await world.clock.advance(60_000);
  expect(await look()).toBe(404);
});

test("what others try in vain keeps nobody with a good link out, and what is no link at all counts for nothing", async () => {
  await using strict = await openAdminWorld({ attempts: createAttempts(world.clock, { most: 1 }) });
  strict.people.set("slack:T1:U1", admin("U1"));
  const browser = strict.newBrowser();
  const look = async (secret: string): Promise<number> => (await browser.get(`/admin/in/${secret}`)).status;
  expect([await look("short"), await look("short")]).toEqual([404, 404]);
  expect([await look("a".repeat(43)), await look("b".repeat(43))]).toEqual([404, 429]);
  const link = await strict.link(person("T1", "U1"));
  expect((await browser.get(link)).status).toBe(200);
  expect((await browser.send(link, {}, { token: "none" })).status).toBe(303);
});

test("a page that only stands open keeps nobody in: neither its stream nor that it connects again is a look", async () => {
  const browser = await world.signedIn(ana);
  await storeThread(world.sql, { session: "slack:T1:C1:171.9", said: ["a question", "an answer"] });
  const seen = async (): Promise<unknown> =>
    world.sql.query({ text: "select seen_at from admin_browsers order by created_at desc, id desc limit 1" });
  await world.sql.query({ text: "update admin_browsers set seen_at = now_ms() - 3000000" });
  const before = await seen();
  const over = new AbortController();
  const answer = await fetch(`${world.url}/admin/threads/slack%3AT1%3AC1%3A171.9/live`, {
    headers: { cookie: browser.cookie },
    signal: over.signal,
  });
  expect(answer.status).toBe(200);
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of answer.body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.includes("event: content")) break;
  }
  over.abort();
  expect(await seen()).toEqual(before);
  await browser.get("/admin/");
  expect(await seen()).not.toEqual(before);
});

test("who looks at who is signed in is written down; a zero byte leads nowhere", async () => {
  const browser = await world.signedIn(ana);
  await browser.get("/admin/browsers");
  expect((await world.audited(ana))[0]).toMatchObject({ kind: "browsers" });
  for (const path of [
    "/admin/?channel=a%00b",
    "/admin/?q=a%00b",
    "/admin/threads/slack%3AT1%3AC1%3A171.9/calls/%00",
  ])
    expect([path, (await browser.get(path)).status]).toEqual([path, 404]);
});

test("a browser that is out for a day is forgotten, with the reasons that it gave", async () => {
  await world.signedIn(ana);
  await world.sql.query({
    text: "insert into review_reasons (browser, session, reason) select id, 'slack:T1:D1:1.1', 'r' from admin_browsers",
  });
  await world.sql.query({ text: "update admin_browsers set until = now_ms() - 86400001" });
  await world.link(ana);
  for (const table of ["admin_browsers", "review_reasons"])
    expect(await world.sql.query({ text: `select 1 as one from ${table}` })).toEqual([]);
});

test("who is refused again and again fills the audit log with no more than a line a second", async () => {
  const browser = await world.signedIn(ana);
  const refused = async (): Promise<number> =>
    (await world.audited(ana)).filter(({ kind, about }) => kind === "refused" && about?.includes("C9"))
      .length;
  const unknown = "/admin/threads/slack%3AT1%3AC9%3A1.1";
  for (let n = 0; n < 65; n++) expect((await browser.get(unknown)).status).toBe(404);
  expect(await refused()).toBe(60);
  await world.clock.advance(60_000);
  await browser.get(unknown);
  expect(await refused()).toBe(61);
});

test("the audit log takes neither a change nor a removal", async () => {
  await world.signedIn(ana);
  for (const text of ["update audit set name = 'x'", "delete from audit", "truncate audit"])
    await expect(world.sql.query({ text })).rejects.toThrow("only ever added to");
  expect((await world.audited(ana)).length).toBeGreaterThan(0);
});
