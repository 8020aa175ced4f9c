// Coming in to the admin pages by the platforms' own sign-in: the real protocols, against the local Slack and the local Discord.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { backUrlOf } from "../../../src/adapters/admin/pages/paths.ts";
import { createAttempts, type Attempts } from "../../../src/core/admin/attempts.ts";
import type { SignInWay } from "../../../src/core/ports/sign-in-way.ts";
import type { Person as Who } from "../../../src/core/ports/sign-ins.ts";
import type { LocalDiscord } from "../../support/discord/local-discord.ts";
import type { LocalSlack, LocalTeam } from "../../support/slack/local-slack.ts";
import { storeThread } from "../../support/stored-threads.ts";
import { openAdminWorld, type AdminWorld, type Answer, type Browser } from "./admin-world.ts";
import { openWaysWorld } from "./ways-world.ts";

const stack = new AsyncDisposableStack();
let ways: readonly SignInWay[];
let attempts: Attempts;
let world: AdminWorld;
let slack: LocalSlack;
let discord: LocalDiscord;
let one: LocalTeam;

beforeAll(async () => {
  const opened = await openWaysWorld(stack, { take: (address) => attempts.take(address) });
  ({ world, slack, discord, one, ways } = opened);
});
afterAll(() => stack.disposeAsync());
beforeEach(async () => {
  attempts = createAttempts(world.clock);
  slack.openId.forged = {};
  await world.clock.advance(61_000);
});

type Way = "slack" | "discord";

/** What the bot's own platform says of somebody. */
function is(way: Way, space: string, { id }: { readonly id: string }, what: "admin" | "member"): void {
  const facts = { id, name: id, kind: "member", roles: [], isPlatformAdmin: what === "admin" } as const;
  world.people.set(`${way}:${space}:${id}`, facts);
}

const whoIn = (platform: Way, space: string, { id }: { readonly id: string }): Who => ({
  platform,
  space,
  person: id,
  name: id,
});

/** Where the browser is sent. */
async function leave(browser: Browser, way: Way, query = ""): Promise<string> {
  const answer = await browser.get(`/admin/with/${way}${query}`);
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([302, "no-store, private"]);
  return answer.headers.get("location") ?? "";
}

/** The address at which the platform leads back, followed by the browser. */
function follow(browser: Browser, back: string): Promise<Answer> {
  const { pathname, search } = new URL(back);
  return browser.get(`${pathname}${search}`);
}

interface Someone {
  readonly id: string;
}

const allowed = (way: Way, address: string, by: Someone, team: LocalTeam = one): string =>
  way === "slack" ? slack.openId.allow(address, { team: team.teamId, by }) : discord.oauth.allow(address, by);

const someone = (way: Way, name: string): Someone =>
  way === "slack" ? one.person(name) : discord.person(name);

/** An admin of the one space there is. */
function boss(way: Way): Someone {
  const person = someone(way, "Bea");
  is(way, way === "slack" ? "T1" : discord.guild.id, person, "admin");
  return person;
}

async function comeIn(browser: Browser, way: Way, by: Someone, query = ""): Promise<Answer> {
  return follow(browser, allowed(way, await leave(browser, way, query), by));
}

/** Not let in, and told what to do. */
async function expectRefused(browser: Browser, answer: Answer, status: number, text: string): Promise<void> {
  expect([answer.status, answer.text.includes(text), answer.text]).toEqual([status, true, answer.text]);
  expect(answer.headers.get("cache-control")).toMatch(/no-store/);
  expect((await browser.get("/admin/")).status).toBe(401);
}

const WAYS: readonly Way[] = ["slack", "discord"];

