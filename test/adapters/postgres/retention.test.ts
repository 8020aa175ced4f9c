// What is older than it is kept goes, and nothing that runs, waits, has a goal, is held or is young.
import { beforeAll, expect, test } from "vitest";
import { createAudit } from "../../../src/adapters/postgres/admin/audit.ts";
import { createHolds } from "../../../src/adapters/postgres/admin/holds.ts";
import { createOverviewMaker } from "../../../src/adapters/postgres/admin/overview-maker.ts";
import { createRetention } from "../../../src/adapters/postgres/admin/retention.ts";
import { createReview } from "../../../src/adapters/postgres/admin/review.ts";
import { createRetentionKeeper, type RetentionRules } from "../../../src/core/admin/retention.ts";
import type { Author, MessageInbound } from "../../../src/core/inbound.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { asRun, deletion, edit } from "../../contract/store-samples.ts";
import { setGoal } from "../../support/goals.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { until } from "../../support/until.ts";
import { placesOf } from "../../support/word-scan.ts";
import { postgresBackend } from "./backends.ts";
import { BEN, BOSS, eraseWorld, newSlackThread, WORD, type EraseWorld } from "./erase-world.ts";

const backend = postgresBackend();
let world: EraseWorld;
beforeAll(() => {
  world = eraseWorld(backend.sql());
});

const SUE: Author = { id: "USUE", name: "Sue" };
const DAY_MS = 24 * 3_600_000;

/** As if nothing had happened in it for so long. */
async function aged(session: SessionId, days: number): Promise<void> {
  const sql = backend.sql();
  const ms = days * DAY_MS;
  await sql.query({ text: "update sessions set touched_at = now_ms() - $2::bigint where id = $1" }, [
    session,
    ms,
  ]);
  await sql.query({ text: "update runs set started_at = now_ms() - $2::bigint where session = $1" }, [
    session,
    ms,
  ]);
  await sql.query({ text: "update model_calls set started_at = now_ms() - $2::bigint where session = $1" }, [
    session,
    ms,
  ]);
  await createOverviewMaker(sql).make(session);
  await sql.query({ text: "update overviews set touched_at = now_ms() - $2::bigint where session = $1" }, [
    session,
    ms,
  ]);
}

async function answered(text: string, channel = "C1"): Promise<SessionId> {
  const session = newSlackThread(channel);
  await world.stores.inbox.put(world.say(session, SUE, text));
  await world.answered(asRun(await world.stores.store.open(session, "w")), text);
  return session;
}

async function sweep(rules: RetentionRules, batch = 10, audit = createAudit(backend.sql())): Promise<void> {
  const clock = manualClock();
  let isOver = false;
  const keeper = createRetentionKeeper(
    {
      retention: createRetention(backend.sql()),
      audit,
      rules,
      clock,
      log: silentLog,
      exclusive: (body) => body().finally(() => (isOver = true)),
    },
    { gapMs: 0, batch },
  );
  keeper.start();
  await until(() => isOver, { what: "the sweep is over" });
  await keeper.stop();
}

const forgotten = async () =>
  (await createAudit(backend.sql()).list(BOSS, { limit: 100 })).filter(({ kind }) => kind === "forget");

test("nothing is forgotten where nothing is said of it", async () => {
  await aged(await answered(`kept ${WORD}`), 4_000);
  const keeper = createRetentionKeeper({
    retention: createRetention(backend.sql()),
    audit: createAudit(backend.sql()),
    rules: { everywhere: {}, spaces: {} },
    clock: manualClock(),
    log: silentLog,
    exclusive: () => Promise.reject(new Error("nobody asked")),
  });
  keeper.start();
  await keeper.stop();
  expect(await placesOf(backend.sql(), WORD)).not.toEqual([]);
});

