// Flags, notes, and the reason for reading what is somebody's own.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createOverviewMaker } from "../../../src/adapters/postgres/admin/overview-maker.ts";
import { sessionNamed, storeThread } from "../../support/stored-threads.ts";
import { until } from "../../support/until.ts";
import { openAdminWorld, person, type AdminWorld, type Browser } from "./admin-world.ts";

const OPEN = "slack:T1:C1:171.5";
const OWN = "slack:T1:D1:171.6";
const at = (session: string, rest = ""): string => `/admin/threads/${encodeURIComponent(session)}${rest}`;

let world: AdminWorld;
let boss: Browser;
let reviewer: Browser;
beforeAll(async () => {
  world = await openAdminWorld();
  const { sql, people } = world;
  await storeThread(sql, { session: OPEN, said: ["a question", "an answer"] });
  await storeThread(sql, { session: OWN, said: ["my salary is Zanzibar", "noted"], isDirect: true });
  const bea = person("T1", "UBOSS", "Bea");
  world.makeAdmin(bea);
  people.set("slack:T1:UREVIEW", {
    id: "UREVIEW",
    name: "R",
    kind: "member",
    roles: [],
    isPlatformAdmin: false,
  });
  boss = await world.signedIn(bea);
  reviewer = await world.signedIn(person("T1", "UREVIEW", "Rae"));
  // Looked at before anything has made an overview of it.
  expect((await boss.get(at(OPEN))).status).toBe(200);
  expect((await boss.get(at(OWN))).status).toBe(403);
});
afterAll(() => world[Symbol.asyncDispose]());

test("a conversation with the bot alone is opened only with a reason, which is kept, by each for themselves", async () => {
  for (const path of [at(OWN), at(OWN, "/entries/1/1"), at(OWN, "/live")]) {
    const shut = await boss.get(path);
    expect([path, shut.status, shut.text.includes("Zanzibar")]).toEqual([path, 403, false]);
  }
  const list = await boss.get("/admin/");
  expect(list.text).toContain("Direct conversation of Ana");
  expect(list.text).not.toContain("salary");
  // Whether the word is in it is not told either: the page of a word that is nowhere is the same.
  const [found, nothing] = [await boss.get("/admin/?q=Zanzibar"), await boss.get("/admin/?q=Nowhere")];
  expect(found.text.replaceAll("Zanzibar", "Nowhere")).toBe(nothing.text);
  expect((await boss.send(at(OWN, "/reason"), { reason: "  " })).status).toBe(400);
  expect((await boss.send(at(OWN, "/reason"), { reason: "ticket 12" })).status).toBe(303);
  expect((await boss.get(at(OWN))).text).toContain("Zanzibar");
  expect((await boss.get("/admin/?q=Zanzibar")).text).toContain("my salary is");
  expect((await reviewer.get("/admin/?q=Zanzibar")).text).not.toContain("salary");
  expect((await reviewer.get(at(OWN))).status).toBe(403);
  expect((await world.audited(person("T1", "UBOSS"))).find(({ kind }) => kind === "reason")).toMatchObject({
    session: OWN,
    about: "ticket 12",
  });
});

