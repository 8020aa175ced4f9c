// What was erased goes on standing in the local Slack: neither the tool that reads back nor a first turn brings it in again.
import { beforeEach, afterEach, describe, expect, test } from "vitest";
import { createErasures } from "../../../src/adapters/postgres/admin/erasures.ts";
import { createErasedWords } from "../../../src/adapters/postgres/erased-words.ts";
import { createEarlierMessagesTool } from "../../../src/adapters/tools/earlier-messages.ts";
import { withoutErased } from "../../../src/core/context/without-erased.ts";
import type { ErasedThing } from "../../../src/core/ports/erasures.ts";
import { sessionIdOf, type SessionId } from "../../../src/core/thread.ts";
import { answer, asRun, message, round } from "../../contract/store-samples.ts";
import type { Person, Said } from "../../support/slack/person.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "../postgres/backends.ts";
import { storesOver } from "../postgres/store-subject.ts";
import { outboundWorld, type OutboundWorld } from "./outbound-world.ts";
import { backlogOf, conversationIn } from "./read-back.ts";

const backend = postgresBackend();

let world: OutboundWorld;
let bo: Person;
beforeEach(async () => {
  world = await outboundWorld();
  bo = world.slack.person("bo");
});
afterEach(() => world[Symbol.asyncDispose]());

const never = new AbortController().signal;
const page = (markdown: string) => ({ markdown, buttons: [] });

const conversation = () => withoutErased(conversationIn(world), createErasedWords(backend.sql()));

/** What the model's tool answers. */
async function toldOf(session: SessionId, where: "thread" | "channel"): Promise<string> {
  const tool = createEarlierMessagesTool({ conversation: conversation() });
  const context = {
    signal: never,
    session,
    run: "r",
    call: "c",
    progress: () => {},
    usage: () => ({}),
    spent: () => {},
    offer: () => {},
  };
  return String(await tool.run(tool.parse({ where }), context));
}

/** The bot has heard it, as it would have come in. */
async function heard(by: Person, said: Said, root: Said, admission = {}): Promise<SessionId> {
  const { slack, channel } = world;
  const session = sessionIdOf({ platform: "slack", space: slack.teamId, channel: channel.id, root: root.ts });
  const author = { id: by.id, name: by.name };
  const more = { message: said.ts, author, at: Math.round(Number(said.ts) * 1000) };
  await storesOver(backend.sql()).inbox.put(message(session, "heard", more), { rule: "", ...admission });
  return session;
}

async function answered(session: SessionId): Promise<void> {
  const { store } = storesOver(backend.sql());
  const { fence } = asRun(await store.open(session, "w"));
  await store.end(fence, { reason: "stop", round: round(1, answer("well")), modelCalls: [] });
  await store.settled(fence);
}

let count = 0;
/** Resolves when what is said next is surely said later. */
async function erase(thing: ErasedThing): Promise<void> {
  const erasures = createErasures(backend.sql());
  const id = `e${++count}`;
  const who = { platform: "slack", space: world.slack.teamId, person: "UBOSS", name: "Bea" } as const;
  expect(await erasures.begin(id, thing, "asked for", who)).toEqual({ kind: "begun" });
  for (const session of await erasures.left(id)) await erasures.erase(id, session);
  await erasures.finish(id);
  const { doneAt = 0 } = (await erasures.get(who, id)) ?? {};
  await until(() => Date.now() > doneAt + 1, { what: "the erasure is past" });
}

describe("what Slack still shows", () => {
  test("of an erased thread is not read back, in the thread or the channel, and what is said later is", async () => {
    const { ana, channel, root, session, surface } = world;
    ana.say(channel, "the code is zanzibar", { thread: root });
    await heard(ana, root, root);
    await surface.post("k1", page("so it is zanzibar"));
    await answered(session);
    const other = ana.say(channel, "of something else");
    expect(await toldOf(session, "thread")).toContain("zanzibar");
    await erase({ kind: "thread", subject: session });
    ana.say(channel, "begun anew", { thread: root });
    const thread = await toldOf(session, "thread");
    expect(thread).toContain("begun anew");
    expect(thread).not.toMatch(/zanzibar|hello/);
    const beside = await heard(ana, other, other);
    for (const from of [session, beside]) {
      const told = await toldOf(from, "channel");
      expect(told).toContain("of something else");
      expect(told).not.toContain("hello");
    }
  });

  test("of an erased person is not read back by anybody, nor what the bot said where it may quote; what others said is", async () => {
    const { ana, channel, root, session, surface } = world;
    const ci = world.slack.otherBot("ci");
    await heard(ana, root, root);
    await surface.post("k2", page("quoting quagga"));
    await heard(bo, bo.say(channel, "mine is okapi", { thread: root }), root);
    ci.say(channel, "build seven", { thread: root });
    await answered(session);
    const aside = bo.say(channel, "nothing of hers");
    const elsewhere = await heard(bo, aside, aside);
    ana.say(channel, "she wrote beside it", { thread: aside });
    await erase({ kind: "person", subject: ana.id });
    ana.say(channel, "she goes on", { thread: root });
    const thread = await toldOf(session, "thread");
    for (const word of ["okapi", "build seven", "she goes on"]) expect(thread).toContain(word);
    expect(thread).not.toMatch(/hello|quagga/);
    // The bot had heard nothing of hers there.
    const other = await toldOf(elsewhere, "thread");
    expect(other).toContain("nothing of hers");
    expect(other).not.toContain("beside it");
  });

  test("of a thread that had only been refused is not noted for its first turn", async () => {
    const { ana, channel, slack } = world;
    const root = ana.say(channel, "tell me of bongo");
    const session = await heard(ana, root, root, { isRefused: true });
    await erase({ kind: "thread", subject: session });
    bo.say(channel, "so it goes", { thread: root });
    const call = bo.say(channel, `${slack.botMention} what now?`, { thread: root });
    await heard(bo, call, root);
    const { store } = storesOver(backend.sql());
    await backlogOf(backend.sql(), conversation())(session, never);
    const { tail } = asRun(await store.open(session, "w"));
    const first = JSON.stringify(tail[0]?.body);
    expect(first).toContain("so it goes");
    expect(first).not.toContain("bongo");
  });
});
