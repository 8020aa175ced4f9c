// A thread of the local Discord as a surface: its contract, the thread that is opened by the first post, and what goes wrong.
import { MessageFlags } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { PAGE_SIZE } from "../../../src/adapters/discord/format.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import { createMembers } from "../../../src/adapters/discord/members.ts";
import { createDiscordConversation } from "../../../src/adapters/discord/conversation.ts";
import type { Urgency } from "../../../src/core/ports/pacer.ts";
import type { Fence } from "../../../src/core/ports/run-store.ts";
import { createPostedPages } from "../../../src/core/reply/posted-pages.ts";
import { reconcile } from "../../../src/core/reply/reconcile.ts";
import type { RunInfo } from "../../../src/core/run.ts";
import { sessionIdOf, type SessionId } from "../../../src/core/thread.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { MemoryPages } from "../../support/memory-pages.ts";
import { createLocalPacer } from "../../../src/adapters/local/pacer.ts";
import type { PageContent } from "../../../src/core/ports/surface.ts";
import { conversationContract } from "../../contract/conversation.ts";
import { surfaceContract } from "../../contract/surface.ts";
import { silentLog } from "../../support/silent-log.ts";
import { until } from "../../support/until.ts";
import { outboundWorld } from "./outbound-world.ts";

const page = (markdown: string): PageContent => ({ markdown, buttons: [] });
const stop = { action: "stop", label: "Stop", value: "run1" } as const;
const POST = "POST /channels/:channel/messages";
const EDIT = "PATCH /channels/:channel/messages/:message";
const START = "POST /channels/:channel/messages/:message/threads";

surfaceContract("Discord", async () => {
  const world = await outboundWorld();
  const { discord, surface, root } = world;
  return {
    subject: {
      surface,
      shown: () => Promise.resolve(world.shown().map(({ text }) => text)),
      deleteByPerson: (id) => Promise.resolve(discord.remove({ channel: root.id, id })),
    },
    close: async () => world[Symbol.asyncDispose](),
  };
});

let posts = 0;
conversationContract("Discord", async () => {
  const world = await outboundWorld({ rateLimits: { buckets: { [POST]: [50, 1] } } });
  const { api, discord, channel, ana, root, session, surface } = world;
  await surface.post("first", page("first"));
  return {
    subject: {
      conversation: createDiscordConversation(
        { api, members: createMembers({ api, clock: createSystemClock() }) },
        { app: discord.applicationId, user: discord.botId, name: "Bobbin" },
      ),
      session,
      say: async (text) => ana.say(root.id, text).id,
      answer: async (text) => void (await surface.post(`key-${++posts}`, page(text))),
      sayElsewhere: async (text) => void ana.say(channel, text),
    },
    close: async () => world[Symbol.asyncDispose](),
  };
});

test("a direct conversation says that it is the thread itself, however it is read, and a channel of a server does not", async () => {
  await using world = await outboundWorld();
  const { api, discord, ana } = world;
  const conversation = createDiscordConversation(
    { api, members: createMembers({ api, clock: createSystemClock() }) },
    { app: discord.applicationId, user: discord.botId, name: "Bobbin" },
  );
  ana.dm("between us");
  const direct = sessionIdOf({ platform: "discord", space: "dm", channel: ana.directChannel.id });
  const read = async (session: SessionId) =>
    conversation.read(session, { where: "channel", limit: 9 }, new AbortController().signal);
  expect(await read(direct)).toMatchObject({
    messages: [{ text: "between us", author: ana.id }],
    isOwnThread: true,
  });
  await world.surface.post("one", page("one"));
  const shown = await read(world.session);
  expect(shown).not.toHaveProperty("isOwnThread");
  expect(shown.messages).toMatchObject([{ id: world.root.id, author: ana.id }]);
});

test("the first post opens the thread below the message, once, and nothing stands in the channel", async () => {
  await using world = await outboundWorld();
  const { discord, surface, root } = world;
  expect(await surface.post("one", page("one"))).toMatchObject({ kind: "ok" });
  expect(await surface.post("two", page("two"))).toMatchObject({ kind: "ok" });
  expect(discord.threadNamed(root.id)).toMatchObject({ parent: root.channel, name: "hello" });
  expect(discord.callsOf(START)).toHaveLength(1);
  expect(world.shown().map(({ text }) => text)).toEqual(["one", "two"]);
  expect(discord.botOutsideOfThreads()).toEqual([]);
  expect(discord.complaints).toEqual([]);
});