test.each(WAYS)(
  "%s: an admin presses, goes on there, and is in; what the platform gave is kept nowhere",
  async (way) => {
    const bea = boss(way);
    const browser = world.newBrowser();
    const page = await browser.get("/admin/audit");
    expect(page.text).toContain(`href="/admin/with/${way}?next=%2Fadmin%2Faudit"`);
    const address = new URL(await leave(browser, way));
    const { state, nonce, scope, code_challenge: challenge } = Object.fromEntries(address.searchParams);
    expect(state).toMatch(/^[0-9a-f]{64}$/);
    if (way === "slack") expect([nonce?.length, scope]).toEqual([64, "openid profile"]);
    else expect([challenge?.length, scope]).toEqual([43, "identify guilds"]);
    expect(browser.cookie).not.toContain(state);
    const answer = await follow(browser, allowed(way, address.href, bea));
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/admin/"]);
    expect(browser.cookie).not.toContain("bobbin_going");
    expect((await browser.get("/admin/audit")).text).toContain("Bea");
    const who = whoIn(way, way === "slack" ? "T1" : discord.guild.id, bea);
    const signedIn = (await world.audited(who)).find(({ kind }) => kind === "sign_in");
    expect(signedIn?.about).toMatch(way === "slack" ? /^Slack, / : /^Discord, /);
    const tables = ["admin_offers", "admin_browsers", "audit", "used_states", "installs"];
    const rows = await Promise.all(
      tables.map((table) =>
        world.sql.query<{ row: string }>({ text: `select row_to_json(t)::text as row from ${table} t` }),
      ),
    );
    const stored = rows
      .flat()
      .map(({ row }) => row)
      .join("\n");
    for (const secret of ["xoxp-", "local-bearer", "local-refresh", "xoxb-", state ?? "", ".openid"])
      expect([secret, stored.includes(secret)]).toEqual([secret, false]);
  },
);

test.each(WAYS)(
  "%s: who comes back by a way that this browser did not go, or went before, is not let in",
  async (way) => {
    const bea = boss(way);
    const begun = "begun in another browser";
    const victim = world.newBrowser();
    const address = await leave(victim, way);

    // The address reaches somebody else's browser, with or without a going of its own.
    const thief = world.newBrowser();
    await expectRefused(thief, await follow(thief, allowed(way, address, bea)), 400, begun);
    await leave(thief, way);
    await expectRefused(thief, await follow(thief, allowed(way, address, bea)), 400, begun);

    // Another state; the other platform's; none.
    for (const state of ["0".repeat(64), "", "é"]) {
      const browser = world.newBrowser();
      const back = new URL(allowed(way, await leave(browser, way), bea));
      back.searchParams.set("state", state);
      await expectRefused(browser, await follow(browser, back.href), 400, begun);
    }
    const crossed = world.newBrowser();
    const other = way === "slack" ? "discord" : "slack";
    const back = allowed(way, await leave(crossed, way), bea).replace(`/with/${way}/`, `/with/${other}/`);
    await expectRefused(crossed, await follow(crossed, back), 400, begun);

    // Once, even where the cookie was kept.
    const { cookie } = victim;
    const good = allowed(way, address, bea);
    expect((await follow(victim, good)).status).toBe(303);
    const replayer = world.newBrowser();
    replayer.cookie = cookie;
    await expectRefused(replayer, await follow(replayer, good), 400, begun);

    // Ten minutes.
    const late = world.newBrowser();
    const gone = await leave(late, way);
    await world.clock.advance(600_000);
    await expectRefused(late, await follow(late, allowed(way, gone, bea)), 400, begun);
    // A cookie that somebody makes for themselves lasts no longer.
    const own = world.newBrowser();
    own.cookie = `bobbin_going=${encodeURIComponent(`${"a".repeat(43)} 9999999999999 /admin/`)}`;
    await expectRefused(own, await own.get(`/admin/with/${way}/back?code=x&state=y`), 400, begun);
  },
);

