// What is kept of a branch, and the copy of a history: see src/core/ports/branches.ts.
import { beforeAll, expect, test } from "vitest";
import { createBranches } from "../../../src/adapters/postgres/branches.ts";
import { createPersonThreads } from "../../../src/adapters/postgres/person-threads.ts";
import { settledBorder } from "../../../src/core/branch/border.ts";
import type { CommandInbound } from "../../../src/core/inbound.ts";
import type { Branches, Trunk } from "../../../src/core/ports/branches.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { finish, running } from "../../contract/run-store-subject.ts";
import {
  answer,
  asRun,
  command,
  deletion,
  edit,
  message,
  modelCall,
  newSession,
  result,
  round,
} from "../../contract/store-samples.ts";
import { postgresBackend } from "./backends.ts";
import { storesOver, type Stores } from "./store-subject.ts";

const postgres = postgresBackend();
let stores: Stores;
let branches: Branches;
beforeAll(() => {
  stores = storesOver(postgres.sql());
  branches = createBranches(postgres.sql());
});

const open = (rule = "all"): { readonly rule: string } => ({ rule });

async function trunkOf(session: SessionId, about?: string): Promise<Trunk> {
  const trunk = await branches.look(session, about);
  if (trunk === undefined) throw new Error("there is no session");
  return trunk;
}

/** Owes a branch at the newest border, as the command does. */
async function owe(session: SessionId, more: Partial<CommandInbound> = {}): Promise<CommandInbound> {
  const asked = command(session, { name: "branch" }, more);
  const trunk = await trunkOf(session);
  const known = trunk.unfinished === undefined ? {} : { unfinished: trunk.unfinished };
  const border = settledBorder(trunk.lines, known);
  if (border === undefined) throw new Error("there is no border");
  await branches.put(asked, open(), { ...border, epoch: trunk.epoch, label: trunk.label });
  return asked;
}

async function branchOf(session: SessionId): Promise<SessionId> {
  const { id } = await owe(session);
  const to = newSession();
  await branches.opened(id, to);
  await branches.copy(id);
  return to;
}

/** What the model reads: entries without their places. */
async function bodies(session: SessionId): Promise<readonly unknown[]> {
  return (await stores.transcripts.entries(session)).map(({ body }) => body);
}

async function talk(session: SessionId, text: string): Promise<void> {
  await stores.inbox.put(message(session, text));
  await finish(stores, asRun(await stores.store.open(session, "w")), `answer to ${text}`);
}