test("old conversations go with all their words, one line says so, and what is young, runs, waits, has a goal or is held stays", async () => {
  const { inbox, store, goals } = world.stores;
  const old = await world.filled();
  await backend.sql().query({ text: "with gone as (delete from goals) delete from goal_events" });
  await backend.sql().query({ text: "update sessions set goal = null" });
  await aged(old, 40);
  const young = await answered("young words");
  await aged(young, 20);
  const running = await answered("running words");
  await inbox.put(world.say(running, SUE, "again"));
  await store.open(running, "w");
  await aged(running, 40);
  const waiting = await answered("waiting words");
  await inbox.put(world.say(waiting, SUE, "again"));
  await aged(waiting, 40);
  const withGoal = await answered("goal words");
  await goals.apply(withGoal, setGoal("x"), "kr");
  await aged(withGoal, 40);
  const held = await answered("held words");
  await aged(held, 40);
  await createHolds(backend.sql()).set("hr", { kind: "thread", subject: held }, "case 9", BOSS);
  const elsewhere = "slack:T2:C1:171.1" as SessionId;
  await inbox.put(world.say(elsewhere, BEN, "other words"));
  await world.answered(asRun(await store.open(elsewhere, "w")), "other words");
  await aged(elsewhere, 40);

  await sweep({ everywhere: {}, spaces: { "slack:T1": { conversations: 30 } } });
  const left = async (words: string) => (await placesOf(backend.sql(), words)).includes("entries.body");
  expect(await placesOf(backend.sql(), WORD)).toEqual(
    // What an admin searched for, and their own reasons elsewhere, are lines of the audit log: they have days of their own.
    (await placesOf(backend.sql(), WORD)).filter((place) => place === "audit.about"),
  );
  for (const words of [
    "young words",
    "running words",
    "waiting words",
    "goal words",
    "held words",
    "other words",
  ])
    expect([words, await left(words)]).toEqual([words, true]);
  const lines = await forgotten();
  expect(lines.map(({ about }) => about)).toEqual([
    "conversations 2, older than 30 days",
    "begins: conversations older than 30 days",
  ]);
  expect(lines[0]).toMatchObject({ who: { person: "bobbin" } });
  // Nothing is made of it again, and whoever writes there is answered.
  expect(await createOverviewMaker(backend.sql()).behind(100)).not.toContain(old);
  await inbox.put(world.say(old, BEN, "anybody there?"));
  expect(asRun(await store.open(old, "w")).tail).toHaveLength(1);
  await createHolds(backend.sql()).lift("hr", BOSS);
});

test("a conversation whose last word was an edit of a message that was answered, or its deletion, goes as well", async () => {
  const { inbox, store } = world.stores;
  for (const change of [(of: MessageInbound) => edit(of, "changed words"), deletion]) {
    const session = newSlackThread();
    const asked = world.say(session, SUE, "changed words");
    await inbox.put(asked);
    await world.answered(asRun(await store.open(session, "w")), "changed words");
    expect(await inbox.put(change(asked))).toMatchObject({ kind: "stored" });
    expect(await store.hasWork(session)).toBe(false);
    await aged(session, 40);
    await sweep({ everywhere: { conversations: 30 }, spaces: {} });
    expect(await placesOf(backend.sql(), "changed words")).toEqual([]);
  }
});

test("what tools gave back and what requests were built of go by themselves, and a page says that a request is not kept", async () => {
  const session = await answered("kept conversation");
  await aged(session, 10);
  await sweep({ everywhere: { toolResults: 5, modelRequests: 5 }, spaces: {} });
  const places = await placesOf(backend.sql(), "kept conversation");
  expect(places).toContain("entries.body");
  expect(places).not.toContain("tool_results.content");
  expect(places).not.toContain("model_calls.params");
  const review = createReview(backend.sql());
  const { runs } = await review.thread(session, { limit: 5 });
  expect(await review.request(session, runs[0]?.calls[0]?.id ?? "")).toBe("forgotten");
});

test("a first message that was refused goes when it is old, though no thread began, and not while it is held", async () => {
  const sql = backend.sql();
  const refused = async (words: string, days: number, channel = "C1"): Promise<SessionId> => {
    const session = newSlackThread(channel);
    const inbound = world.say(session, SUE, words);
    const { id } = inbound;
    await world.stores.inbox.put(inbound, { rule: "guests: not allowed", isRefused: true });
    await sql.query({ text: "update inbox set received_at = now_ms() - $2::bigint where id = $1" }, [
      id,
      days * DAY_MS,
    ]);
    return session;
  };
  for (let each = 0; each < 12; each += 1) await refused("refused and old", 40);
  await refused("refused and young", 20);
  const held = await refused("refused and held", 40);
  await createHolds(sql).set("hf", { kind: "thread", subject: held }, "case 9", BOSS);
  await sweep({ everywhere: { conversations: 30 }, spaces: {} });
  await createHolds(sql).lift("hf", BOSS);
  expect(await placesOf(sql, "refused and old")).toEqual([]);
  expect(await placesOf(sql, "refused and young")).toContain("inbox.body");
  expect(await placesOf(sql, "refused and held")).toContain("inbox.body");
});

