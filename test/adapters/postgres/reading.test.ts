// The ports that are read by people and surfaces: pages, the web chat's messages, transcripts, the library's history.
import { randomBytes } from "node:crypto";
import { createAnswers } from "../../../src/adapters/postgres/answers.ts";
import { createConversation } from "../../../src/adapters/postgres/conversation.ts";
import { createInbox } from "../../../src/adapters/postgres/inbox.ts";
import { createHistory } from "../../../src/adapters/postgres/history.ts";
import { createPersonThreads } from "../../../src/adapters/postgres/person-threads.ts";
import { createWebInbox } from "../../../src/adapters/postgres/web-inbox.ts";
import { createWebMessages } from "../../../src/adapters/postgres/web-messages.ts";
import type { History } from "../../../src/core/ports/history.ts";
import type { WebMessages } from "../../../src/core/ports/web-messages.ts";
import type { InboundId } from "../../../src/core/ids.ts";
import { MUTE_RULE } from "../../../src/core/session-settings.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { expect, test } from "vitest";
import { answersCases } from "../../contract/answers.ts";
import { expectBroken, runContract } from "../../contract/contract.ts";
import { historyContract } from "../../contract/history.ts";
import { pagesCases, type PagesSubject } from "../../contract/pages.ts";
import { asRun, command, message as messageInbound, newSession } from "../../contract/store-samples.ts";
import { tool } from "../../support/agent-library.ts";
import { RunBench } from "../../support/run-bench.ts";
import { calls, reply } from "../../support/scripted-model.ts";
import { until } from "../../support/until.ts";
import { personThreadsCases } from "../../contract/person-threads.ts";
import { transcriptsCases } from "../../contract/transcripts.ts";
import type { RunStoreSubject } from "../../contract/run-store-subject.ts";
import { said, webMessagesCases } from "../../contract/web-messages.ts";
import { pgliteBackend, postgresBackend, shared } from "./backends.ts";
import { storesOver } from "./store-subject.ts";

const postgres = postgresBackend();
const pglite = pgliteBackend();

