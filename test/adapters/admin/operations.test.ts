// The page of what is being done: figures of all, threads of one's own space, and Retry for what failed.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createOverviewMaker } from "../../../src/adapters/postgres/admin/overview-maker.ts";
import { createAttendanceBook } from "../../../src/adapters/postgres/attendance.ts";
import type { Watched } from "../../../src/core/ports/watched.ts";
import { sessionNamed, storeThread } from "../../support/stored-threads.ts";
import { until } from "../../support/until.ts";
import { openAdminWorld, person, type AdminWorld, type Browser } from "./admin-world.ts";

const BOSS = person("T1", "UBOSS", "Boss");
const OTHER = person("T2", "UOTHER", "Other");
const RUNNING = "slack:T1:C1:1.1";
const FAILED = "slack:T1:C1:2.2";
const FOREIGN = "slack:T2:C9:3.3";

let isAway = false;
const orAway = <T>(value: T): Promise<T> => (isAway ? new Promise<T>(() => {}) : Promise.resolve(value));
/** One that says nothing at all while Redis is away, as a network that loses every packet. */
const watched: Watched = {
  depth: () => orAway({ runs: { waiting: 7, active: 3 }, goals: { waiting: 0, active: 1 } }),
  leases: (sessions) => orAway(sessions.map((session) => (session === RUNNING ? 5_400 : undefined))),
  budgets: ({ space }) =>
    orAway([
      { key: `slack:${space}:chat.update`, fullInMs: 19_200, bindsForMs: 300_000, line: 4 },
      { key: `slack:${space}:chat.postMessage:C1`, fullInMs: 0, bindsForMs: 0, line: 0 },
    ]),
};

