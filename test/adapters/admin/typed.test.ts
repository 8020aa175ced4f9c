// What somebody wrote into a form is kept as it is, or given back; it is neither lost nor cut without a word.
import { afterAll, beforeAll, expect, test } from "vitest";
import { storeThread } from "../../support/stored-threads.ts";
import { openAdminWorld, person, type AdminWorld, type Answer, type Browser } from "./admin-world.ts";

const OPEN = "slack:T1:C1:171.5";
const OWN = "slack:T1:D1:171.6";
const at = (session: string, rest = ""): string => `/admin/threads/${encodeURIComponent(session)}${rest}`;
const BOSS = person("T1", "UBOSS", "Bea");
const WORDS = "an hour of <b>thought</b>";
const ESCAPED = "an hour of &lt;b&gt;thought&lt;/b&gt;";

let world: AdminWorld;
let boss: Browser;
beforeAll(async () => {
  world = await openAdminWorld();
  const { sql } = world;
  await storeThread(sql, { session: OPEN, said: ["a question", "an answer"] });
  await storeThread(sql, { session: OWN, said: ["between us", "yes"], isDirect: true });
  isAdmin(true);
  boss = await world.signedIn(BOSS);
  await boss.get(at(OPEN));
});
afterAll(() => world[Symbol.asyncDispose]());

function isAdmin(isPlatformAdmin: boolean): void {
  world.people.set("slack:T1:UBOSS", { id: "UBOSS", name: "B", kind: "member", roles: [], isPlatformAdmin });
}

/** That it was not kept is said, it is given back, and the way to its form is as well. */
function expectGivenBack({ text }: Answer, page: string): void {
  expect(text).toContain("What you wrote was not kept");
  expect(/<textarea[^>]* readonly[^>]*>\s*([^]*?)<\/textarea/.exec(text)?.[1]).toBe(ESCAPED);
  expect(text).toContain(`href="${page}"`);
}

const from = (page: string) => ({ headers: { referer: `${world.url}${page}` } });

test.each<[string, string, Readonly<Record<string, string>>, string, number]>([
  ["a flag of no kind", at(OPEN, "/remarks"), { kind: "other", text: WORDS }, at(OPEN), 400],
  [
    "a flag on what is no entry",
    at(OPEN, "/remarks"),
    { kind: "wrong", text: WORDS, about: "entry 4" },
    at(OPEN),
    400,
  ],
  [
    "a flag on a thread that is gone",
    at("slack:T1:C1:9.9", "/remarks"),
    { kind: "wrong", text: WORDS },
    at(OPEN),
    404,
  ],
  ["a flag on what needs a reason first", at(OWN, "/remarks"), { kind: "wrong", text: WORDS }, at(OWN), 403],
  ["an erasure of which one is not sure", at(OPEN, "/erase"), { reason: WORDS }, at(OPEN, "/erase"), 400],
  [
    "an erasure of nothing",
    "/admin/erasures/person",
    { person: "UNONE", reason: WORDS, sure: "yes" },
    "/admin/erasures/person?person=UNONE",
    404,
  ],
  [
    "a hold on nothing",
    "/admin/holds",
    { kind: "thread", subject: "x", reason: WORDS },
    "/admin/erasures",
    400,
  ],
  [
    "an export as nothing",
    "/admin/export?channel=C1",
    { format: "exe", reason: WORDS },
    "/admin/export?channel=C1",
    400,
  ],
])("the words of %s are given back", async (_, path, fields, page, status) => {
  const answer = await boss.send(path, fields, from(page));
  expect(answer.status).toBe(status);
  expectGivenBack(answer, page);
});

test("no flag is put on the whole thread in place of the entry that was meant", async () => {
  expect((await boss.send(at(OPEN, "/remarks"), { kind: "wrong", text: "x", about: "entry 4" })).status).toBe(
    400,
  );
  expect((await boss.get(at(OPEN))).text).toContain("Flag it or write a note");
});

test("who is out by now reads what they wrote, and comes in to the page that they wrote it on", async () => {
  const late = await world.signedIn(BOSS);
  const page = at(OPEN, "?at=1-2");
  await late.get("/admin/browsers");
  await late.send("/admin/out");
  const answer = await late.send(at(OPEN, "/remarks"), { kind: "note", text: WORDS }, from(page));
  expect(answer.status).toBe(401);
  expectGivenBack(answer, `${page}#e-1-2`);
});

test("so does whoever sends an old page, has no role any more, or comes while the platform is away", async () => {
  const send = (token?: "wrong") =>
    boss.send(
      at(OPEN, "/remarks"),
      { kind: "note", text: WORDS },
      { ...from(at(OPEN)), ...(token ? { token } : {}) },
    );
  const old = await send("wrong");
  expect(old.status).toBe(403);
  expectGivenBack(old, at(OPEN));
  for (const [change, status] of [
    [() => isAdmin(false), 403],
    [() => world.people.set("slack:T1:UBOSS", new Error("away")), 503],
  ] as const) {
    change();
    await world.clock.advance(60_000);
    const answer = await send();
    expect(answer.status).toBe(status);
    expectGivenBack(answer, at(OPEN));
  }
  isAdmin(true);
  await world.clock.advance(60_000);
});

test("a reason is kept as long as its field allows, with lines as they were, and a longer one is not cut", async () => {
  // A browser counts the end of a line as one letter, and sends two.
  const lines = Array.from({ length: 1_000 }, () => "abc").join("\r\n");
  expect((await boss.send(at(OWN, "/reason"), { reason: lines })).status).toBe(303);
  const kept = (await world.audited(BOSS)).find(({ kind }) => kind === "reason")?.about;
  expect(kept).toBe(lines.replaceAll("\r\n", "\n"));
  for (const [path, fields] of [
    [at(OWN, "/reason"), {}],
    ["/admin/export", { format: "jsonl" }],
    ["/admin/holds", { kind: "person", subject: "U1" }],
  ] as const) {
    const answer = await boss.send(path, { ...fields, reason: "x".repeat(4_001) });
    expect([path, answer.status, answer.text.includes("x".repeat(4_001))]).toEqual([path, 400, true]);
  }
});
