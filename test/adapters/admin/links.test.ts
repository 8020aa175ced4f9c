// A link to one line of a transcript leads there later too, and through whatever stands in between.
import { afterAll, beforeAll, expect, test } from "vitest";
import { ownPath, ownPathWithin } from "../../../src/adapters/admin/pages/paths.ts";
import { storeThread } from "../../support/stored-threads.ts";
import { openAdminWorld, person, type AdminWorld, type Browser } from "./admin-world.ts";

const LONG = "slack:T1:C1:171.5";
const OWN = "slack:T1:D1:171.6";
const at = (session: string, rest = ""): string => `/admin/threads/${encodeURIComponent(session)}${rest}`;
const OWNER = person("T1", "UBOSS", "Bea");

let world: AdminWorld;
let boss: Browser;
beforeAll(async () => {
  world = await openAdminWorld({ owner: OWNER });
  const { sql } = world;
  // Sixty runs: three pages. Its first entry is of none, as a branch begins.
  await storeThread(sql, { session: LONG, said: Array.from({ length: 120 }, (_, n) => `line ${n}`) });
  await sql.query({ text: `update entries set run = null where session = $1 and seq = 1` }, [LONG]);
  await storeThread(sql, { session: OWN, said: ["between us", "yes"], isDirect: true });
  world.makeAdmin(OWNER);
  boss = await world.signedIn(OWNER);
});
afterAll(() => world[Symbol.asyncDispose]());

const linkOf = (text: string, entry: string): string =>
  new RegExp(`href="([^"]+)" title="Link to this entry">${entry}<`).exec(text)?.[1] ?? "";

test.each(["1.1", "1.2", "1.61", "1.120"])(
  "the number above entry %s leads to a page that has it, however far back",
  async (entry) => {
    const id = entry.replace(".", "-");
    const [path = "", anchor] = at(LONG, `?at=${id}#e-${id}`).split("#");
    const page = (await boss.get(path)).text;
    expect(page).toContain(`id="${anchor}"`);
    expect(linkOf(page, entry)).toBe(at(LONG, `?at=${id}#e-${id}`));
  },
);

test("who has to come in first comes to the line", async () => {
  const visitor = world.newBrowser();
  const wanted = at(LONG, "?at=1-4");
  const { text } = await visitor.get(wanted);
  expect(text).toContain(`name="next" value="${wanted}"`);
  const entered = await visitor.send("/admin/here", { next: wanted }, { token: "none" });
  expect(entered.headers.get("location")).toBe(`${wanted}#e-1-4`);
});

test("who has to say why first comes to the page that was wanted", async () => {
  const wanted = at(OWN, "?side=model&at=1-2");
  const { text } = await boss.get(wanted);
  expect(text).toContain(`name="next" value="${wanted.replace("&", "&amp;")}"`);
  const opened = await boss.send(at(OWN, "/reason"), { reason: "ticket 1", next: wanted });
  expect(opened.headers.get("location")).toBe(`${wanted}#e-1-2`);
  const elsewhere = await boss.send(at(OWN, "/reason"), { reason: "ticket 1", next: at(LONG) });
  expect(elsewhere.headers.get("location")).toBe(at(OWN));
});

test("whatever comes with a form or a cookie leads to a page of ours, and holds nothing that does more", () => {
  const path = "/admin/threads/slack%3AT1%3AC1%3A1.1";
  for (const [next, own] of [
    [`${path}?at=1-4`, `${path}?at=1-4#e-1-4`],
    [`${path}?side=people&at=1-4#else`, `${path}?side=people&at=1-4#e-1-4`],
    ["/admin/?q=a+b%20c&channel=C1", "/admin/?q=a+b%20c&channel=C1"],
    [`/admin/?q=${"x".repeat(600)}`, "/admin/"],
    [`${path}?q= x; y`, path],
    ["/admin/?next=//evil.example", "/admin/"],
    ["/adminx?at=1-4", "/admin/"],
    [7, "/admin/"],
  ] as const)
    expect(ownPath(next)).toBe(own);
  expect(ownPathWithin(path, `${path}/entries/1/4`)).toBe(`${path}/entries/1/4`);
  expect(ownPathWithin(path, `${path}2`)).toBe(path);
});