test.each(["lost response", "status after"] as const)(
  "a start of the thread whose answer was lost (%s) is looked up and not made twice",
  async (kind) => {
    await using world = await outboundWorld();
    const { discord, surface } = world;
    discord.fault(START, kind === "status after" ? { kind, status: 502 } : { kind });
    expect(await surface.post("one", page("one"))).toMatchObject({ kind: "ok" });
    expect(discord.callsOf(START)).toHaveLength(1);
    expect(world.shown()).toHaveLength(1);
  },
);

test("two processes that post first at the same time have one thread and one message", async () => {
  await using world = await outboundWorld();
  const written = await Promise.all([
    world.surface.post("one", page("one")),
    world.another().post("one", page("one")),
  ]);
  expect(written.map(({ kind }) => kind)).toEqual(["ok", "ok"]);
  expect(world.shown()).toHaveLength(1);
});

test.each(["lost response", "status after"] as const)(
  "pitfall 7: a post whose answer was lost (%s) is found, and not doubled when it is said again, in this process or another",
  async (kind) => {
    await using world = await outboundWorld();
    const { discord, surface } = world;
    await surface.post("zero", page("zero"));
    discord.fault(POST, kind === "status after" ? { kind, status: 502 } : { kind }, { times: 2 });
    const withButton = { markdown: "said once", status: "Thinking", buttons: [stop] };
    expect(await surface.post("one", withButton)).toMatchObject({ kind: "unknown" });
    expect(await surface.post("two", page("said as well"))).toMatchObject({ kind: "unknown" });
    const [, one, two] = world.shown();
    expect(await surface.find("one")).toBe(one?.id);
    expect(await surface.find("two")).toBe(two?.id);
    const other = world.another();
    expect(await other.find("one")).toBe(one?.id);
    // Without a button nothing in the message tells; Discord knows it by its nonce.
    expect(await other.post("two", page("said as well"))).toEqual({ kind: "ok", message: two?.id });
    expect(world.shown()).toHaveLength(3);
  },
);

test("a reply of several pages whose worker dies at a lost answer stands there once, also when another takes it up after Discord has forgotten the nonce", async () => {
  let laterMs = 0;
  await using world = await outboundWorld({ nowMs: () => Date.now() + laterMs });
  const { discord, root, surface } = world;
  const footer = "1 s · 20 tokens";
  const contents = ["the same words", "the same words", "the end"].map((markdown) => ({
    ...page(markdown),
    footer,
  }));
  // An answer to an earlier question says just the same.
  await surface.post("earlier", contents[0]!);
  laterMs = 3_600_000;
  const rows = new MemoryPages();
  const run = {
    id: "run-2",
    session: world.session,
    cause: "message",
    epoch: 1,
    rounds: 1,
    usage: {},
    startedAt: Date.now() + laterMs,
    requester: { id: "1", name: "Ana" },
  } as unknown as RunInfo;
  const attempt = async (number: number) => {
    rows.newestFence = number;
    const fence: Fence = { session: world.session, run: run.id, number };
    const posted = createPostedPages(
      { surface: world.another(), pages: rows, log: silentLog, ticks: () => performance.now() },
      { run, fence, isNew: number === 1, isLive: () => true, fileNames: () => [] },
    );
    await posted.load();
    return posted;
  };
  // Each attempt dies at the answer of its first post, whether that has landed or not.
  const [landed, not] = [{ kind: "lost response" }, { kind: "status", status: 503 }] as const;
  const faults = [not, landed, not, landed, not, landed];
  for (const [index, fault] of faults.entries()) {
    const posted = await attempt(index + 1);
    discord.fault(POST, fault);
    for (const operation of reconcile(contents, posted.list())) {
      const step = await posted.perform(operation, "final");
      if (step.kind === "unknown") break;
      expect(step).toEqual({ kind: "done" });
    }
    expect(discord.unusedFaults).toBe(0);
    laterMs += 600_000;
  }
  const last = await attempt(faults.length + 1);
  for (const operation of reconcile(contents, last.list())) await last.perform(operation, "final");
  const words = ["the same words", "the same words", "the same words", "the end"];
  expect(
    discord
      .shown(root.id)
      .flatMap(({ authorId, text }) => (authorId === discord.botId ? [text.split("\n")[0]] : [])),
  ).toEqual(words);
});

test("a post that a person deleted before its answer was known counts as gone, and is not brought back", async () => {
  await using world = await outboundWorld();
  const { discord, surface, root } = world;
  await surface.post("zero", page("zero"));
  discord.fault(POST, { kind: "lost response" });
  await surface.post("one", page("one"));
  discord.remove({ channel: root.id, id: world.shown()[1]!.id });
  expect(await surface.post("one", page("one"))).toEqual({ kind: "gone", what: "message" });
});