test.each(WAYS)("%s: a code that is somebody else's, used, old or none lets nobody in", async (way) => {
  const [bea, eve] = [boss(way), someone(way, "Eve")];
  const spent = "does not take what it gave";
  const codeIn = (back: string): string => new URL(back).searchParams.get("code") ?? "";
  const withCode = async (browser: Browser, code: string): Promise<Answer> => {
    const back = new URL(allowed(way, await leave(browser, way), eve));
    back.searchParams.set("code", code);
    return follow(browser, back.href);
  };
  // What was given to Bea's browser is of no use in Eve's, which went another way.
  const stolen = codeIn(allowed(way, await leave(world.newBrowser(), way), bea));
  const used = world.newBrowser();
  const usedBack = allowed(way, await leave(used, way), bea);
  expect((await follow(used, usedBack)).status).toBe(303);
  for (const code of [stolen, codeIn(usedBack), "none", ""]) {
    const browser = world.newBrowser();
    await expectRefused(browser, await withCode(browser, code), 400, spent);
  }
  const late = world.newBrowser();
  const first = allowed(way, await leave(late, way), bea);
  await world.clock.advance(300_000);
  const second = await leave(late, way);
  await world.clock.advance(300_000);
  const back = new URL(allowed(way, second, bea));
  back.searchParams.set("code", codeIn(first));
  await expectRefused(late, await follow(late, back.href), 400, spent);
});

test.each([
  ["another issuer", { iss: "https://evil.example" }],
  ["another app", { aud: "9.9" }],
  ["another app too", { aud: ["1111111111.2222222222", "9.9"] }],
  ["a time that is over", { exp: 1 }],
  ["no time", { exp: "soon" }],
  ["another going", { nonce: "0".repeat(64) }],
  ["somebody else", { sub: "U0OTHER" }],
  ["another workspace", { "https://slack.com/team_id": "T9" }],
])("slack: an id token of %s counts for nothing", async (_, forged) => {
  const bea = boss("slack");
  slack.openId.forged = forged;
  const browser = world.newBrowser();
  await expectRefused(browser, await comeIn(browser, "slack", bea), 400, "does not take what it gave");
});

test.each(WAYS)(
  "%s: who cancels there, or is sent back with an error, is told so in plain words",
  async (way) => {
    const browser = world.newBrowser();
    const denied = way === "slack" ? slack.openId : discord.oauth;
    await expectRefused(
      browser,
      await follow(browser, denied.deny(await leave(browser, way))),
      400,
      "You have cancelled it in",
    );
    for (const error of ["invalid_scope", "<script>alert(1)</script>"]) {
      const back = new URL(denied.deny(await leave(browser, way)));
      back.searchParams.set("error", error);
      const answer = await follow(browser, back.href);
      await expectRefused(browser, answer, 400, "did not let you through");
      expect(answer.text).not.toContain("<script>alert");
    }
  },
);

test("what the operator has set wrong is theirs to mend, and says so; a platform that is away is tried again later", async () => {
  const [bea, dan] = [boss("slack"), boss("discord")];
  const browser = world.newBrowser();
  slack.fault("openid.connect.token", { kind: "refused", error: "bad_client_secret" });
  await expectRefused(browser, await comeIn(browser, "slack", bea), 503, "(bad_client_secret)");
  discord.fault("POST /oauth2/token", { kind: "refused", status: 401, code: 0 });
  await expectRefused(browser, await comeIn(browser, "discord", dan), 503, "Whoever runs the bot");
  slack.fault("openid.connect.userInfo", { kind: "status", status: 503 });
  await expectRefused(browser, await comeIn(browser, "slack", bea), 503, "Slack does not answer");
  discord.fault("GET /users/@me", { kind: "rate limited", retryAfterS: 1 });
  await expectRefused(browser, await comeIn(browser, "discord", dan), 503, "Discord does not answer");
  world.people.set(`slack:T1:${bea.id}`, new Error("away"));
  await world.clock.advance(60_000);
  await expectRefused(browser, await comeIn(browser, "slack", bea), 503, "could not be learnt");
  is("slack", "T1", bea, "admin");
  expect((await comeIn(browser, "slack", bea)).status).toBe(303);
  // An address that is not registered is refused by the platform itself.
  slack.oauth.redirectUrls.clear();
  const address = await leave(browser, "slack");
  expect(() => allowed("slack", address, bea)).toThrow("bad_redirect_uri");
  slack.oauth.redirectUrls.add(backUrlOf(world.url, "slack"));
});

