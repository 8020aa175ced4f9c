// Who may see and do what: every route, with ids of one space, by everybody who could come along.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOverviewMaker } from "../../../src/adapters/postgres/admin/overview-maker.ts";
import type { Author } from "../../../src/core/inbound.ts";
import { sessionNamed, storeThread } from "../../support/stored-threads.ts";
import { openAdminWorld, person, type AdminWorld, type Browser } from "./admin-world.ts";

const SECRET = "the plan for Zanzibar";
const SESSION = "slack:T1:C1:171.5";
const PATH = `/admin/threads/${encodeURIComponent(SESSION)}`;

const author = (id: string, more: Partial<Author> = {}): Author => ({
  id,
  name: id,
  kind: "member",
  roles: [],
  isPlatformAdmin: false,
  ...more,
});

let world: AdminWorld;
let run = "";
beforeAll(async () => {
  world = await openAdminWorld();
  const { sql } = world;
  await sql.query({ text: `insert into blobs values ('p', 'be helpful'), ('t', '[]')` });
  [run = ""] = await storeThread(sql, { session: SESSION, said: [SECRET, `${SECRET}, answered`] });
  await storeThread(sql, { session: "slack:T2:C1:171.6", said: ["of the others", "yes"] });
  await sql.query({
    text: `update model_calls set params = '{"v":1,"model":{"name":"m","contextWindow":9,"caching":"automatic"},"outputTokens":9,"caching":false}'`,
  });
  for (const session of [SESSION, "slack:T2:C1:171.6"])
    await createOverviewMaker(sql).make(sessionNamed(session));
});
afterAll(() => world[Symbol.asyncDispose]());

type Kind =
  /** For whoever comes: nothing of a thread is on it. */
  | "open"
  /** Of the viewer's own space, whichever that is. */
  | "own"
  /** Names a thread of the first space. */
  | "thread"
  | "admins"
  /** Changes something. */
  | "form";

interface Row {
  readonly kind: Kind;
  readonly path: (own: string) => string;
}

const at =
  (path: string): Row["path"] =>
  () =>
    path;

/** Each route of the app has a line here; one without is a failure. */
const ROUTES: Readonly<Record<string, Row>> = {
  "GET /admin/assets/:name": { kind: "open", path: at("/admin/assets/admin.css") },
  "GET /admin/in/:secret": { kind: "open", path: at(`/admin/in/${"x".repeat(43)}`) },
  "POST /admin/in/:secret": { kind: "open", path: at(`/admin/in/${"x".repeat(43)}`) },
  "POST /admin/here": { kind: "open", path: at("/admin/here") },
  "POST /admin/out": { kind: "form", path: at("/admin/out") },
  "GET /admin/browsers": { kind: "own", path: at("/admin/browsers") },
  "POST /admin/browsers/:id": { kind: "form", path: (own) => `/admin/browsers/${own}` },
  "POST /admin/threads/:id/reason": { kind: "form", path: at(`${PATH}/reason`) },
  "POST /admin/threads/:id/remarks": { kind: "form", path: at(`${PATH}/remarks`) },
  "POST /admin/threads/:id/remarks/:remark/assign": { kind: "form", path: at(`${PATH}/remarks/x/assign`) },
  "POST /admin/threads/:id/remarks/:remark/resolve": { kind: "form", path: at(`${PATH}/remarks/x/resolve`) },
  "POST /admin/threads/:id/export": { kind: "form", path: at(`${PATH}/export`) },
  "GET /admin/export": { kind: "own", path: at("/admin/export") },
  "POST /admin/export": { kind: "form", path: at("/admin/export") },
  "GET /admin/audit": { kind: "admins", path: at("/admin/audit") },
  "GET /admin/usage": { kind: "admins", path: at("/admin/usage") },
  "GET /admin/usage/:file{[a-z]+\\.csv}": { kind: "admins", path: at("/admin/usage/people.csv") },
  "GET /admin": { kind: "own", path: at("/admin/") },
  "GET /admin/threads/:id": { kind: "thread", path: at(PATH) },
  "GET /admin/threads/:id/live": { kind: "thread", path: at(`${PATH}/live`) },
  "GET /admin/threads/:id/calls/:call": { kind: "thread", path: () => `${PATH}/calls/c${run}` },
  "GET /admin/threads/:id/results/:run/:round/:call": {
    kind: "thread",
    path: () => `${PATH}/results/${run}/1/none`,
  },
  "GET /admin/threads/:id/entries/:epoch/:seq": { kind: "thread", path: at(`${PATH}/entries/1/1`) },
};