test("a thread of a private channel, and of one of which the platform says nothing, is opened only with a reason; a channel that opens is", async () => {
  const [hidden, unsaid] = ["slack:T1:C8:171.8", "slack:T1:C9:171.9"];
  world.privacy.set("C8", true).set("C9", undefined);
  for (const session of [hidden, unsaid])
    await storeThread(world.sql, { session, said: ["our merger is Timbuktu", "noted"] });
  for (const session of [hidden, unsaid]) {
    const shut = await boss.get(at(session));
    expect([shut.status, shut.text.includes("private channel"), shut.text.includes("Timbuktu")]).toEqual([
      403,
      true,
      false,
    ]);
  }
  const [found, nothing] = [await boss.get("/admin/?q=Timbuktu"), await boss.get("/admin/?q=Nowhere")];
  expect(found.text.replaceAll("Timbuktu", "Nowhere")).toBe(nothing.text);
  const list = await boss.get("/admin/");
  expect(list.text).toContain("Thread of Ana in a private channel");
  expect(list.text).not.toContain("merger");
  await boss.send(at(hidden, "/reason"), { reason: "ticket 14" });
  expect((await boss.get(at(hidden))).text).toContain("Timbuktu");
  expect((await boss.get("/admin/?q=Timbuktu")).text).toContain("our merger is");
  // As the platform says it now.
  world.privacy.set("C9", false);
  await world.clock.advance(600_000);
  expect((await boss.get(at(unsaid))).status).toBe(200);
});

test("a page that stands open is shown nothing more once its channel is made private, until a reason is given", async () => {
  const session = "slack:T1:C7:171.3";
  await storeThread(world.sql, { session, said: ["where do we meet?", "in Tashkent"] });
  const answer = await fetch(`${world.url}${at(session, "/live")}`, { headers: { cookie: boss.cookie } });
  let [text, isOver] = ["", false];
  const decoder = new TextDecoder();
  const reading = (async () => {
    for await (const part of answer.body ?? []) text += decoder.decode(part, { stream: true });
    isOver = true;
  })();
  await until(() => text.includes("Tashkent"), { what: "the page is there" });
  world.privacy.set("C7", true);
  await world.clock.advance(61_000);
  // Whoever looks next learns it, for all.
  expect((await boss.get(at(session))).status).toBe(403);
  await world.sql.query({
    text: `with said as (update inbox set body = jsonb_set(body, '{parts,0,text}', '"our takeover is Lhasa"') where session = '${session}')
      update sessions set rev = rev + 1 where id = '${session}'`,
  });
  await until(() => world.clock.advance(1_000).then(() => isOver), { what: "the stream is over" });
  await reading;
  expect(text).not.toContain("Lhasa");
  expect((await boss.get(at(session, "/live"))).status).toBe(403);
  await boss.send(at(session, "/reason"), { reason: "ticket 15" });
  expect((await boss.get(at(session))).text).toContain("Lhasa");
});

test("a branch, a thread that a goal began and refused words are somebody's own by their address alone", async () => {
  const unsaid = "slack:T1:D1:171.7";
  // No message of it says that it is direct.
  await storeThread(world.sql, { session: unsaid, said: ["my pension is Samarkand", "noted"] });
  expect((await boss.get(at(unsaid))).status).toBe(403);
  for (const path of ["/admin/", "/admin/?q=Samarkand"]) {
    expect((await boss.get(path)).text).not.toContain("pension");
  }
  await boss.send(at(unsaid, "/reason"), { reason: "ticket 13" });
  expect((await boss.get(at(unsaid))).status).toBe(200);
});

test("a flag is made, taken on and resolved once; a note is never open; the list finds what is flagged", async () => {
  const flags = async (): Promise<string> => (await boss.get("/admin/?flagged=1")).text;
  expect(await flags()).toContain("No thread fits");
  const made = await reviewer.send(at(OPEN, "/remarks"), { kind: "wrong", text: "<b>no</b>", about: "1.2" });
  expect(made.status).toBe(303);
  await reviewer.send(at(OPEN, "/remarks"), { kind: "note", text: "see also" });
  expect((await reviewer.send(at(OPEN, "/remarks"), { kind: "other", text: "x" })).status).toBe(400);
  expect(await flags()).toContain("1 open flag");
  const page = (await boss.get(at(OPEN))).text;
  expect(page).toContain("&lt;b&gt;no&lt;/b&gt;");
  expect(page).toContain("#e-1-2");
  const id = /\/remarks\/([a-z0-9]+)\/resolve/.exec(page)?.[1] ?? "";
  expect((await boss.send(at(OPEN, `/remarks/${id}/assign`))).status).toBe(303);
  expect((await boss.get(at(OPEN))).text).toMatch(/with\s+<bdi>Bea/);
  // Not by way of another thread.
  expect((await boss.send(at(OWN, `/remarks/${id}/resolve`))).status).toBe(404);
  expect((await boss.send(at(OPEN, `/remarks/${id}/resolve`))).status).toBe(303);
  expect((await boss.send(at(OPEN, `/remarks/${id}/resolve`))).status).toBe(404);
  expect(await flags()).toContain("No thread fits");
  expect((await boss.get(at(OPEN))).text).toContain("resolved by");
});