for (const { name, sql } of [postgres, pglite]) {
  runContract(
    `Answers: ${name}`,
    answersCases,
    shared(() => createAnswers(sql())),
  );
  runContract(
    `Pages: ${name}`,
    pagesCases,
    shared(() => storesOver(sql())),
  );
  runContract(
    `WebMessages: ${name}`,
    webMessagesCases,
    shared(() => createWebMessages(sql())),
  );
  runContract(
    `Transcripts: ${name}`,
    transcriptsCases,
    shared(() => storesOver(sql())),
  );
  runContract(
    `PersonThreads: ${name}`,
    personThreadsCases,
    shared(() => ({ ...storesOver(sql()), threads: createPersonThreads(sql()) })),
  );
  historyContract(name, () => ({
    subject: emptyHistory(createHistory(sql())),
    close: () => Promise.resolve(),
  }));

  test(`${name}: a message of the web chat is shown and waits for the bot, both or neither`, async () => {
    const { transcripts, store } = storesOver(sql());
    const messages = createWebMessages(sql());
    const arrivals = createWebInbox(sql());
    const session = newSession();
    const admitted = { rule: "admins: Ana is one" };
    const asked = messageInbound(session, "a\u0000b", { message: "m1" });
    const first = { session, id: "m1", speaker: "Ana", page: { markdown: "a\uFFFDb", buttons: [] } };
    const put = await arrivals.put(first, asked, admitted);
    expect(put?.stored).toMatchObject({ kind: "stored", running: false });
    expect(await messages.list(session)).toEqual([put?.row]);
    const [view, ...more] = await transcripts.inbounds(session);
    expect(more).toEqual([]);
    expect(view).toMatchObject({
      state: "waiting",
      inbound: { ...asked, at: put?.row.at, parts: [{ kind: "text", text: "a\uFFFDb" }] },
    });
    expect(asRun(await store.open(session, "w")).tail).toHaveLength(1);
    expect(await arrivals.put({ ...first, speaker: "Bo" }, messageInbound(session, "again"), admitted)).toBe(
      undefined,
    );
    const next = await arrivals.put({ ...first, id: "m2" }, messageInbound(session, "more"), admitted);
    expect(next?.stored).toMatchObject({ kind: "stored", running: true });
    expect((await messages.list(session)).map((row) => [row.id, row.speaker])).toEqual([
      ["m1", "Ana"],
      ["m2", "Ana"],
    ]);
    // More than an index takes.
    const tooLong = messageInbound(session, "never", {
      id: randomBytes(10_000).toString("hex") as InboundId,
    });
    await expect(arrivals.put({ ...first, id: "m3" }, tooLong, admitted)).rejects.toThrow();
    expect(await messages.get(session, "m3")).toBe(undefined);
  });

  test(`${name}: what is said in the web chat while the bot is muted is shown, and kept for why without its words, whoever says it`, async () => {
    const { inbox, transcripts } = storesOver(sql());
    const arrivals = createWebInbox(sql());
    const session = newSession();
    await inbox.put(messageInbound(session, "to the bot"));
    await inbox.put(command(session, { name: "mute", value: "on" }));
    const shown = { session, speaker: "Ana", page: { markdown: "among us", buttons: [] } };
    const guests = { rule: "guests: U3 is a guest", isRefused: true } as const;
    for (const [id, admission, rule] of [
      ["m1", { rule: "members: one" }, MUTE_RULE],
      ["m2", guests, guests.rule],
    ] as const) {
      const put = await arrivals.put(
        { ...shown, id },
        messageInbound(session, "among us", { message: id }),
        admission,
      );
      expect(put).toMatchObject({
        row: { page: { markdown: "among us" } },
        stored: { kind: "refused", rule },
      });
      const kept = (await transcripts.inbounds(session)).at(-1);
      expect(kept).toMatchObject({ rule, reason: rule, inbound: { message: id, parts: [] } });
    }
  });

  test(`${name}: a conversation is read newest first up to a limit, of a thread or of all threads of its channel`, async () => {
    const messages = createWebMessages(sql());
    const conversation = createConversation(sql());
    const channel = `c${newSession().split(":").at(-1)}`;
    const [one, two] = ["a", "b"].map((root) => `web:local:${channel}:${root}` as SessionId);
    if (one === undefined || two === undefined) throw new Error("two threads");
    await messages.insert(said(one, "m1", "first"));
    await messages.insert(said(two, "m2", "elsewhere"));
    await messages.insert(said(newSession(), "m0", "another channel"));
    await messages.insert({ ...said(one, "m3", "answer"), from: "bot", speaker: "Bobbin" });
    await messages.insert(said(one, "m4", "gone"));
    await messages.remove(one, "m4");
    const { signal } = new AbortController();
    const read = async (options: Parameters<typeof conversation.read>[1]): Promise<readonly string[]> =>
      (await conversation.read(one, options, signal)).messages.map((each) => each.text);
    expect(await read({ where: "thread", limit: 10 })).toEqual(["first", "answer"]);
    expect(await read({ where: "channel", limit: 10 })).toEqual(["first", "elsewhere", "answer"]);
    expect(await read({ where: "channel", limit: 2 })).toEqual(["elsewhere", "answer"]);
    expect(await read({ where: "thread", limit: 10, beforeId: "m3" })).toEqual(["first"]);
    expect(await read({ where: "thread", limit: 10, beforeId: "unknown" })).toEqual([]);
    const { messages: all, isPartial } = await conversation.read(one, { where: "thread", limit: 10 }, signal);
    const [, last] = all;
    expect(isPartial).toBe(false);
    expect((await conversation.read(one, { where: "thread", limit: 1 }, signal)).isPartial).toBe(true);
    expect(last).toMatchObject({ id: "m3", speaker: "Bobbin", isBot: true });
    await expect(
      conversation.read(one, { where: "thread", limit: 1 }, AbortSignal.abort()),
    ).rejects.toThrow();
  });

  test(`${name}: a thread that was reset is read from the reset on, by itself, and never a reply that is being written`, async () => {
    const messages = createWebMessages(sql());
    const conversation = createConversation(sql());
    const inbox = createInbox(sql());
    const channel = `c${newSession().split(":").at(-1)}`;
    const one = `web:local:${channel}:a` as SessionId;
    const two = `web:local:${channel}:b` as SessionId;
    const old = await messages.insert(said(one, "m1", "before"));
    await until(() => Date.now() > old.at, { what: "the clock has moved" });
    const asked = await messages.insert(said(one, "m2", "/reset"));
    await inbox.put(messageInbound(one, "before", { at: old.at }));
    await inbox.put(command(one, "reset", { at: asked.at }));
    await until(() => Date.now() > asked.at, { what: "the clock has moved" });
    await messages.insert(said(one, "m3", "after"));
    const running = { markdown: "", status: "Writing", buttons: [] };
    await messages.insert({ session: one, id: "m4", from: "bot", speaker: "Bobbin", page: running });
    const { signal } = new AbortController();
    const read = async (session: SessionId, where: "thread" | "channel"): Promise<readonly string[]> =>
      (await conversation.read(session, { where, limit: 10 }, signal)).messages.map((each) => each.text);
    expect(await read(one, "thread")).toEqual(["after"]);
    expect(await read(one, "channel")).toEqual(["after"]);
    expect(await read(two, "channel")).toEqual(["before", "/reset", "after"]);
  });
}