test("where every first message was refused nothing else is stored, and they go all the same", async () => {
  const sql = backend.sql();
  const at = async (session: string, words: string): Promise<void> => {
    const inbound = world.say(session as SessionId, SUE, words);
    await world.stores.inbox.put(inbound, { rule: "direct: nobody", isRefused: true });
    await sql.query({ text: "update inbox set received_at = now_ms() - $2::bigint where id = $1" }, [
      inbound.id,
      40 * DAY_MS,
    ]);
  };
  await at("discord:dm:D77", "refused directly");
  await at("slack:T77:C1:171.1", "refused elsewhere");
  expect(await createRetention(sql).spaces()).toContainEqual({ platform: "discord", space: "dm" });
  await sweep({ everywhere: {}, spaces: { "discord:dm": { conversations: 30 } } });
  expect(await placesOf(sql, "refused directly")).toEqual([]);
  expect(await placesOf(sql, "refused elsewhere")).toContain("inbox.body");
  await sweep({ everywhere: { conversations: 30 }, spaces: {} });
  expect(await placesOf(sql, "refused elsewhere")).toEqual([]);
});

test("a step that takes too long ends behind the thread that it is at, and the next one goes on there", async () => {
  const retention = createRetention(backend.sql());
  for (let each = 0; each < 3; each += 1) await aged(await answered(`slow words ${each}`), 90 - each);
  const place = { platform: "slack", space: "T1" } as const;
  const options = { olderThanMs: 80 * DAY_MS, limit: 10, mayGoOn: () => false };
  const first = await retention.forget(place, "conversations", options);
  expect(first.count).toBe(1);
  expect(await placesOf(backend.sql(), "slow words 0")).toEqual([]);
  expect(await placesOf(backend.sql(), "slow words 1")).toContain("entries.body");
  const { next = "" } = first;
  const second = await retention.forget(place, "conversations", { ...options, after: next });
  expect(await placesOf(backend.sql(), "slow words 1")).toEqual([]);
  const { mayGoOn: _, ...whole } = options;
  await retention.forget(place, "conversations", { ...whole, after: second.next ?? "" });
  expect(await placesOf(backend.sql(), "slow words")).toEqual([]);
});

test("a thread that cannot be forgotten stands in the way of no other one, and that it began is written down with the first that goes", async () => {
  const sql = backend.sql();
  const stuck = await answered("stuck words");
  await aged(stuck, 60);
  for (let each = 0; each < 3; each += 1) await aged(await answered("loose words"), 50 - each);
  await sql.query({
    text: `create function stuck() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`,
  });
  await sql.query({
    text: `create trigger stuck before delete on entries for each row when (old.session = '${stuck}') execute function stuck()`,
  });
  const before = (await forgotten()).length;
  await sweep({ everywhere: { conversations: 45, toolResults: 45 }, spaces: {} }, 1);
  expect(await placesOf(sql, "stuck words")).toContain("entries.body");
  expect(await placesOf(sql, "stuck words")).not.toContain("tool_results.content");
  expect(await placesOf(sql, "loose words")).toEqual([]);
  const lines = (await forgotten()).map(({ about }) => about);
  expect(lines.slice(0, lines.length - before)).toEqual([
    "toolResults 1, older than 45 days",
    "begins: toolResults older than 45 days",
    "conversations 3, older than 45 days",
    "begins: conversations older than 45 days",
  ]);
  await sql.query({ text: "drop trigger stuck on entries" });

  // Cut off behind the first thread, only its end is not written.
  await aged(stuck, 60);
  const audit = createAudit(sql);
  const write = (): Promise<never> => Promise.reject(new Error("killed"));
  await sweep({ everywhere: { conversations: 45 }, spaces: {} }, 10, { ...audit, write });
  expect(await placesOf(sql, "stuck words")).toEqual([]);
  expect((await forgotten())[0]?.about).toBe("begins: conversations older than 45 days");
});

test("lines of the audit log go only where that is configured, and not while anything of the space is held", async () => {
  const sql = backend.sql();
  const insert = {
    text: `insert into audit (platform, space, person, name, kind, at) values ('slack', 'T1', 'U', 'old admin', 'list', now_ms() - 800 * 86400000::bigint)`,
  };
  await sql.query(insert);
  await createHolds(sql).set("ha", { kind: "person", subject: "UX" }, "case 9", BOSS);
  await sweep({ everywhere: { audit: 730 }, spaces: {} });
  expect(await placesOf(sql, "old admin")).toEqual(["audit.name"]);
  await createHolds(sql).lift("ha", BOSS);
  await sweep({ everywhere: { audit: 730 }, spaces: {} });
  expect(await placesOf(sql, "old admin")).toEqual([]);
  await expect(sql.query({ text: "delete from audit" })).rejects.toThrow(/only ever added to/);
});