test("what failed, one in a hundred of the rest, and what is mine are lists of what is not reviewed, the same for everybody", async () => {
  const failed = "slack:T1:C1:171.80";
  await storeThread(world.sql, {
    session: failed,
    said: ["it broke", "sorry"],
    reason: "error",
    error: "model_auth",
  });
  const plain = Array.from({ length: 300 }, (_, n) => `slack:T1:C1:180.${n}`);
  for (const session of plain) await storeThread(world.sql, { session, said: [`plain ${session}`] });
  for (const session of [failed, ...plain]) await createOverviewMaker(world.sql).make(sessionNamed(session));
  const listed = async (browser: Browser, query: string): Promise<readonly string[]> =>
    [...(await browser.get(`/admin/?${query}`)).text.matchAll(/href="\/admin\/threads\/([^"]+)"/g)].map(
      ([, id]) => decodeURIComponent(id ?? ""),
    );
  expect(await listed(boss, "queue=failures&unreviewed=1")).toEqual([failed]);
  const sample = await listed(boss, "queue=sample&unreviewed=1");
  expect(sample.length).toBeGreaterThan(0);
  expect(sample.length).toBeLessThan(12);
  expect(sample).not.toContain(failed);
  expect(await listed(reviewer, "queue=sample&unreviewed=1")).toEqual(sample);

  // Given to somebody who was here; to nobody else.
  expect((await boss.send(at(failed, "/review/assign"), { to: "UNOBODY" })).status).toBe(400);
  expect((await boss.send(at(failed, "/review/assign"), { to: "UREVIEW" })).status).toBe(303);
  expect(await listed(reviewer, "mine=1")).toEqual([failed]);
  expect(await listed(boss, "mine=1")).toEqual([]);
  await reviewer.send(at(failed, "/review/done"));
  expect(await listed(reviewer, "mine=1")).toEqual([]);
  expect(await listed(boss, "queue=failures&unreviewed=1")).toEqual([]);
  expect(await listed(boss, "queue=failures")).toEqual([failed]);
  expect((await boss.get(at(failed))).text).toMatch(/reviewed by\s+<bdi>Rae/);
  // What happens after it is new.
  await storeThread(world.sql, { session: `${failed}`, said: [], at: Date.now() + 3_600_000 });
  await createOverviewMaker(world.sql).make(sessionNamed(failed));
  expect(await listed(boss, "queue=failures&unreviewed=1")).toEqual([failed]);
  const lines = await world.audited(person("T1", "UBOSS"));
  expect(lines.filter(({ kind }) => kind === "review").map(({ session, about }) => [session, about])).toEqual(
    [
      [failed, "reviewed"],
      [failed, "given to UREVIEW"],
    ],
  );

  // A flag is given as well, and is theirs until it is resolved.
  await boss.send(at(OPEN, "/remarks"), { kind: "harmful", text: "look" });
  const id = /\/remarks\/([a-z0-9]+)\/resolve/.exec((await boss.get(at(OPEN))).text)?.[1] ?? "";
  expect((await boss.send(at(OPEN, `/remarks/${id}/assign`), { to: "UREVIEW" })).status).toBe(303);
  expect(await listed(reviewer, "mine=1")).toEqual([failed, OPEN]);
  await reviewer.send(at(OPEN, `/remarks/${id}/resolve`));
  expect(await listed(reviewer, "mine=1")).toEqual([failed]);
});