test("an archived thread is opened again, by a post and by an edit; a locked one takes nothing", async () => {
  await using world = await outboundWorld();
  const { discord, surface, root } = world;
  const posted = await surface.post("one", page("one"));
  const message = posted.kind === "ok" ? posted.message : "";
  discord.archive(root.id);
  expect(await surface.edit(message, page("two"))).toMatchObject({ kind: "ok" });
  discord.archive(root.id);
  expect(await surface.post("three", page("three"))).toMatchObject({ kind: "ok" });
  expect(world.shown().map(({ text }) => text)).toEqual(["two", "three"]);
  discord.lock(root.id);
  expect(await surface.post("four", page("four"))).toEqual({ kind: "gone", what: "thread" });
  expect(await surface.edit(message, page("five"))).toEqual({ kind: "gone", what: "thread" });
  expect(await surface.remove(message)).toMatchObject({ kind: "ok" });
});

test("an archived thread stays closed when its writer has lost it amid the edit", async () => {
  await using world = await outboundWorld();
  const { discord, surface, root } = world;
  const posted = await surface.post("one", page("one"));
  const message = posted.kind === "ok" ? posted.message : "";
  discord.archive(root.id);
  let asked = 0;
  expect(await surface.edit(message, page("late"), () => ++asked === 1)).toMatchObject({ kind: "later" });
  expect(asked).toBe(2);
  expect(discord.callsOf("PATCH /channels/:channel")).toEqual([]);
  expect(world.shown().map(({ text }) => text)).toEqual(["one"]);
});

test("where many threads write, progress waits for its turn, and finals and new replies do not", async () => {
  const clock = manualClock();
  await using world = await outboundWorld({
    pacer: createLocalPacer(clock),
    rateLimits: { buckets: { [POST]: [50, 1], [EDIT]: [50, 1] } },
  });
  const posted = await world.surface.post("one", page("one"));
  const message = posted.kind === "ok" ? posted.message : "";
  const edit = (text: string, urgency: Urgency) =>
    world.surface.edit(message, page(text), undefined, urgency);
  const progress = [];
  for (let n = 0; n < 6; n++) progress.push((await edit(`${n}`, "progress")).kind);
  expect(progress).toEqual(["ok", "ok", "ok", "ok", "later", "later"]);
  expect(await edit("turn", "progress")).toEqual({ kind: "later", afterMs: 25, isTurn: true });
  expect(await world.surface.post("two", page("two"), undefined, "reply")).toMatchObject({ kind: "ok" });
  expect(await edit("whole", "final")).toMatchObject({ kind: "ok" });
  world.surface.leave?.();
  await clock.advance(1_000);
  expect(await edit("more", "progress")).toMatchObject({ kind: "ok" });
  expect(world.discord.callsOf(EDIT).map(({ status }) => status)).toEqual(Array(6).fill(200));
});

test("R24: a message older than an hour takes few edits: the next one comes later, and the reply goes on in it", async () => {
  let nowMs = Date.now();
  const clock = manualClock();
  await using world = await outboundWorld({
    nowMs: () => nowMs,
    rateLimits: { nowMs: () => nowMs },
    pacer: createLocalPacer(clock),
    clock,
  });
  const posted = await world.surface.post("one", page("one"));
  const message = posted.kind === "ok" ? posted.message : "";
  nowMs += 2 * 3_600_000;
  const kinds = [];
  for (let n = 0; n < 4; n++) kinds.push(await world.surface.edit(message, page(`${n}`)));
  expect(kinds.slice(0, 3).map(({ kind }) => kind)).toEqual(["ok", "ok", "ok"]);
  expect(kinds[3]).toMatchObject({ kind: "later" });
  expect(world.shown().map(({ text }) => text)).toEqual(["2"]);
  const afterMs = kinds[3]?.kind === "later" ? kinds[3].afterMs : 0;
  nowMs += afterMs;
  await clock.advance(afterMs);
  expect(await world.surface.edit(message, page("3"))).toMatchObject({ kind: "ok" });
  expect(world.shown().map(({ text }) => text)).toEqual(["3"]);
});

test("S14: no post shows a preview of a link, and no edit brings one", async () => {
  await using world = await outboundWorld();
  const link = page("[look](https://evil.example/?d=secret)");
  const posted = await world.surface.post("one", link);
  const message = posted.kind === "ok" ? posted.message : "";
  await world.surface.edit(message, { ...link, footer: "12 s" });
  const [post] = world.discord.callsOf(POST);
  const [edit] = world.discord.callsOf(EDIT);
  expect(post?.body).toMatchObject({ flags: MessageFlags.SuppressEmbeds });
  // Without flags an edit leaves them as they are.
  expect(edit?.body).not.toHaveProperty("flags");
  expect(edit?.body).not.toHaveProperty("embeds");
});

