// The search as it is used on the page: more than fits on one, and together with the filters that stand below it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createOverviewMaker } from "../../../src/adapters/postgres/admin/overview-maker.ts";
import { sessionNamed, storeThread } from "../../support/stored-threads.ts";
import { openAdminWorld, person, type AdminWorld, type Browser } from "./admin-world.ts";

const THREADS = 55;

let world: AdminWorld;
let boss: Browser;
beforeAll(async () => {
  world = await openAdminWorld();
  const { sql } = world;
  for (let n = 0; n < THREADS; n++) {
    const session = sessionNamed(`slack:T1:C${n % 5}:171.${n}`);
    await storeThread(sql, { session, said: [`the plover ${n}`, "seen"], at: Date.UTC(2026, 5, 1) + n });
    await createOverviewMaker(sql).make(session);
  }
  const bea = person("T1", "UBOSS", "Bea");
  world.makeAdmin(bea);
  boss = await world.signedIn(bea);
  // What channels are is learnt with the first look.
  await boss.get("/admin/");
});
afterAll(() => world[Symbol.asyncDispose]());

const found = (text: string): readonly string[] =>
  [...text.matchAll(/<li>\s*<a href="\/admin\/threads\/([^"?]+)\?at=/g)].map(([, id]) =>
    decodeURIComponent(id ?? ""),
  );
const olderIn = (text: string): string =>
  /href="([^"]+)"[^>]*>Older</.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";

test("what does not fit on a page is behind Older, and nothing is told as all that is not", async () => {
  const first = (await boss.get("/admin/?q=plover")).text;
  expect(first).toContain("The newest 50 threads that hold");
  expect(olderIn(first)).not.toBe("");
  const second = (await boss.get(olderIn(first))).text;
  expect(second).toContain("Older threads that hold");
  expect(new Set([...found(first), ...found(second)]).size).toBe(THREADS);
  expect(found(second)).toHaveLength(5);
  expect(olderIn(second)).toBe("");
});

test("filters that stand in the same form narrow the search, also on its further pages", async () => {
  const { text } = await boss.get("/admin/?q=plover&channel=C3");
  expect(text).toContain("11 threads hold");
  expect(found(text).every((session) => session.startsWith("slack:T1:C3:"))).toBe(true);
  const none = (await boss.get("/admin/?q=plover&flagged=1")).text;
  expect(none).toContain("Nothing that fits the filters holds");
  const older = olderIn((await boss.get("/admin/?q=plover&person=U1")).text);
  expect(older).toContain("person=U1");
  expect(found((await boss.get(older)).text)).toHaveLength(5);
});

test("a place that is none is as if nothing was said", async () => {
  expect((await boss.get("/admin/?q=plover&before=x")).text).toContain("The newest 50 threads that hold");
});
