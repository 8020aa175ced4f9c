// One app in many workspaces: installed, installed again, removed, revoked, and with other keys.
import { ClearStateStore } from "@slack/oauth";
import { expect, test } from "vitest";
import { signingSecretOf } from "../../src/adapters/seal.ts";
import { readSettings } from "../../src/adapters/settings/settings.ts";
import { runDoctor } from "../../src/doctor.ts";
import type { Payload } from "../support/slack/delivery.ts";
import { until } from "../support/until.ts";
import { KEYS, openOAuthWorld } from "./oauth-world.ts";

/** Slack says of its news in which second it happened; nobody is so quick through its pages. */
function nextSecond(): Promise<unknown> {
  const second = Math.floor(Date.now() / 1_000);
  return until(() => Math.floor(Date.now() / 1_000) > second, { what: "the next second" });
}

const isNews = ({ body }: Payload): boolean =>
  /app_uninstalled|tokens_revoked/.test(JSON.stringify(body["event"]));

test("two workspaces are installed over two gateways, each is answered with its own token, and no token is in the log or the database", async () => {
  await using world = await openOAuthWorld();
  const { lines, slack, sql } = world;
  const [one, two] = [world.office("T1"), world.office("T2")];
  const gateway = await world.start("gateway");
  const other = await world.start("gateway");
  await world.start("worker");
  // The state is the gateways' own together: it may begin on one and end on the other.
  const page = await world.install(one, { from: gateway.url, to: other.url });
  expect([page.status, page.text]).toEqual([200, expect.stringContaining("Installed in Team T1")]);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect((await world.install(two, { from: other.url, to: gateway.url })).status).toBe(200);

  const said = [one.mention("hello from one"), two.mention("hello from two")] as const;
  await Promise.all([world.answered(one, said[0]), world.answered(two, said[1])]);
  const direct = one.ana.dm("and between us?");
  await world.answered(one, direct);
  world.expectUnmixed(one, two);
  expect(one.team.app.botToken).not.toBe(two.team.app.botToken);

  // An admin of one signs in to the admin pages: begun on one gateway, ended on the other, and known on both.
  const bea = one.team.person("Bea", { role: "admin" });
  const begun = await fetch(`${gateway.url}/admin/with/slack`, { redirect: "manual" });
  const [going] = begun.headers.getSetCookie();
  const back = slack.openId.allow(begun.headers.get("location") ?? "", { team: "T1", by: bea });
  const entered = await world.follow(back, going?.split(";")[0], other.url);
  expect([entered.status, entered.headers.get("location")]).toEqual([303, "/admin/"]);
  const cookie = entered.headers.getSetCookie().find((line) => line.startsWith("bobbin_admin=")) ?? "";
  const list = await fetch(`${gateway.url}/admin/`, { headers: { cookie: cookie.split(";")[0] ?? "" } });
  expect([list.status, (await list.text()).includes("slack:T1")]).toEqual([200, true]);
  expect(lines.join("\n")).not.toContain("xoxp-");

  const dump = JSON.stringify([
    await sql.query({ text: "select * from installs" }),
    await sql.query({ text: "select * from inbox" }),
    lines,
  ]);
  for (const token of [one.team.app.botToken, two.team.app.botToken]) {
    expect(dump).not.toContain(token);
    expect(dump).not.toContain(Buffer.from(token).toString("base64").slice(4, -4));
  }

  // Slack knows of one more workspace, and we do not.
  const stranger = world.office("T3", { isEmpty: false });
  const lost = [stranger.mention("is anybody there?"), stranger.mention("hello?")];
  for (const { delivered } of lost)
    expect((await delivered).map(({ kind }) => kind)).toEqual(["acknowledged", "acknowledged"]);
  expect(lines.filter((line) => line.includes("where the app is not installed"))).toHaveLength(1);
  expect(await sql.query({ text: "select from sessions where id like 'slack:T3:%'" })).toEqual([]);
});

