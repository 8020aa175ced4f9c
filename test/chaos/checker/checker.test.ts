// The checker of chaos runs: a record in which all is well has nothing broken, and each thing that must not be is found in it.
import { expect, test } from "vitest";
import { answerTo, recipeOf } from "../recipe.ts";
import { check } from "./check.ts";
import type { Act, ChaosRecord, EntryRow, NotedWrite } from "./record.ts";

const seed = 5;
const session = "slack:T1:C1:1.1";
const [worker, other] = ["host/10", "host/20"];
const answer = answerTo(1, recipeOf(seed, 1).words).join(" ");
const question: Act = {
  kind: "question",
  tag: 1,
  session,
  message: "1.1",
  taken: true,
  mayBeIgnored: false,
};

const entry = (seq: number, kind: string, more: Partial<EntryRow>): EntryRow => ({
  session,
  epoch: 1,
  seq,
  run: "r1",
  kind,
  inbound: null,
  body: {},
  ...more,
});
let writes = 0;
const write = (
  of: string,
  was: NotedWrite["was"],
  now: NotedWrite["now"],
  more: Partial<NotedWrite> = {},
): NotedWrite => ({
  n: ++writes,
  writer: worker,
  of,
  session,
  fence: 1,
  owner: worker,
  was,
  now,
  ...more,
});
const call = { id: "c1", name: "book_seat", arguments: '{"order":"1-1"}' };
const request = (...messages: readonly object[]): string =>
  JSON.stringify({
    model: "fake",
    messages: [{ role: "user", content: "ask-1" }, ...messages],
    tools: [{ type: "function", function: { name: "book_seat", parameters: { type: "object" } } }],
  });

/** One question, one run with one call, one answer on one page. */
const well: ChaosRecord = {
  seed,
  acts: [question],
  threads: [
    { session, isGone: false, fromBot: [{ id: "1.2", text: `Working.\n\n${answer}\n2 s`, buttons: [] }] },
  ],
  strays: [],
  complaints: [],
  requests: [request()],
  deeds: [{ order: "1-1", tool: "book_seat", session, run: "r1", call: "c1", pid: 10, at: 1 }],
  inbox: [
    {
      seq: 1,
      id: "in1",
      session,
      kind: "message",
      message: "1.1",
      state: "done",
      run: "r1",
      fate: "answered",
      reason: null,
    },
  ],
  runs: [
    {
      id: "r1",
      session,
      cause: "message",
      started_at: 1,
      reply: "settled",
      reason: "stop",
      error_code: null,
      retry_of: null,
    },
  ],
  attempts: [{ run: "r1", session, fence: 1, worker, ended: "ended" }],
  entries: [
    entry(1, "user", { inbound: "in1" }),
    entry(2, "assistant", { body: { text: "Working.", calls: [call] } }),
    entry(3, "tool", { body: { call: "c1" } }),
    entry(4, "assistant", { body: { text: answer, calls: [] } }),
  ],
  pages: [{ run: "r1", index: 0, key: "r1-1-0", message: "1.2" }],
  goals: [],
  goalEvents: [],
  modelCalls: [],
  shown: [{ call: "m1", session, outcome: "done", body: request(), isSame: true }],
  writes: [
    write("sessions", { fence: 0 }, { fence: 1 }),
    write("entries", null, { run: "r1", seq: 1 }),
    write("inbox", { id: "in1", state: "waiting", fate: null }, { id: "in1", state: "admitted", fate: null }),
    write("pages", null, { run: "r1", key: "r1-1-0" }),
    write(
      "inbox",
      { id: "in1", state: "admitted", fate: null },
      { id: "in1", state: "done", fate: "answered" },
    ),
    write("runs", { id: "r1", reply: "settling" }, { id: "r1", reply: "settled" }),
  ],
};

const first = <T>(list: readonly T[]): T => {
  const [one] = list;
  if (one === undefined) throw new Error("an empty list");
  return one;
};
const shown = (...texts: readonly string[]): ChaosRecord["threads"] => [
  { session, isGone: false, fromBot: texts.map((text, at) => ({ id: `1.${at + 2}`, text, buttons: [] })) },
];

test("a record in which all is well has nothing broken", () => {
  expect(check(well)).toEqual([]);
});