test("refusals are listed with who and by which rule, also where no thread began, until they are reviewed", async () => {
  const refuse = async (session: string, text: string, rule: string): Promise<void> => {
    const id = `refused-${session}-${text}`;
    const body = {
      v: 1,
      kind: "message",
      id,
      session,
      author: { id: "U7", name: "Gus" },
      at: 1,
      addressed: true,
      message: id,
      parts: [{ kind: "text", text }],
    };
    await world.sql.query(
      {
        text: `insert into inbox (id, session, kind, message, at, body, state, fate, reason, rule)
          values ($1, $2, 'message', $1, 1, $3::jsonb, 'done', 'refused', $4, $4)`,
      },
      [id, session, JSON.stringify(body), rule],
    );
  };
  const never = "slack:T1:C1:999.1";
  await refuse(never, "<script>let me in</script>", "guests: not allowed");
  await refuse("slack:T1:D7:999.2", "my own Yucatan", "direct: nobody");
  await refuse("slack:T1:C1:999.3", "not for the bot", "mute: the bot is muted in this thread");
  await refuse("slack:T2:C1:999.4", "of the others", "guests: not allowed");
  const page = async (query = ""): Promise<string> => (await boss.get(`/admin/refusals${query}`)).text;
  const first = await page();
  expect(first).toContain("&lt;script&gt;let me in");
  expect(first).toContain("guests: not allowed");
  expect(first).toContain("no thread began");
  for (const hidden of ["<script>let", "Yucatan", "not for the bot", "of the others"])
    expect(first).not.toContain(hidden);
  // Somebody's own is opened with a reason there, by each for themselves, though it has no page.
  const own = "slack:T1:D7:999.2";
  expect(first).toContain(`action="${at(own, "/reason")}"`);
  expect((await boss.send(at(own, "/reason"), { reason: " " })).status).toBe(400);
  const opened = await boss.send(at(own, "/reason"), { reason: "ticket 16", next: "/admin/refusals?all=1" });
  expect([opened.status, opened.headers.get("location")]).toEqual([303, "/admin/refusals?all=1"]);
  expect(await page()).toContain("my own Yucatan");
  expect((await reviewer.get("/admin/refusals")).text).not.toContain("Yucatan");
  expect((await world.audited(person("T1", "UBOSS"))).find(({ kind }) => kind === "reason")).toMatchObject({
    session: own,
    about: "ticket 16",
  });
  expect((await boss.send(at("slack:T2:C1:999.4", "/reason"), { reason: "r" })).status).toBe(404);
  expect((await boss.send(at(never, "/review/assign"))).status).toBe(303);
  expect(await page()).toMatch(/with\s+<bdi>Bea/);
  expect((await boss.send(at(never, "/review/done"))).status).toBe(303);
  expect(await page()).not.toContain("let me in");
  expect(await page("?all=1")).toContain("let me in");
  // It has no page, and can be erased all the same.
  expect((await boss.get(at(never))).status).toBe(404);
  expect(first).toContain(at(never, "/erase"));
  expect((await reviewer.get("/admin/refusals")).text).not.toContain("/erase");
  expect((await boss.get(at(never, "/erase"))).text).toContain("A thread that never began");
  for (const other of ["slack:T2:C1:999.4", "slack:T1:C1:999.9"])
    expect((await boss.get(at(other, "/erase"))).status).toBe(404);
  expect((await boss.send(at(never, "/erase"), { reason: "ticket 15", sure: "yes" })).status).toBe(303);
  expect(await page("?all=1")).not.toContain("let me in");
  for (const other of ["slack:T2:C1:999.4", "slack:T1:C1:999.9"])
    expect((await boss.send(at(other, "/review/done"))).status).toBe(404);
});