test("a link for installing is good once, in the browser in which it was begun; who cancels, comes late or is not wanted is told so, and nothing is kept", async () => {
  await using world = await openOAuthWorld({ access: { spaces: { deny: ["slack:T2"] } } });
  const { slack, sql } = world;
  const [one, two] = [world.office("T1"), world.office("T2")];
  await world.start("gateway");
  const allowed = { team: "T1", by: one.ana };
  const { slackUrl, cookie } = await world.begin();
  const theirs = await world.begin();
  const back = slack.oauth.allow(slackUrl, allowed);
  expect((await world.follow(back, undefined)).status).toBe(400);
  expect((await world.follow(back, theirs.cookie)).status).toBe(400);
  expect(await sql.query({ text: "select from installs" })).toEqual([]);
  expect((await world.follow(back, cookie)).status).toBe(200);
  expect((await world.follow(back, cookie)).status).toBe(400);

  const cancelled = await world.follow(slack.oauth.deny(theirs.slackUrl), theirs.cookie);
  expect(cancelled.text).toContain("You have cancelled it in Slack");
  const wrong = await world.begin();
  const asked = slack.oauth.allow(wrong.slackUrl, allowed).replace(/code=[^&]*/, "code=<script>");
  const failed = await world.follow(asked, wrong.cookie);
  expect([failed.status, failed.text]).toEqual([502, expect.not.stringContaining("<script>")]);

  const signed = new ClearStateStore(signingSecretOf(KEYS[0], "install-state"), 600);
  const withStateOf = async (ageMs: number): Promise<number> => {
    const at = new Date(Date.now() - ageMs);
    const state = await signed.generateStateParam({ scopes: ["chat:write"] }, at);
    const address = `http://x/slack/oauth_redirect?code=none&state=${state}`;
    return (await world.follow(address, `slack-app-oauth-state=${state}`)).status;
  };
  // The second one is good, and the code is not.
  expect([await withStateOf(602_000), await withStateOf(500_000)]).toEqual([400, 502]);

  const unwanted = await world.install(two);
  expect([unwanted.status, unwanted.text]).toEqual([403, expect.stringContaining("not allowed it")]);
  expect(slack.callsOf("auth.revoke").map(({ owner }) => owner)).toEqual(["T2"]);
  const rows = await sql.query<{ space: string }>({ text: "select space from installs" });
  expect(rows.map(({ space }) => space)).toEqual(["T1"]);
});

test("a gateway that dies between Slack's page and the store leaves nothing half done: the link is spent, and a new one installs", async () => {
  await using world = await openOAuthWorld();
  const { slack, sql } = world;
  const one = world.office("T1");
  const dying = await world.spawn("gateway");
  const never = Promise.withResolvers<undefined>();
  slack.fault("oauth.v2.access", { kind: "late answer", until: never.promise });
  const { slackUrl, cookie } = await world.begin(dying.url);
  const back = slack.oauth.allow(slackUrl, { team: "T1", by: one.ana });
  const followed = world.follow(back, cookie, dying.url).catch(() => "cut off");
  await until(() => slack.callsOf("oauth.v2.access").length === 1, { what: "the code is exchanged" });
  dying.process.kill("SIGKILL");
  expect(await followed).toBe("cut off");
  never.resolve(undefined);
  expect(await sql.query({ text: "select from installs" })).toEqual([]);

  const { url } = await world.start("start");
  slack.useHttp(`${url}/slack/events`);
  expect((await world.follow(back, cookie, url)).status).toBe(400);
  expect((await world.install(one, { from: url, to: url })).status).toBe(200);
  await world.answered(one, one.mention("are you there now?"));
  world.expectUnmixed(one);
});