/** What each may. `in`: the status of their own pages. */
const PEOPLE: Readonly<
  Record<
    string,
    {
      readonly browser: () => Promise<Browser>;
      readonly in: 200 | 401 | 403;
      readonly thread: boolean;
      readonly isAdmin?: true;
    }
  >
> = {
  nobody: { browser: async () => world.newBrowser(), in: 401, thread: false },
  "a made up cookie": {
    browser: async () => withCookie(`bobbin_admin=${"a".repeat(43)}`),
    in: 401,
    thread: false,
  },
  "a link in place of a cookie": {
    browser: async () => withCookie(`bobbin_admin=${(await linkOf("UBOSS")).split("/").at(-1)}`),
    in: 401,
    thread: false,
  },
  "an admin whose browser was put out": {
    browser: async () => {
      const browser = await entered("UBOSS");
      await world.sql.query({
        text: "update admin_browsers set left_at = 1 where n is null".replace(
          "n is null",
          "left_at is null and person = 'UBOSS'",
        ),
      });
      return browser;
    },
    in: 401,
    thread: false,
  },
  "an admin whose time is over": {
    browser: async () => {
      const browser = await entered("UBOSS");
      await world.sql.query({ text: "update admin_browsers set until = now_ms() where person = 'UBOSS'" });
      return browser;
    },
    in: 401,
    thread: false,
  },
  "a member who was an admin": { browser: () => changed(author("UBOSS")), in: 403, thread: false },
  "a guest who was an admin": {
    browser: () => changed(author("UBOSS", { kind: "guest", isPlatformAdmin: true })),
    in: 403,
    thread: false,
  },
  "an admin who was deactivated": { browser: () => changed(undefined), in: 403, thread: false },
  "a reviewer of another space": { browser: () => entered("UOTHER", "T2"), in: 200, thread: false },
  "an admin of another space": {
    browser: () => entered("UBOSS2", "T2", author("UBOSS2", { isPlatformAdmin: true })),
    in: 200,
    thread: false,
    isAdmin: true,
  },
  "a reviewer": { browser: () => entered("UREVIEW"), in: 200, thread: true },
  "an admin": { browser: () => entered("UBOSS"), in: 200, thread: true, isAdmin: true },
};

function withCookie(cookie: string): Browser {
  const browser = world.newBrowser();
  browser.cookie = cookie;
  return browser;
}

const linkOf = async (id: string): Promise<string> => world.link(person("T1", id));

async function entered(id: string, space = "T1", as?: Author): Promise<Browser> {
  const isBoss = id.startsWith("UBOSS");
  world.people.set(`slack:${space}:${id}`, as ?? author(id, { isPlatformAdmin: isBoss }));
  await world.clock.advance(60_000);
  return world.signedIn(person(space, id));
}

/** Somebody who came in as an admin, and is this by now. */
async function changed(now: Author | undefined): Promise<Browser> {
  const browser = await entered("UBOSS");
  if (now === undefined) world.people.delete("slack:T1:UBOSS");
  else world.people.set("slack:T1:UBOSS", now);
  await world.clock.advance(60_000);
  return browser;
}

const ownId = async (browser: Browser): Promise<string> =>
  /action="\/admin\/browsers\/([^"]+)"/.exec((await browser.get("/admin/browsers")).text)?.[1] ?? "none";

test("every route stands in the table", () => {
  expect(world.routes.toSorted()).toEqual(Object.keys(ROUTES).toSorted());
});

