import { expect, test } from "vitest";
import { createLocalLive } from "../../../src/adapters/local/live.ts";
import { createWebSurface } from "../../../src/adapters/web/surface.ts";
import type { Log } from "../../../src/core/ports/log.ts";
import { sessionIdOf } from "../../../src/core/thread.ts";
import { surfaceContract } from "../../contract/surface.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { memoryWebMessages } from "./memory-web-messages.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };
const session = sessionIdOf({ platform: "web", space: "local", channel: "general", root: "r" });
const page = { markdown: "hello", buttons: [] };

function place(live = createLocalLive()) {
  const messages = memoryWebMessages();
  const clock = manualClock();
  return {
    messages,
    live,
    clock,
    surface: createWebSurface({ messages, live, clock, log: silent }, session),
  };
}

surfaceContract("over rows", () => {
  const { messages, surface } = place();
  return {
    subject: {
      surface,
      shown: async () => {
        const rows = (await messages.list(session)).filter((row) => row.from === "bot" && !row.deleted);
        return rows.map(({ page: { markdown, status = "", footer = "" } }) =>
          [markdown, status, footer].join("\n").trim(),
        );
      },
      deleteByPerson: async (message) => void (await messages.remove(session, message)),
    },
    close: async () => {},
  };
});

test("a second post with a key is the first, and it is found by its key", async () => {
  const { messages, surface } = place();
  expect(await surface.find("k")).toBeUndefined();
  expect(await surface.post("k", page)).toEqual({ kind: "ok", message: "k" });
  expect(await surface.post("k", page)).toEqual({ kind: "ok", message: "k" });
  expect(await messages.list(session)).toHaveLength(1);
  expect(await surface.find("k")).toBe("k");
});

test("what was removed is gone, for an edit, a second removal and a search", async () => {
  const { surface } = place();
  await surface.post("k", page);
  expect(await surface.remove("k")).toEqual({ kind: "ok", message: "k" });
  const gone = { kind: "gone", what: "message" };
  expect(await surface.edit("k", page)).toEqual(gone);
  expect(await surface.remove("k")).toEqual(gone);
  expect(await surface.post("k", page)).toEqual(gone);
  expect(await surface.edit("never", page)).toEqual(gone);
  expect(await surface.find("k")).toBeUndefined();
});

test("a store that is away means later, since every write may be repeated", async () => {
  const { messages, surface } = place();
  messages.isAway = true;
  const later = { kind: "later", afterMs: 1_000 };
  expect(await surface.post("k", page)).toEqual(later);
  expect(await surface.edit("k", page)).toEqual(later);
  expect(await surface.remove("k")).toEqual(later);
  expect(await surface.find("k")).toBeUndefined();
});

test("a person's message is never taken for the bot's own", async () => {
  const { messages, surface } = place();
  await messages.insert({ session, id: "k", from: "person", speaker: "You", page });
  expect(await surface.post("k", page)).toMatchObject({ kind: "refused" });
  expect(await surface.find("k")).toBeUndefined();
});

test("watchers hear of each change, and a line to them that fails or hangs stops no write", async () => {
  const live = createLocalLive();
  const heard: unknown[] = [];
  const unwatch = await live.subscribe(session, (event) => heard.push(event));
  const { surface } = place(live);
  await surface.post("k", page);
  await surface.edit("k", { ...page, markdown: "hello you" });
  expect(heard).toEqual([{ revision: 1 }, { revision: 2 }]);
  unwatch();

  const broken = place({ ...live, publish: () => Promise.reject(new Error("Redis is away")) });
  expect(await broken.surface.post("k", page)).toMatchObject({ kind: "ok" });
  const stuck = place({ ...live, publish: () => new Promise(() => {}) });
  const written = stuck.surface.post("k", page);
  await stuck.clock.advance(250);
  expect(await written).toMatchObject({ kind: "ok" });
});
