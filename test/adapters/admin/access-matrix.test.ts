// Who may see and do what: every route, with ids of one space, by everybody who could come along.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createErasures } from "../../../src/adapters/postgres/admin/erasures.ts";
import { createHolds } from "../../../src/adapters/postgres/admin/holds.ts";
import { createOverviewMaker } from "../../../src/adapters/postgres/admin/overview-maker.ts";
import type { Author } from "../../../src/core/inbound.ts";
import { sessionNamed, storeThread } from "../../support/stored-threads.ts";
import { openAdminWorld, person, type AdminWorld, type Browser } from "./admin-world.ts";
import { ERASURE, HOLD, isForm, PATH, ROUTES, SESSION, type Row } from "./route-table.ts";

const SECRET = "the plan for Zanzibar";

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
  const gone = sessionNamed("slack:T1:C1:171.8");
  await storeThread(sql, { session: gone, said: ["soon gone", "yes"] });
  const [boss, erasures] = [person("T1", "UBOSS"), createErasures(sql)];
  await erasures.begin(ERASURE, { kind: "thread", subject: gone }, "ticket 12", boss);
  await erasures.erase(ERASURE, gone);
  await erasures.finish(ERASURE);
  await createHolds(sql).set(HOLD, { kind: "thread", subject: SESSION }, "case 9", boss);
  for (const session of [SESSION, "slack:T2:C1:171.6"])
    await createOverviewMaker(sql).make(sessionNamed(session));
});
afterAll(() => world[Symbol.asyncDispose]());

/** What each may. `in`: the status of their own pages. */
const PEOPLE: Readonly<
  Record<
    string,
    {
      readonly browser: () => Promise<Browser>;
      readonly in: 200 | 401 | 403;
      readonly thread: boolean;
      readonly isAdmin?: true;
      readonly isOperator?: true;
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
  "who has stolen a link that was used": {
    browser: async () => {
      await entered("UBOSS");
      const link = await linkOf("UBOSS");
      await world.newBrowser().send(link, {}, { token: "none" });
      return withLink(link);
    },
    in: 401,
    thread: false,
  },
  "who has stolen a link that is over": {
    browser: async () => {
      await entered("UBOSS");
      const link = await linkOf("UBOSS");
      await world.sql.query({ text: "update admin_offers set until = now_ms()" });
      return withLink(link);
    },
    in: 401,
    thread: false,
  },
  "an admin whose browser was put out": {
    browser: async () => {
      const browser = await entered("UBOSS");
      await world.sql.query({
        text: "update admin_browsers set left_at = 1 where left_at is null and person = 'UBOSS'",
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
  "an admin who runs the bot": {
    browser: () => entered("UROOT", "T1", author("UROOT", { isPlatformAdmin: true })),
    in: 200,
    thread: true,
    isAdmin: true,
    isOperator: true,
  },
};

function withCookie(cookie: string): Browser {
  const browser = world.newBrowser();
  browser.cookie = cookie;
  return browser;
}

async function withLink(link: string): Promise<Browser> {
  const browser = world.newBrowser();
  await browser.get(link);
  await browser.send(link, {}, { token: "none" });
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

describe.each(Object.entries(PEOPLE))("%s", (_, who) => {
  const { browser: open, in: status, thread, isAdmin, isOperator } = who;
  let browser: Browser;
  beforeAll(async () => {
    browser = await open();
  });

  /** What the answer to a form with its token, or to a look, has to be: one of these. */
  function expected(route: string, { may, isOfThread, done }: Row): readonly number[] {
    if (status !== 200) return [status];
    const refusals = [
      ...((may === "admins" || may === "operators") && isAdmin !== true ? [403] : []),
      ...(may === "operators" && isAdmin === true && isOperator !== true ? [404] : []),
      ...(isOfThread === true && !thread ? [404] : []),
    ];
    return refusals.length > 0 ? refusals : [done ?? (isForm(route) ? 303 : 200)];
  }
  const rows = Object.entries(ROUTES);
  const closed = rows.filter(([, { may }]) => may !== "anybody");

  test.each(closed.filter(([route]) => !isForm(route)))("%s", async (route, row) => {
    const path = row.path({ own: "none", run });
    const answer = route.endsWith("/live") ? await firstOf(browser, path) : await browser.get(path);
    expect(expected(route, row)).toContain(answer.status);
    // Neither kept nor framed by anybody, and nothing of the thread for those who may not see it.
    expect(answer.headers.get("cache-control")).toMatch(/no-store/);
    expect(answer.headers.get("x-frame-options")).toBe("DENY");
    expect(answer.headers.get("content-security-policy")).toMatch(/default-src 'none'; script-src 'self'/);
    if (!thread) expect(answer.text).not.toContain("Zanzibar");
  });

  test("a form does nothing without its token, with a wrong one, or from another site", async () => {
    const ids = { own: await ownId(browser), run };
    const refused = status === 401 ? 401 : 403;
    const elsewhere = { headers: { origin: "https://evil.example" } };
    for (const [route, { path, fields }] of closed.filter(([name]) => isForm(name))) {
      for (const [how, wanted] of [
        [{ token: "none" }, refused],
        [{ token: "wrong" }, refused],
        [elsewhere, 403],
      ] as const)
        expect([route, how, (await browser.send(path(ids), fields, how)).status]).toEqual([
          route,
          how,
          wanted,
        ]);
    }
    expect((await browser.get("/admin/browsers")).status).toBe(status);
  });

  test("a form with its token does only what its sender may", async () => {
    for (const [route, row] of closed.filter(([name]) => isForm(name))) {
      const sender = row.isLast === true ? await open() : browser;
      const answer = await sender.send(row.path({ own: await ownId(sender), run }), row.fields);
      expect([route, expected(route, row).includes(answer.status), answer.status]).toEqual([
        route,
        true,
        answer.status,
      ]);
      if (!thread) expect(answer.text).not.toContain("Zanzibar");
    }
  });

  test("what is for anybody shows nothing of a thread", async () => {
    for (const [route, { path }] of rows.filter(([, { may }]) => may === "anybody")) {
      const visitor = world.newBrowser();
      const where = path({ own: "none", run });
      const answer = isForm(route)
        ? await visitor.send(where, {}, { token: "none" })
        : await visitor.get(where);
      expect([route, answer.text.includes("Zanzibar"), visitor.cookie]).toEqual([route, false, ""]);
    }
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
    expect((await firstOf(boss, `${PATH}/live${query}`, /event: content/)).text).toContain("Zanzibar");
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