test("what was answered before a run was stopped is there for the run that tries it again, and only for that one", () => {
  const again = { ...first(well.runs), id: "r2", cause: "retry" };
  const runs = (retried: string | null) => [...well.runs, { ...again, retry_of: retried }];
  const threads = [
    {
      session,
      isGone: false,
      fromBot: [...first(well.threads).fromBot, { id: "1.3", text: "Nothing more.", buttons: [] }],
    },
  ];
  const record = {
    ...well,
    threads,
    inbox: [{ ...first(well.inbox), run: "r2" }],
    pages: [...well.pages, { run: "r2", index: 0, key: "r2-1-0", message: "1.3" }],
  };
  expect(check({ ...record, runs: runs("r1") })).toEqual([]);
  expect(check({ ...record, runs: runs(null) }).map(({ invariant }) => invariant)).toEqual([FINAL]);
});

const FATED = "every inbound that was acknowledged has exactly one fate";
const FINAL = "every thread's final is there exactly once and whole";
const STALE = "no stale write was accepted";
const VALID = "every history is valid for a strict provider";

test.each<[what: string, invariant: string, broken: Partial<ChaosRecord>]>([
  ["a message that was acknowledged and not stored", FATED, { inbox: [], entries: [], threads: shown() }],
  ["a message that was stored twice", FATED, { inbox: [...well.inbox, { ...first(well.inbox), id: "in2" }] }],
  [
    "a message that waits to the end",
    FATED,
    { inbox: [{ ...first(well.inbox), state: "waiting", fate: null, run: null }] },
  ],
  [
    "a message that was cancelled by nobody",
    FATED,
    { inbox: [{ ...first(well.inbox), fate: "cancelled", reason: "stop" }] },
  ],
  ["a message that was refused", FATED, { inbox: [{ ...first(well.inbox), fate: "refused" }] }],
  [
    "a fate that changed",
    FATED,
    {
      writes: [
        ...well.writes,
        write(
          "inbox",
          { id: "in1", state: "done", fate: "answered" },
          { id: "in1", state: "done", fate: "failed" },
        ),
      ],
    },
  ],
  [
    "a fate that was taken back",
    FATED,
    { writes: [...well.writes, write("inbox", { id: "in1", state: "done", fate: "answered" }, null)] },
  ],
  [
    "a message that is answered and stands in no history",
    "every message stands in the history once",
    { entries: well.entries.map((one) => ({ ...one, inbound: null })) },
  ],
  [
    "a message that stands in the history twice",
    "every message stands in the history once",
    { entries: [...well.entries, entry(5, "user", { inbound: "in1" })] },
  ],
  ["an answer that is cut", FINAL, { threads: shown(`Working.\n\n${answer.slice(0, -6)}`) }],
  ["an answer with a hole", FINAL, { threads: shown(`Working.\n\n${answer.replace("w2of1 ", "")}`) }],
  ["an answer that is not there", FINAL, { threads: shown() }],
  ["a page that belongs to no run", FINAL, { threads: shown(`Working.\n\n${answer}`, "Thinking…") }],
  ["an answer that stands there twice", FINAL, { threads: shown(`Working.\n\n${answer}`, answer) }],
  [
    "an answer that seems to be written still",
    FINAL,
    {
      threads: [
        {
          session,
          isGone: false,
          fromBot: [{ id: "1.2", text: `Working.\n\n${answer}`, buttons: ["stop"] }],
        },
      ],
    },
  ],
  ["a run that is never settled", FINAL, { runs: [{ ...first(well.runs), reply: "settling" }] }],
  ["a run without a page", FINAL, { pages: [] }],
  [
    "a run that is parked without Retry",
    FINAL,
    { runs: [{ ...first(well.runs), reason: "error", error_code: "attempts_used_up" }] },
  ],
  [
    "too many runs that are parked",
    "at most one run in a hundred is parked, with a notice and Retry",
    { runs: ["r1", "r2"].map((id) => ({ ...first(well.runs), id, reason: "error" })) },
  ],
  ["words of the bot in the channel", "nothing stands in the channel root", { strays: ["Hello"] }],
  [
    "a ping that nobody asked for",
    "nothing that the platform or people would punish",
    { complaints: ["ping: @here"] },
  ],
  [
    "a seat that was booked twice",
    "no side effect of a tool not marked read happened twice",
    { deeds: [...well.deeds, { ...first(well.deeds), pid: 20 }] },
  ],
  ["a call without a result", VALID, { entries: well.entries.filter(({ kind }) => kind !== "tool") }],
  [
    "a result that nobody asked for",
    VALID,
    { entries: [...well.entries, entry(5, "tool", { body: { call: "c2" } })] },
  ],
  [
    "a result that is there twice",
    VALID,
    { entries: [...well.entries.slice(0, 3), entry(4, "tool", { body: { call: "c1" } })] },
  ],
  [
    "two replies in a row",
    VALID,
    { entries: [...well.entries, entry(5, "assistant", { body: { text: answer } })] },
  ],
  [
    "an empty reply",
    VALID,
    { entries: [...well.entries, entry(5, "user", {}), entry(6, "assistant", { body: { text: " " } })] },
  ],
  ["two entries in one place", VALID, { entries: [...well.entries, entry(4, "user", {})] }],
  [
    "a request with a call that has no result",
    "every request is valid for a strict provider",
    {
      requests: [
        request({
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", type: "function", function: { name: "book_seat", arguments: "{}" } }],
        }),
      ],
    },
  ],
  [
    "a fence that went back",
    "no fence went back",
    { writes: [...well.writes, write("sessions", { fence: 2 }, { fence: 1 })] },
  ],
  [
    "an entry of who has lost the session",
    STALE,
    { writes: [...well.writes, write("entries", null, { run: "r1" }, { writer: other })] },
  ],
  [
    "an end by who has lost the session",
    STALE,
    {
      writes: [
        ...well.writes,
        write("runs", { id: "r1", reply: "open" }, { id: "r1", reply: "settling" }, { writer: other }),
      ],
    },
  ],
  [
    "a page begun with an older fence",
    STALE,
    { writes: [...well.writes, write("pages", null, { run: "r1", key: "r1-1-1" }, { fence: 2 })] },
  ],
  [
    "two attempts that wrote in turns",
    "two attempts of one session never wrote interleaved",
    {
      writes: [
        ...well.writes,
        write("entries", null, { run: "r1" }, { writer: other }),
        write("entries", null, { run: "r1" }),
      ],
    },
  ],
  [
    "a page that shows another request than the model received",
    "the page of a request shows the bytes that the model received",
    { shown: [{ ...first(well.shown), body: `${request()} ` }] },
  ],
  [
    "a page that denies the bytes that were sent",
    "the page of a request shows the bytes that the model received",
    { shown: [{ ...first(well.shown), isSame: false }] },
  ],
  [
    "a request without a page",
    "the page of a request shows the bytes that the model received",
    { shown: [{ ...first(well.shown), body: undefined }] },
  ],
  [
    "an attempt without an end",
    "every attempt has an end",
    { attempts: [{ ...first(well.attempts), ended: null }] },
  ],
])("found: %s", (_, invariant, broken) => {
  const found = check({ ...well, ...broken });
  expect(new Set(found.map((one) => one.invariant))).toContain(invariant);
});