describe.each(Object.entries(PEOPLE))("%s", (_, { browser: open, in: status, thread, isAdmin }) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await open();
  });

  test.each(Object.entries(ROUTES).filter(([, { kind }]) => kind !== "form" && kind !== "open"))(
    "%s",
    async (route, { kind, path }) => {
      const answer = route.endsWith("/live") ? await firstOf(browser, path("")) : await browser.get(path(""));
      const allowed = kind === "thread" ? thread : kind === "admins" ? isAdmin === true : true;
      const refused = kind === "thread" ? 404 : 403;
      const isNothing = route.includes("/results/");
      const expected =
        status !== 200 ? status : allowed && !isNothing ? 200 : isNothing && allowed ? 404 : refused;
      expect(answer.status).toBe(expected);
      // Neither kept nor framed by anybody, and nothing of the thread for those who may not see it.
      expect(answer.headers.get("cache-control")).toMatch(/no-store/);
      expect(answer.headers.get("x-frame-options")).toBe("DENY");
      expect(answer.headers.get("content-security-policy")).toMatch(/default-src 'none'; script-src 'self'/);
      if (!thread) expect(answer.text).not.toContain("Zanzibar");
    },
  );

  test("a form does nothing without its token, with a wrong one, or from another site", async () => {
    const own = await ownId(browser);
    for (const [route, { kind, path }] of Object.entries(ROUTES)) {
      if (kind !== "form") continue;
      const refused = status === 401 ? 401 : 403;
      expect([route, (await browser.send(path(own), {}, { token: "none" })).status]).toEqual([
        route,
        refused,
      ]);
      expect([route, (await browser.send(path(own), {}, { token: "wrong" })).status]).toEqual([
        route,
        refused,
      ]);
      const elsewhere = { headers: { origin: "https://evil.example" } };
      expect([route, (await browser.send(path(own), {}, elsewhere)).status]).toEqual([route, 403]);
    }
    expect((await browser.get("/admin/browsers")).status).toBe(status);
  });

  test("says something of a thread only where it may see it", async () => {
    if (status !== 200) return;
    for (const [path, fields] of [
      [`${PATH}/reason`, { reason: "r" }],
      [`${PATH}/remarks`, { kind: "note", text: "t" }],
      [`${PATH}/remarks/x/assign`, {}],
      [`${PATH}/remarks/x/resolve`, {}],
    ] as const) {
      const isNothing = path.includes("/x/");
      expect([path, (await browser.send(path, fields)).status]).toEqual([
        path,
        thread && !isNothing ? 303 : 404,
      ]);
    }
    expect((await browser.send(`${PATH}/export`, { format: "jsonl" })).status).toBe(thread ? 200 : 404);
    const all = await browser.send("/admin/export", { format: "jsonl", reason: "r" });
    expect([all.status, all.text.includes("Zanzibar")]).toEqual([200, thread]);
  });

  test.each([
    "slack:T2:C1:171.7",
    "slack:T1:C1:171.999",
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "a/../../b",
    "slack:T1:C1:171.5'--",
    "\u0000",
    "%",
  ])("S8, S16: the id %j leads nowhere, just as one of another space", async (id) => {
    const answer = await browser.get(`/admin/threads/${encodeURIComponent(id)}`);
    expect(answer.status).toBe(status === 200 ? 404 : status);
  });
});

test("S16: what leads to nothing reads the same whether it is unknown or of another space", async () => {
  const other = await entered("UOTHER", "T2");
  const foreign = await other.get(PATH);
  const unknown = await other.get("/admin/threads/slack%3AT2%3AC1%3A999.9");
  expect(foreign.text).toBe(unknown.text);
  expect((await world.audited(person("T2", "UOTHER")))[0]).toMatchObject({ kind: "refused" });
});

test("what is looked at is in the audit log of the space, before it is shown", async () => {
  const boss = await entered("UBOSS");
  await boss.get(PATH);
  await boss.get("/admin/?q=Zanzibar");
  await boss.get(`${PATH}/calls/c${run}`);
  const lines = await world.audited(person("T1", "UBOSS"));
  expect(lines.slice(0, 3).map(({ kind, session, about }) => [kind, session, about])).toEqual([
    ["view_request", SESSION, `c${run}`],
    ["search", undefined, "Zanzibar"],
    ["view", SESSION, undefined],
  ]);
});

test("what is followed live is written down as each connection begins, and is the newest part whatever is asked for", async () => {
  const boss = await entered("UBOSS");
  const before = (await world.audited(person("T1", "UBOSS"))).length;
  for (const query of ["", "?before=1", "?at=1-1"])
    expect((await firstOf(boss, `${PATH}/live${query}`, /event: thread/)).text).toContain("Zanzibar");
  const lines = await world.audited(person("T1", "UBOSS"));
  expect(
    lines.slice(0, lines.length - before).map(({ kind, session, about }) => [kind, session, about]),
  ).toEqual(Array.from({ length: 3 }, () => ["view", SESSION, "live"]));
});

/** The head and the first events of a stream, until one fits. */
async function firstOf(browser: Browser, path: string, until = /^/) {
  const over = new AbortController();
  const response = await fetch(`${world.url}${path}`, {
    headers: { cookie: browser.cookie },
    signal: over.signal,
  });
  const { status, headers } = response;
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let isOver = false; !isOver && (text === "" || !until.test(text));) {
    const part = await reader?.read();
    text += decoder.decode(part?.value, { stream: true });
    isOver = part?.done !== false;
  }
  over.abort();
  return { status, headers, text };
}