let world: AdminWorld;
let boss: Browser;
let failed = "";
let foreign = "";
beforeAll(async () => {
  world = await openAdminWorld({ watched });
  const { sql } = world;
  for (const who of [BOSS, OTHER]) world.makeAdmin(who);
  await sql.query({ text: "insert into blobs values ('p', 'be helpful'), ('t', '[]')" });
  await storeThread(sql, { session: RUNNING, said: ["what is a heron?", "a bird"] });
  [failed = ""] = await storeThread(sql, {
    session: FAILED,
    said: ["the deploy plan"],
    reason: "error",
    error: "attempts_used_up",
  });
  [foreign = ""] = await storeThread(sql, {
    session: FOREIGN,
    said: ["of the others"],
    reason: "error",
    error: "attempts_used_up",
  });
  for (const session of [RUNNING, FAILED, FOREIGN])
    await createOverviewMaker(sql).make(sessionNamed(session));
  await sql.query(
    {
      text: "update runs set reply = 'open', reason = null, started_at = now_ms() - 65000, ended_at = null where session = $1",
    },
    [RUNNING],
  );
  await sql.query({ text: "update attempts set ended = null, worker = 'host-a/77' where session = $1" }, [
    RUNNING,
  ]);
  boss = await world.signedIn(BOSS);
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(async () => {
  isAway = false;
  // What was asked before and not answered counts as lost.
  await world.clock.advance(15_000);
});

test("shows how much waits, who works on what, since when and with which lease, and what is left of the budgets", async () => {
  const { status, text } = await boss.get("/admin/operations");
  expect(status).toBe(200);
  const said = text.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
  for (const each of [
    "People's queue 7 3 being served".replace("'", "&#39;"),
    "what is a heron?",
    "running",
    "host-a/77",
    "fence 1",
    "held, 5 s left",
    "chat.update",
    "bound for 5 min",
    "chat.postMessage in C1",
    "the deploy plan",
    "attempts_used_up",
  ])
    expect(said).toContain(each);
  expect(said).toMatch(/running 1 min \d+ s/);
  expect((await world.audited(BOSS))[0]).toMatchObject({ kind: "operations" });
});

test("says which processes are there, which have gone, and when somebody last looked after what was forgotten", async () => {
  const book = createAttendanceBook(world.sql);
  const at = { host: "host-b", version: "0.1.0" };
  expect((await boss.get("/admin/operations")).text).toContain("No worker is there: nobody answers.");
  await book.sign({ ...at, id: "g1", role: "gateway", pid: 70 }, {});
  await book.sign(
    { ...at, id: "w1", role: "worker", pid: 77 },
    { sweptMsAgo: 4_000, overviewsMsAgo: 30_000 },
  );
  await book.sign({ ...at, id: "w2", role: "worker", pid: 78 }, { sweptMsAgo: 900_000, overviewsWaiting: 3 });
  await world.sql.query({ text: "update attendance set seen_at = seen_at - 120000 where id = 'w2'" });
  await world.clock.advance(5_000);
  const { text } = await boss.get("/admin/operations");
  for (const each of ["host-b/70", "host-b/77", "gone for 2 min"]) expect(text).toContain(each);
  expect(text).not.toContain("nobody answers");
  // The newest of those that are there counts, and not what one said that is gone.
  expect(text).toMatch(/nobody rang for:\s+<span class="">\d+ s ago/);
  expect(text).toMatch(/list of threads is behind:\s+<span class="">[345]\d s ago/);
  await book.leave("w1");
  await world.clock.advance(5_000);
  expect((await boss.get("/admin/operations")).text).not.toContain("host-b/77");
});

test("a Redis that says nothing is told plainly, soon, and what the ledger knows is there all the same", async () => {
  isAway = true;
  const looking = boss.get("/admin/operations");
  let isOver = false;
  const over = (): void => void (isOver = true);
  looking.then(over, over);
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    await world.clock.advance(100);
  }
  const { status, text } = await looking;
  expect(status).toBe(200);
  expect(text).toContain("Redis is not reachable just now");
  expect(text).toContain("not reachable");
  expect(text).toContain("what is a heron?");
  expect(text).toContain("the deploy plan");
});

test("nobody sees a name or an id of another space, nor has anything tried again there", async () => {
  const other = await world.signedIn(OTHER);
  const { text } = await other.get("/admin/operations");
  expect(text).toContain("of the others");
  for (const each of ["heron", "deploy", "slack:T1", "slack%3AT1", failed]) expect(text).not.toContain(each);
  expect((await boss.get("/admin/operations")).text).not.toContain(foreign);
  expect((await other.send("/admin/operations/retry", { run: failed })).status).toBe(404);
  expect((await boss.send("/admin/operations/retry", { run: "no-such-run" })).status).toBe(404);
  expect((await boss.send("/admin/operations/retry")).status).toBe(404);
  expect(world.retried).toEqual([]);
});

test("what failed is tried again by the thread's own command, is written down, and is on the list only until something newer happens there", async () => {
  const { status, text } = await boss.send("/admin/operations/retry", { run: failed });
  expect(status).toBe(200);
  expect(text).toContain("Trying again.");
  expect(world.retried).toEqual([
    [expect.objectContaining({ person: "UBOSS" }), expect.objectContaining({ run: failed, session: FAILED })],
  ]);
  expect(await world.audited(BOSS)).toContainEqual(
    expect.objectContaining({ kind: "retry", session: FAILED, about: failed }),
  );
  await world.sql.query(
    {
      text: `insert into runs (id, session, cause, retry_of, epoch, admitted_seq, requester)
       values ('newer', $1, 'retry', $2, 1, 2, '{"id":"UBOSS","name":"Boss"}')`,
    },
    [FAILED, failed],
  );
  await world.sql.query(
    { text: "insert into attempts (run, fence, session, worker) values ('newer', 2, $1, 'host-a/77')" },
    [FAILED],
  );
  await world.clock.advance(5_000);
  const now = (await boss.get("/admin/operations")).text;
  expect(now).toContain("newer");
  expect(now).not.toContain(failed);
  expect((await boss.send("/admin/operations/retry", { run: failed })).status).toBe(404);
});

test("who is no admin any more is sent nothing more of it, though they may still look at other pages", async () => {
  const rae = { id: "UREVIEW", name: "Rae", kind: "member", roles: [] } as const;
  world.people.set("slack:T1:UREVIEW", { ...rae, isPlatformAdmin: true });
  const browser = await world.signedIn(person("T1", "UREVIEW", "Rae"));
  const answer = await fetch(`${world.url}/admin/operations/live`, { headers: { cookie: browser.cookie } });
  let isOver = false;
  let text = "";
  const decoder = new TextDecoder();
  const reading = (async () => {
    for await (const part of answer.body ?? []) text += decoder.decode(part, { stream: true });
    isOver = true;
  })();
  await until(() => text.includes("event: content"), { what: "the page is there" });
  world.people.set("slack:T1:UREVIEW", { ...rae, isPlatformAdmin: false });
  await until(() => world.clock.advance(61_000).then(() => isOver), { what: "the stream is over" });
  await reading;
  expect((await browser.get("/admin/")).status).toBe(200);
  expect((await browser.get("/admin/operations/live")).status).toBe(403);
});