test("what people asked for is not held against the product", () => {
  const stop: Act = { kind: "stop", session, taken: true, saidAt: 1, takenAt: 2 };
  const cancelled = {
    ...well,
    acts: [question, stop],
    inbox: [{ ...first(well.inbox), fate: "cancelled", reason: "stop" }],
  };
  expect(check(cancelled)).toEqual([]);
  const unheard = { ...question, tag: 2, message: "1.3" };
  expect(check({ ...well, acts: [question, { ...unheard, taken: false }] })).toEqual([]);
  expect(check({ ...well, acts: [question, { ...unheard, mayBeIgnored: true }] })).toEqual([]);
  expect(check({ ...well, threads: [{ session, isGone: true, fromBot: [] }] })).toEqual([]);
  const retried = write(
    "inbox",
    { id: "in1", state: "done", fate: "failed" },
    { id: "in1", state: "admitted", fate: null, run: "r2" },
  );
  const retry = { ...first(well.runs), id: "r2", cause: "retry", session: "slack:T1:C1:9.9" };
  expect(check({ ...well, runs: [...well.runs, retry], writes: [...well.writes, retried] })).toEqual([]);
});

test("a write is judged by who held the session when it was made, also by the worker that held it before", () => {
  const again = [
    write("sessions", { fence: 1 }, { fence: 2 }, { fence: 2, owner: other, writer: other }),
    write("entries", null, { run: "r1", seq: 5 }, { fence: 2, owner: other, writer: other }),
    write("sessions", { fence: 2 }, { fence: 3 }, { fence: 3 }),
    write("entries", null, { run: "r1", seq: 6 }, { fence: 3 }),
  ];
  expect(check({ ...well, writes: [...well.writes, ...again] })).toEqual([]);
});