test.each(WAYS)(
  "%s: who has no role anywhere is told who they are and what to do, and it is written down",
  async (way) => {
    const ana = someone(way, "Ana");
    const space = way === "slack" ? "T1" : discord.guild.id;
    is(way, space, ana, "member");
    const browser = world.newBrowser();
    const answer = await comeIn(browser, way, ana);
    await expectRefused(browser, answer, 403, `${way}:*:${ana.id}`);
    expect(answer.text).toContain("access.admins.users");
    expect(answer.text).not.toContain("ADMIN_USERS");
    expect((await world.audited(whoIn(way, space, ana)))[0]).toMatchObject({ kind: "sign_in_refused" });
  },
);

test("slack: a workspace without the bot has nobody; the install of an organisation has those of its workspaces", async () => {
  const [stray, house] = [slack.team("T5"), slack.team("T6", { org: "E9" })];
  const [sam, hal] = [stray.person("Sam"), house.person("Hal")];
  // Even if somebody there has the id of an admin here.
  is("slack", "T1", sam, "admin");
  const browser = world.newBrowser();
  const refused = await follow(browser, allowed("slack", await leave(browser, "slack"), sam, stray));
  await expectRefused(browser, refused, 403, "The bot is in no space of yours");
  is("slack", "E9", hal, "admin");
  const entered = await follow(browser, allowed("slack", await leave(browser, "slack"), hal, house));
  expect(entered.status).toBe(303);
  expect((await browser.get("/admin/")).text).toContain("slack:E9");
});

test("discord: of several servers one is chosen, the browser sees that one alone, and may be changed to another", async () => {
  const cyd = discord.person("Cyd");
  const [first, second, plain, strange] = ["First", "Second", "Plain", "Strange"].map((name) =>
    discord.addGuild(name),
  ) as [typeof discord.guild, typeof discord.guild, typeof discord.guild, typeof discord.guild];
  discord.throwOut(strange);
  for (const guild of [first, second, strange]) is("discord", guild.id, cyd, "admin");
  is("discord", plain.id, cyd, "member");
  await storeThread(world.sql, { session: `discord:${first.id}:501`, said: ["the first plan", "yes"] });
  await storeThread(world.sql, { session: `discord:${second.id}:502`, said: ["the second plan", "yes"] });
  const browser = world.newBrowser();
  const page = await comeIn(browser, "discord", cyd);
  expect(page.status).toBe(200);
  const choices = [...page.text.matchAll(/action="(\/admin\/in\/[^"]+)"[\s\S]*?<bdi>([^<]+)</g)].map(
    ([, path = "", name = ""]) => ({ path, name }),
  );
  expect(choices.map(({ name }) => name).toSorted()).toEqual(["First", "Second"]);
  const path = (name: string): string => choices.find((choice) => choice.name === name)?.path ?? "";
  const [toFirst, toSecond] = [`discord:${first.id}:501`, `discord:${second.id}:502`].map(
    (id) => `/admin/threads/${encodeURIComponent(id)}`,
  ) as [string, string];

  expect(
    (await browser.send(path("First"), { next: "/admin/audit" }, { token: "none" })).headers.get("location"),
  ).toBe("/admin/audit");
  expect((await browser.get(toFirst)).text).toContain("the first plan");
  expect((await browser.get(toSecond)).status).toBe(404);
  const before = browser.cookie;

  // To the other one: who this browser was before is out.
  expect((await browser.send(path("Second"), {}, { token: "none" })).status).toBe(303);
  expect((await browser.get(toSecond)).text).toContain("the second plan");
  expect((await browser.get(toFirst)).status).toBe(404);
  const old = world.newBrowser();
  old.cookie = before;
  expect((await old.get("/admin/")).status).toBe(401);
  expect((await old.send(path("First"), {}, { token: "none" })).status).toBe(404);

  // Who wanted a thread comes to it, and so into its space.
  const direct = await comeIn(world.newBrowser(), "discord", cyd, `?next=${encodeURIComponent(toFirst)}`);
  expect([direct.status, direct.headers.get("location")]).toEqual([303, toFirst]);
});