test("a token that is revoked breaks its own workspace alone; what waits there, and what was being answered, is answered when it is installed again", async () => {
  await using world = await openOAuthWorld();
  const { slack, llm, lines } = world;
  const [one, two] = [world.office("T1"), world.office("T2")];
  await world.start("gateway");
  await world.start("worker");
  await world.install(one);
  await world.install(two);
  await world.answered(one, one.mention("first"));

  // Amid the run: whoever saw the break before would let it wait.
  using hold = llm.hold(0);
  const first = llm.requests.length;
  const late = one.mention("whose answer has nowhere to go");
  await until(() => llm.requests.length > first, { what: "the model is asked" });
  slack.revoke(one.team, "quietly");
  hold.release();
  await until(async () => (await world.ready()).troubles.length > 0, { what: "the break is seen" });
  expect(await world.ready()).toEqual({
    ready: true,
    troubles: [expect.stringMatching(/^Slack does not take the token of 1 workspace any more/)],
  });
  // Anybody may ask for health: whose workspace it is stands in the log.
  expect((await world.ready()).troubles.join(" ")).not.toMatch(/T1|Team/);
  const named = lines.filter((line) => line.includes("nothing can be called in a workspace"));
  expect(named.map((line) => /T1.*Team T1.*token_revoked/.test(line))).toEqual([true]);
  const settling = { text: "select from runs where reply = 'settling'" };
  await until(async () => (await world.sql.query(settling)).length === 1, { what: "its answer is whole" });
  const asked = llm.requests.length;
  const waiting = one.mention("which waits");
  await world.answered(two, two.mention("not my concern"));
  expect((await world.becameOf(waiting)).fate).toBe("waiting");
  expect(llm.requests.length - asked).toBe(1);

  const before = one.team.app.botToken;
  expect((await world.install(one)).status).toBe(200);
  expect(one.team.app.botToken).not.toBe(before);
  await world.answered(one, waiting);
  await world.answered(one, late);
  await until(async () => (await world.sql.query(settling)).length === 0, { what: "it is delivered" });
  const about = llm.requests.filter(({ body }) =>
    JSON.stringify(body.messages.at(-1)).includes("nowhere to go"),
  );
  expect(about).toHaveLength(1);
  expect(await world.ready()).toEqual({ ready: true, troubles: [] });
  world.expectUnmixed(one, two);
});

test("an app that is removed takes its token and its work along; late news of it changes nothing, and a new install begins afresh", async () => {
  await using world = await openOAuthWorld();
  const { slack, sql, lines, llm } = world;
  const [one, two] = [world.office("T1"), world.office("T2")];
  await world.start("gateway");
  await world.install(one);
  await world.install(two);
  // Nobody answers yet.
  const waiting = one.mention("too late");
  const others = two.mention("in time");
  await Promise.all([waiting.delivered, others.delivered]);
  expect((await world.becameOf(waiting)).fate).toBe("waiting");

  await nextSecond();
  // A person's own tokens are no concern of ours.
  one.team.emit("tokens_revoked", { type: "tokens_revoked", tokens: { oauth: ["U1"], bot: [] } });
  await until(() => slack.delivery.log.some(({ payload, outcome }) => outcome && isNews(payload)), {
    what: "the news is heard",
  });
  expect(await world.ready()).toEqual({ ready: true, troubles: [] });
  expect((await world.becameOf(waiting)).fate).toBe("waiting");
  const heard = slack.delivery.log.length;
  slack.uninstall(one.team);
  await until(async () => (await world.becameOf(waiting)).fate === "expired", { what: "its work ends" });
  expect((await world.becameOf(waiting)).reason).toContain("removed");
  const [row] = await sql.query({ text: "select state, secret from installs where space = 'T1'" });
  expect(row).toEqual({ state: "removed", secret: null });
  await world.start("worker");
  await world.answered(two, others);
  expect(llm.requests).toHaveLength(1);
  const removals = slack.delivery.log.slice(heard).filter(({ payload }) => isNews(payload));
  expect(removals.map(({ outcome }) => outcome?.kind)).toEqual(["acknowledged", "acknowledged"]);
  expect(lines.filter((line) => line.includes("its token is erased"))).toHaveLength(1);

  await nextSecond();
  expect((await world.install(one)).status).toBe(200);
  for (const { payload } of removals) await slack.delivery.repeat(payload);
  const again = one.mention("and now?");
  await world.answered(one, again);
  expect((await world.becameOf(waiting)).fate).toBe("expired");
  const spaces = await sql.query<{ space: string }>({
    text: "select distinct split_part(id, ':', 2) as space from sessions order by 1",
  });
  expect(spaces.map(({ space }) => space)).toEqual(["T1", "T2"]);
  world.expectUnmixed(one, two);
});