/** The history's suite uses fixed names and wants them empty; here each subject gives them names of its own. */
test("hostile text (NUL, lone surrogates, 1 MB) is stored and shown the same on every back end", async () => {
  const hostile = "a\u0000b \ud800 c \udc00 d 👩‍👩‍👧 \u202e";
  const clean = "a\ufffdb \ufffd c \ufffd d 👩‍👩‍👧 \u202e";
  const long = "wörd ".repeat(175_000);
  const seen = [];
  for (const { sql } of [postgres, pglite]) {
    const look = tool("look", `${hostile} ${long}`);
    // A reply is never as long: the model's own cap is far below.
    const b = new RunBench(
      sql(),
      [calls(["c1", "look", { hostile }]), reply({ deltas: [hostile, " wörd".repeat(4_000), " end"] })],
      {
        tools: [look],
      },
    );
    await b.say(`${hostile} ${long}`);
    await b.rest();
    expect(await b.problems()).toEqual([]);
    const entries = await b.stores.transcripts.entries(b.session);
    seen.push({
      shown: b.thread.texts(),
      stored: entries.map(({ body }) => body).map((body) => ("inbound" in body ? body.parts : body)),
      asked: b.asked(2),
    });
  }
  const [onPostgres, onPglite] = seen;
  expect(onPglite).toEqual(onPostgres);
  // Signs that turn what follows around are stored, and shown to nobody.
  expect(onPostgres?.shown.join(" ")).toContain(clean.replace("\u202e", ""));
  expect(onPostgres?.shown.join(" ")).not.toContain("\u202e");
  expect(onPostgres?.shown.join(" ")).toContain("end");
  expect(JSON.stringify(onPostgres?.stored)).toContain(clean);
  expect(JSON.stringify(onPostgres)).not.toMatch(/\\u0000|\\ud[89a-f]/);
  expect(Buffer.byteLength(JSON.stringify(onPostgres?.stored))).toBeGreaterThan(1_000_000);
});

function emptyHistory(history: History): History {
  const suffix = newSession();
  return {
    append: (session, bodies) => history.append(`${session}${suffix}`, bodies),
    read: (session, options) => history.read(`${session}${suffix}`, options),
  };
}

function brokenPages(change: (subject: PagesSubject) => Partial<PagesSubject["pages"]>) {
  return shared<PagesSubject>(() => {
    const stores = storesOver(postgres.sql());
    return { ...stores, pages: { ...stores.pages, ...change(stores) } };
  });
}

expectBroken(
  "swallows a stale fence",
  pagesCases,
  brokenPages(({ pages }) => ({ put: (fence, page) => pages.put(fence, page).catch(() => {}) })),
  { noticedBy: ["a fence that is not the newest is refused with stale_fence and changes nothing"] },
);

expectBroken(
  "lists pages backwards",
  pagesCases,
  brokenPages(({ pages }) => ({ list: async (run) => (await pages.list(run)).toReversed() })),
  { noticedBy: ["pages come back in reading order, each as it was last put"] },
);

expectBroken(
  "owes an answer to each delivery of a command",
  answersCases,
  shared(() => ({ ...createAnswers(postgres.sql()), owe: () => Promise.resolve(true) })),
  {
    noticedBy: [
      "of the deliveries of one command, also at once, one owes its answer, and what it said first is kept",
    ],
  },
);

test("a statement that has to read a whole table is not compiled first", async () => {
  const lines = await postgres
    .sql()
    .query<{ "QUERY PLAN": string }>(
      { name: "test-plan", text: "explain (analyze) select epoch from sessions where touched_at > $1" },
      [0],
    );
  const plan = lines.map((line) => line["QUERY PLAN"]).join("\n");
  expect(plan).toContain("Execution Time");
  expect(plan).not.toContain("JIT");
});

function brokenMessages(change: (messages: WebMessages) => Partial<WebMessages>) {
  return shared(() => {
    const messages = createWebMessages(postgres.sql());
    return { ...messages, ...change(messages) };
  });
}

expectBroken(
  "replaces a message by a second insert",
  webMessagesCases,
  brokenMessages((messages) => ({
    async insert(message) {
      const row = await messages.insert(message);
      return (await messages.update(message.session, message.id, message.page)) ?? row;
    },
  })),
  { noticedBy: ["a second insert with an id changes nothing and answers the row as it stands"] },
);

expectBroken(
  "sorts by the last change",
  webMessagesCases,
  brokenMessages((messages) => ({
    list: async (...args) => (await messages.list(...args)).toSorted((a, b) => a.revision - b.revision),
  })),
  { noticedBy: ["messages are listed in the order of their creation, whatever is changed later"] },
);

expectBroken(
  "keeps deletions to itself",
  webMessagesCases,
  brokenMessages((messages) => ({
    list: async (...args) => (await messages.list(...args)).filter((each) => !each.deleted),
  })),
  { noticedBy: ["every change raises the revision, and a list since one has exactly what changed after it"] },
);

expectBroken(
  "forgets attempts that are over",
  transcriptsCases,
  shared<RunStoreSubject>(() => {
    const stores = storesOver(postgres.sql());
    return {
      ...stores,
      transcripts: {
        ...stores.transcripts,
        runs: async (session) =>
          (await stores.transcripts.runs(session)).map((run) => ({
            ...run,
            attempts: run.attempts.slice(-1),
          })),
      },
    };
  }),
  { noticedBy: ["runs come oldest first with cause, outcome and every attempt"] },
);