test("nothing leads out: whatever was wanted is a page of ours, and the token of a form is asked for as ever", async () => {
  const bea = boss("slack");
  for (const next of [
    "https://evil.example/",
    "//evil.example",
    "/admin//evil.example",
    "/admin/\\evil",
    "/evil",
  ]) {
    const answer = await comeIn(world.newBrowser(), "slack", bea, `?next=${encodeURIComponent(next)}`);
    expect(answer.headers.get("location")).toBe("/admin/");
  }
  const browser = world.newBrowser();
  await comeIn(browser, "slack", bea);
  expect((await browser.send("/admin/out", {}, { token: "none" })).status).toBe(403);
  expect((await browser.send("/admin/out")).status).toBe(303);
});

test("who tries in vain too often has to wait; who the platform knows comes in meanwhile, since behind a proxy all have one address", async () => {
  const bea = boss("slack");
  attempts = createAttempts(world.clock, { most: 2 });
  const stranger = world.newBrowser();
  const inVain = async (): Promise<number> => {
    const state = new URL(await leave(stranger, "slack")).searchParams.get("state") ?? "";
    return (await stranger.get(`/admin/with/slack/back?code=x&state=${state}`)).status;
  };
  expect([await inVain(), await inVain(), await inVain()]).toEqual([400, 400, 429]);
  const look = async (): Promise<number> =>
    (await world.newBrowser().get("/admin/with/slack/back?code=x&state=y")).status;
  expect(await look()).toBe(429);
  for (let n = 0; n < 3; n++) expect((await comeIn(world.newBrowser(), "slack", bea)).status).toBe(303);
});

test("over https each cookie is this host's alone and goes over nothing else", async () => {
  await using secure = await openAdminWorld({ ways, isSecure: true });
  const browser = secure.newBrowser();
  const begun = await browser.get("/admin/with/slack");
  const [going = ""] = begun.headers.getSetCookie();
  for (const part of [
    "__Host-bobbin_going=",
    "; Path=/",
    "; Secure",
    "; HttpOnly",
    "; SameSite=Lax",
    "; Max-Age=600",
  ])
    expect([part, going.includes(part)]).toEqual([part, true]);
  expect(going).not.toContain("Domain");
  const dan = { platform: "slack", space: "T1", person: "U1", name: "Dan" } as const;
  secure.makeAdmin(dan);
  const entered = await browser.send(await secure.link(dan), {}, { token: "none" });
  const [cookie = ""] = entered.headers.getSetCookie();
  for (const part of ["__Host-bobbin_admin=", "; Path=/", "; Secure", "; HttpOnly", "; SameSite=Lax"])
    expect([part, cookie.includes(part)]).toEqual([part, true]);
});

test("a platform whose sign-in is not set up is offered nowhere, and the page says what is left to do", async () => {
  await using bare = await openAdminWorld({ platforms: [] });
  const browser = bare.newBrowser();
  const page = await browser.get("/admin/");
  expect(page.text).not.toContain("/admin/with/");
  for (const word of ["From here nobody can come in", "SLACK_BOT_TOKEN", "PUBLIC_URL"])
    expect(page.text).toContain(word);
  for (const path of ["/admin/with/slack", "/admin/with/slack/back", "/admin/with/web"])
    expect([path, (await browser.get(path)).status]).toEqual([path, 404]);
});