test("a run that is under way when the app is removed ends, and nothing of it is posted any more", async () => {
  await using world = await openOAuthWorld();
  const { slack, sql, llm } = world;
  using _ = llm.hold(20);
  const one = world.office("T1");
  await world.start("gateway");
  await world.start("worker");
  await world.install(one);
  const said = one.mention("say 60 words");
  await until(() => one.team.thread(said.channel, said).some(({ text }) => text.includes("word10 ")), {
    what: "the answer has begun",
  });
  await nextSecond();
  slack.uninstall(one.team);
  const removed = performance.now();
  await until(
    async () => (await sql.query({ text: "select from runs where reply <> 'settled'" })).length === 0,
    { what: "no run is open" },
  );
  expect((await world.becameOf(said)).fate).toBe("cancelled");
  const done = slack.calls.filter(({ atMs, answer }) => atMs > removed && answer?.["ok"] === true);
  expect(done).toEqual([]);
  expect(slack.complaints).toEqual([]);
});

test("the key of the tokens is changed by putting a new one in front; where it is lost, each install is named and the others work", async () => {
  await using world = await openOAuthWorld();
  const { sql } = world;
  const [one, two] = [world.office("T1"), world.office("T2")];
  const [first, second] = KEYS;
  const old = await world.start("start");
  await world.install(one);
  await old.stop();
  const between = await world.start("start", { SECRET_KEY: `${second},${first}` });
  await world.answered(one, one.mention("with both keys"));
  await between.stop();
  const rotated = await world.start("start", { SECRET_KEY: second });
  await world.answered(one, one.mention("with the new one alone"));
  await rotated.stop();

  // Whoever puts another key in place of the first, and not in front of it, has lost it.
  const lost = await world.start("start", { SECRET_KEY: first });
  await world.install(two);
  await world.answered(two, two.mention("my own is new"));
  const waiting = one.mention("mine is closed");
  const { ready, troubles } = await world.ready();
  expect([ready, troubles]).toEqual([
    true,
    [expect.stringMatching(/^No key of SECRET_KEY opens the token of 1 workspace\./)],
  ]);
  expect((await world.becameOf(waiting)).fate).toBe("waiting");
  await lost.stop();

  const read = await readSettings(
    { ...world.env, SECRET_KEY: first, PORT: "0" },
    { command: "doctor", folder: "/nowhere" },
  );
  if (read.kind === "wrong") return expect.unreachable(JSON.stringify(read.problems));
  const told: string[] = [];
  expect(await runDoctor(read.settings, (line) => void told.push(line))).toBe(1);
  expect(told.find((line) => line.startsWith("fail"))).toMatch(/T1 \(Team T1\) cannot be opened/);
  expect(told.join("\n")).toMatch(/ok .*Team T2/);

  await world.start("start", { SECRET_KEY: `${first},${second}` });
  await world.answered(one, waiting);
  const rows = await sql.query<{ key: string }>({
    text: "select distinct split_part(secret, '.', 2) as key from installs",
  });
  expect(rows).toHaveLength(1);
  world.expectUnmixed(one, two);
});

test("over a socket, an install of a whole organisation answers in all its workspaces with one token, and one that lets the app go takes it from no other", async () => {
  await using world = await openOAuthWorld({ over: "socket" });
  const { slack, sql } = world;
  const one = world.office("T1", { org: "E1" });
  const two = world.office("T2", { org: "E1", botOf: one.team });
  await world.start("start");
  const page = await world.install(one, { everywhere: true });
  expect(page.text).toContain("Installed in Org E1");
  const said = [one.mention("in the first"), two.mention("in the second")] as const;
  await Promise.all([world.answered(one, said[0]), world.answered(two, said[1])]);
  world.expectUnmixed(one, two);
  const sessions = await sql.query<{ id: string }>({ text: "select id from sessions order by id" });
  expect(sessions.map(({ id }) => id.split(":")[1])).toEqual(["E1", "E1"]);

  // One workspace lets it go, the organisation keeps it.
  await nextSecond();
  const news = { type: "app_uninstalled" };
  slack.delivery.hold();
  two.team.emit("app_uninstalled", news);
  slack.delivery.release((held) =>
    held.map(({ kind, body }) => ({ kind, body: { ...body, authorizations: undefined } })),
  );
  await world.answered(two, two.mention("still here?"));
  await nextSecond();
  slack.uninstall(one.team);
  await until(
    async () => (await sql.query({ text: "select from installs where state = 'removed'" })).length === 1,
    { what: "the whole organisation's is removed" },
  );
});