test("a thread that was deleted is gone, and so is one whose message was deleted before it was opened", async () => {
  await using world = await outboundWorld();
  const { discord, surface, root } = world;
  await surface.post("one", page("one"));
  discord.deleteThread(root.id);
  // A second thread below the message is not made.
  expect(await surface.post("two", page("two"))).toEqual({ kind: "gone", what: "thread" });
  await using other = await outboundWorld();
  other.discord.remove(other.root);
  expect(await other.surface.post("one", page("one"))).toEqual({ kind: "gone", what: "thread" });
});

test("a permission that is missing is said once in the channel, and the reply ends", async () => {
  await using world = await outboundWorld();
  const { discord, surface, channel } = world;
  discord.forbid("CreatePublicThreads", channel);
  expect(await surface.post("one", page("one"))).toEqual({ kind: "gone", what: "thread" });
  expect(await surface.post("two", page("two"))).toEqual({ kind: "gone", what: "thread" });
  expect(discord.botOutsideOfThreads().map(({ text }) => text)).toEqual([
    expect.stringContaining("Create Public Threads"),
  ]);
});

test("a server that is full of open threads is no thread that is gone: it is said once in the channel, and the next try may open it", async () => {
  await using world = await outboundWorld();
  const { discord, surface } = world;
  const full = { kind: "refused", status: 400, code: 160_006 } as const;
  const route = "POST /channels/:channel/messages/:message/threads";
  discord.fault(route, full, { times: 2 });
  expect(await surface.post("one", page("one"))).toMatchObject({ kind: "refused" });
  expect(await surface.post("one", page("one"))).toMatchObject({ kind: "refused" });
  expect(discord.botOutsideOfThreads().map(({ text }) => text)).toEqual([
    expect.stringContaining("as many open threads as Discord allows"),
  ]);
  expect(await surface.post("one", page("one"))).toMatchObject({ kind: "ok" });
});

test("a limit is waited for and not run into: the sixth post in five seconds comes later", async () => {
  await using world = await outboundWorld();
  const { discord, surface } = world;
  const written = [];
  for (const word of ["1", "2", "3", "4", "5", "6"]) written.push(await surface.post(word, page(word)));
  expect(written.at(-1)).toMatchObject({ kind: "later" });
  expect(discord.invalidRequests).toBe(0);
  discord.fault("PATCH /channels/:channel/messages/:message", { kind: "rate limited", retryAfterS: 7 });
  const message = world.shown()[0]!.id;
  const late = await surface.edit(message, page("edited"));
  expect(late.kind === "later" ? late.afterMs : 0).toBeGreaterThanOrEqual(7_000);
});

test("what had to wait for its turn is not sent when the lease has ended meanwhile", async () => {
  await using world = await outboundWorld();
  const { discord, surface } = world;
  const posted = await surface.post("one", page("one"));
  const mayAnswer = Promise.withResolvers<void>();
  discord.fault("PATCH /channels/:channel/messages/:message", { kind: "late", until: mayAnswer.promise });
  const id = posted.kind === "ok" ? posted.message : "";
  const first = surface.edit(id, page("two"));
  let isLive = true;
  const second = surface.edit(id, page("three"), () => isLive);
  await until(() => discord.unusedFaults === 0, { what: "the first edit is under way" });
  isLive = false;
  mayAnswer.resolve();
  expect(await first).toMatchObject({ kind: "ok" });
  expect(await second).toMatchObject({ kind: "later" });
  expect(world.shown().map(({ text }) => text)).toEqual(["two"]);
});

test("pitfall 12, R9, S14: nobody is pinged by a post or by an edit, and no link becomes a card", async () => {
  await using world = await outboundWorld();
  const { discord, surface, ana } = world;
  const hostile = page(`@everyone @here ${ana.mention} <@&${discord.guild.botRole}> https://example.org`);
  const posted = await surface.post("one", hostile);
  await surface.edit(posted.kind === "ok" ? posted.message : "", page(`${hostile.markdown} again`));
  expect(discord.complaints).toEqual([]);
  expect(world.shown()[0]?.flags).toBe(4);
  expect(world.shown()[0]?.text).toBe(`${hostile.markdown} again`);
});

test("a page as large as may be, with status, footer and buttons, is taken", async () => {
  await using world = await outboundWorld();
  const { surface } = world;
  const markdown = "word ".repeat(PAGE_SIZE / 5).trim();
  const full = { markdown, status: "s".repeat(500), footer: "f".repeat(500), buttons: [stop] };
  expect(await surface.post("one", { ...full, footer: "short" })).toMatchObject({ kind: "ok" });
  expect(await surface.post("two", page("word ".repeat(500)))).toEqual({ kind: "too_long" });
});