test("the copy has every entry in its order, as it was admitted, and what its model is told beside them", async () => {
  const run = await running(stores, "one", "two");
  const call = modelCall(`${run.session}/call`, { firstSeq: 1, lastSeq: 2 });
  const calls = [{ id: "c1", name: "clock", arguments: "{}" }];
  await stores.store.commitRound(
    run.fence,
    { ...round(1, answer("", calls), result("c1", "noon")), modelCalls: [call] },
    { prompt: call.prompt, tools: call.tools },
  );
  await finish(stores, { ...run, run: { ...run.run, rounds: 1 } });
  const to = await branchOf(run.session);
  const [was, is] = await Promise.all([run.session, to].map((one) => stores.transcripts.entries(one)));
  expect(is).toEqual(was);
  expect(is).toHaveLength(5);
  await stores.inbox.put(message(to, "go on"));
  const next = asRun(await stores.store.open(to, "w"));
  expect(next.frozen).toEqual({ prompt: call.prompt, tools: call.tools });
  expect(next.tail.map(({ body }) => body)).toEqual([...(await bodies(run.session)), expect.anything()]);
  expect(next.tail.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
  // Each goes its own way from here.
  await finish(stores, next);
  await talk(run.session, "three");
  expect(await bodies(to)).toHaveLength(7);
  expect(await bodies(run.session)).toHaveLength(7);
});

test("a branch is a thread of whoever asked for it, from when it is there, also before anybody writes in it", async () => {
  const threads = createPersonThreads(postgres.sql());
  const session = newSession();
  const by = { author: { id: `U${session.slice(-12)}`, name: "Ben" } };
  await talk(session, "one");
  const asked = await owe(session, by);
  const of = () => threads.of("web", "local", by.author.id, 10);
  expect(await of()).toEqual([]);
  const to = newSession();
  await branches.opened(asked.id, to);
  await branches.copy(asked.id);
  expect(await of()).toMatchObject([{ session: to, label: "one", state: { kind: "new" } }]);
  await talk(to, "two");
  expect(await of()).toMatchObject([{ session: to, label: "one", state: { kind: "ended", reason: "stop" } }]);
});

test("a settled reply of the old thread has the entries of its own thread only, though the copy keeps the names of runs", async () => {
  const run = await running(stores, "one");
  await stores.store.end(run.fence, { reason: "stop", round: round(1, answer("a")), modelCalls: [] });
  await branchOf(run.session);
  const settle = await stores.store.open(run.session, "other");
  expect(settle.kind === "settle" && settle.entries).toHaveLength(2);
});

test("nothing of a run that is under way is copied, and a message of it is known as such", async () => {
  const session = newSession();
  await talk(session, "one");
  const waits = message(session, "two");
  await stores.inbox.put(waits);
  const { run } = asRun(await stores.store.open(session, "w"));
  const trunk = await trunkOf(session, waits.message);
  expect(trunk).toMatchObject({ unfinished: run.id, asked: { run: run.id }, label: "one" });
  expect(await bodies(await branchOf(session))).toHaveLength(2);
});

test("a message is found by its id, also a page of the bot's, and what the bot had nothing to do with is not", async () => {
  const session = newSession();
  const first = message(session, "one");
  await stores.inbox.put(first);
  const run = asRun(await stores.store.open(session, "w"));
  await stores.pages.put(run.fence, { run: run.run.id, index: 0, key: "k", message: "page-1" });
  await finish(stores, run);
  await talk(session, "two");
  for (const about of [first.message, "page-1"])
    expect((await trunkOf(session, about)).asked).toEqual({ run: run.run.id });
  expect((await trunkOf(session, "another's")).asked).toBe(undefined);
  const elsewhere = newSession();
  await talk(elsewhere, "x");
  expect((await trunkOf(elsewhere, "page-1")).asked).toBe(undefined);
  expect(await branches.look(newSession())).toBe(undefined);
});

test("a branch of a branch: its label, its border behind what was copied, and its own copy", async () => {
  const session = newSession();
  await talk(session, "the word is heron");
  const first = await branchOf(session);
  const root = first.split(":").at(-1);
  expect(await trunkOf(first, root)).toMatchObject({ label: "the word is heron", asked: { seq: 2 } });
  await talk(first, "and egret");
  const second = await branchOf(first);
  expect(await bodies(second)).toEqual(await bodies(first));
  expect(await bodies(second)).toHaveLength(4);
});

test("what was taken back or corrected, and waits to be told, is told in the new thread as well", async () => {
  const session = newSession();
  const [said, other] = [message(session, "one"), message(session, "two")];
  await stores.inbox.put(said);
  await stores.inbox.put(other);
  await finish(stores, asRun(await stores.store.open(session, "w")));
  await stores.inbox.put(edit(said, "one, corrected"));
  await stores.inbox.put(deletion(other));
  const to = await branchOf(session);
  const copied = await stores.transcripts.entries(to);
  expect(copied.map(({ body }) => body.kind)).toEqual(["user", "user", "assistant", "note", "note"]);
  expect(JSON.stringify(copied.slice(3))).toMatch(/one, corrected.*deleted an earlier message/);
  await stores.inbox.put(message(to, "go on"));
  expect(asRun(await stores.store.open(to, "w")).tail.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
});

test("title, model and effort are the same there; who follows and who is quiet is each thread's own", async () => {
  const session = newSession();
  await talk(session, "one");
  for (const wanted of [
    { name: "title", value: "Herons" },
    { name: "model", value: "m2" },
    { name: "effort", value: "high" },
    { name: "follow", value: "mention" },
  ] as const)
    await stores.inbox.put(command(session, wanted));
  const to = await branchOf(session);
  expect(await stores.transcripts.settings(to)).toEqual({
    ...(await stores.transcripts.settings(session)),
    follow: "thread",
  });
  expect(await stores.transcripts.settings(to)).toMatchObject({
    title: { text: "Herons", source: "person" },
    model: "m2",
    effort: "high",
  });
  const [recent] = await stores.transcripts.recent("web", "local", "general", 1);
  expect(recent).toMatchObject({ label: "Herons" });
});

test("a reset after it was asked for takes nothing from it, and before it leaves nothing to branch", async () => {
  const session = newSession();
  await talk(session, "one");
  const { id } = await owe(session);
  await stores.inbox.put(command(session, "reset"));
  expect((await trunkOf(session)).lines).toEqual([]);
  const to = newSession();
  await branches.opened(id, to);
  await branches.copy(id);
  expect(await bodies(to)).toHaveLength(2);
});

test("who was called in the new thread before it had its history: the history stands before what was said there", async () => {
  const session = newSession();
  await talk(session, "one");
  const { id } = await owe(session);
  const to = newSession();
  await talk(to, "quick");
  await branches.opened(id, to);
  await branches.copy(id);
  expect(await bodies(to)).toEqual([...(await bodies(session)), ...(await bodies(to)).slice(2)]);
  await stores.inbox.put(message(to, "go on"));
  const { tail } = asRun(await stores.store.open(to, "w"));
  expect(tail.map(({ body }) => body)).toEqual([...(await bodies(session)), ...(await bodies(to)).slice(2)]);
  expect(tail).toHaveLength(5);
});

test("a message that waits there is answered with the history", async () => {
  const session = newSession();
  await talk(session, "one");
  const { id } = await owe(session);
  const to = newSession();
  await stores.inbox.put(message(to, "quick"));
  await branches.opened(id, to);
  await branches.copy(id);
  expect(asRun(await stores.store.open(to, "w")).tail.map(({ seq }) => seq)).toEqual([1, 2, 3]);
});

test("however often each step is made, also at once, there is one branch with one thread and one copy", async () => {
  const session = newSession();
  await talk(session, "one");
  const asked = command(session, { name: "branch" });
  const from = { upTo: 2, entries: 2, epoch: 1, label: "one" };
  const puts = await Promise.all([1, 2, 3].map(() => branches.put(asked, open(), from)));
  expect(puts.map(({ kind }) => kind).toSorted()).toEqual(["duplicate", "duplicate", "stored"]);
  const taken = await Promise.all([1, 2, 3].map(() => branches.take(60_000, asked.id)));
  expect(taken.filter((one) => one !== undefined)).toMatchObject([
    { id: asked.id, from: session, entries: 2, label: "one", by: "Ana", isAgain: false, isCopied: false },
  ]);
  const [to, other] = [newSession(), newSession()];
  expect(await branches.opened(asked.id, to)).toBe(true);
  expect(await branches.opened(asked.id, other)).toBe(false);
  await Promise.all([1, 2, 3].map(() => branches.copy(asked.id)));
  expect(await bodies(to)).toHaveLength(2);
  expect(await branches.take(60_000, asked.id)).toBe(undefined);
  expect(await branches.take(0, asked.id)).toMatchObject({ to, isCopied: true, isAgain: true });
  await branches.done(asked.id);
  expect(await branches.take(0, asked.id)).toBe(undefined);
});

test("one thread is never two branches', and what was refused is known as that", async () => {
  const session = newSession();
  await talk(session, "one");
  const [first, second] = [await owe(session), await owe(session)];
  const to = newSession();
  expect(await branches.opened(first.id, to)).toBe(true);
  expect(await branches.opened(second.id, to)).toBe(false);
  await branches.refused(second.id, "No.");
  expect(await branches.take(0, second.id)).toMatchObject({ refusal: "No." });
  await branches.copy(second.id);
  expect(await branches.take(0, second.id)).toMatchObject({ isCopied: false });
});

test("who may not is kept as refused, and nothing is owed", async () => {
  const session = newSession();
  await talk(session, "one");
  const asked = command(session, { name: "branch" });
  const from = { upTo: 2, entries: 2, epoch: 1, label: "one" };
  const stored = await branches.put(asked, { rule: "commands.branch", isRefused: true }, from);
  expect(stored).toMatchObject({ kind: "refused", rule: "commands.branch" });
  expect(await branches.take(0, asked.id)).toBe(undefined);
});
