// What every WebMessages keeps; see src/core/ports/web-messages.ts.
import { expect } from "vitest";
import type { PageContent } from "../../src/core/ports/surface.ts";
import type { WebMessage, WebMessages } from "../../src/core/ports/web-messages.ts";
import { cleanText } from "../../src/core/text.ts";
import type { SessionId } from "../../src/core/thread.ts";
import type { ContractCase } from "./contract.ts";
import { newSession } from "./store-samples.ts";

export function said(session: SessionId, id: string, markdown: string): Parameters<WebMessages["insert"]>[0] {
  return { session, id, from: "person", speaker: "Ana", page: { markdown, buttons: [] } };
}

async function ids(messages: WebMessages, session: SessionId, since?: number): Promise<readonly string[]> {
  return (await messages.list(session, since)).map((each) => each.id);
}

export const webMessagesCases: readonly ContractCase<WebMessages>[] = [
  {
    title: "a message comes back as it was inserted, with its time",
    async run(messages) {
      const session = newSession();
      const page: PageContent = {
        markdown: "**hi**",
        status: "thinking",
        footer: "1 s",
        buttons: [{ action: "stop", label: "Stop", value: "r1" }],
      };
      const row = await messages.insert({ session, id: "k1", from: "bot", speaker: "Bobbin", page });
      expect(row).toMatchObject({ session, id: "k1", from: "bot", speaker: "Bobbin", page, deleted: false });
      expect(Math.abs(row.at - Date.now())).toBeLessThan(60_000);
      expect(await messages.get(session, "k1")).toEqual(row);
      expect(await messages.list(session)).toEqual([row]);
    },
  },
  {
    title: "a second insert with an id changes nothing and answers the row as it stands",
    async run(messages) {
      const session = newSession();
      const first = await messages.insert(said(session, "k1", "first"));
      expect(await messages.insert(said(session, "k1", "second"))).toEqual(first);
      const rows = await Promise.all([1, 2, 3].map((n) => messages.insert(said(session, "k2", `copy ${n}`))));
      expect(new Set(rows.map((row) => row.page.markdown)).size).toBe(1);
      expect(await ids(messages, session)).toEqual(["k1", "k2"]);
    },
  },
  {
    title: "messages are listed in the order of their creation, whatever is changed later",
    async run(messages) {
      const session = newSession();
      for (const id of ["c", "a", "b"]) await messages.insert(said(session, id, id));
      await messages.update(session, "c", { markdown: "changed", buttons: [] });
      expect(await ids(messages, session)).toEqual(["c", "a", "b"]);
    },
  },
  {
    title: "every change raises the revision, and a list since one has exactly what changed after it",
    async run(messages) {
      const session = newSession();
      const first = await messages.insert(said(session, "a", "one"));
      const second = await messages.insert(said(session, "b", "two"));
      expect(second.revision).toBeGreaterThan(first.revision);
      expect(await ids(messages, session, second.revision)).toEqual([]);
      const updated = await messages.update(session, "a", { markdown: "one!", buttons: [] });
      expect(updated?.revision).toBeGreaterThan(second.revision);
      expect(updated).toMatchObject({ at: first.at, page: { markdown: "one!" } });
      expect(await ids(messages, session, second.revision)).toEqual(["a"]);
      const removed = await messages.remove(session, "b");
      expect(removed).toMatchObject({ deleted: true });
      expect(await ids(messages, session, updated?.revision)).toEqual(["b"]);
    },
  },
  {
    title: "a reader that goes on from the newest revision it saw misses nothing of writers at the same time",
    async run(messages) {
      const session = newSession();
      const seen = new Map<string, WebMessage>();
      let revision = 0;
      const read = async (): Promise<void> => {
        for (const each of await messages.list(session, revision)) {
          seen.set(each.id, each);
          revision = Math.max(revision, each.revision);
        }
      };
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        for (let index = 0; index < 15; index += 1) {
          await messages.insert(said(session, `${writer}-${index}`, "new"));
          await messages.update(session, `${writer}-${index}`, { markdown: "changed", buttons: [] });
        }
      });
      let isWriting = true;
      const done = Promise.all(writers).finally(() => (isWriting = false));
      while (isWriting) await read();
      await done;
      await read();
      expect(seen.size).toBe(60);
      expect([...seen.values()].every((each) => each.page.markdown === "changed")).toBe(true);
    },
  },
  {
    title: "what is deleted or never was is neither updated nor removed",
    async run(messages) {
      const session = newSession();
      const page = { markdown: "late", buttons: [] };
      expect(await messages.update(session, "k", page)).toBe(undefined);
      expect(await messages.remove(session, "k")).toBe(undefined);
      expect(await messages.get(session, "k")).toBe(undefined);
      await messages.insert(said(session, "k", "there"));
      const removed = await messages.remove(session, "k");
      expect(await messages.update(session, "k", page)).toBe(undefined);
      expect(await messages.remove(session, "k")).toBe(undefined);
      expect(await messages.get(session, "k")).toEqual(removed);
    },
  },
  {
    title: "sessions are apart",
    async run(messages) {
      const [one, two] = [newSession(), newSession()];
      await messages.insert(said(one, "k", "mine"));
      await messages.insert(said(two, "k", "yours"));
      await messages.remove(one, "k");
      expect(await messages.get(two, "k")).toMatchObject({ deleted: false, page: { markdown: "yours" } });
    },
  },
  {
    title: "threads come newest first, each once, called by the first words of its first message",
    async run(messages) {
      const sessions = [newSession(), newSession(), newSession()];
      for (const [index, session] of sessions.entries()) {
        await messages.insert(said(session, "k", `  thread\n${index}  `));
        await messages.insert(said(session, "k2", "more"));
      }
      const listed = (await messages.threads(1_000)).filter((thread) => sessions.includes(thread.session));
      expect(listed.map((thread) => thread.label).toSorted()).toEqual(["thread 0", "thread 1", "thread 2"]);
      const times = listed.map((thread) => thread.at);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(await messages.threads(1)).toHaveLength(1);
    },
  },
  {
    title: "a thread that a person writes in comes first again; what the bot writes there moves nothing",
    async run(messages) {
      const [one, two] = [newSession(), newSession()];
      await messages.insert(said(one, "k", "one"));
      const order = async (): Promise<readonly SessionId[]> =>
        (await messages.threads(1_000)).map(({ session }) => session).filter((s) => s === one || s === two);
      await laterThan(one);
      await messages.insert(said(two, "k", "two"));
      await messages.insert({ ...said(one, "reply", "hello"), from: "bot" });
      expect(await order()).toEqual([two, one]);
      await laterThan(two);
      await messages.insert(said(one, "k2", "more"));
      expect(await order()).toEqual([one, two]);

      /** The clock of the store has gone on since the thread was last written in. */
      async function laterThan(session: SessionId): Promise<void> {
        const probe = newSession();
        const at = async (which: SessionId): Promise<number> =>
          (await messages.threads(1_000)).find((thread) => thread.session === which)?.at ?? 0;
        const before = await at(session);
        for (let n = 0; (await at(probe)) <= before; n++) await messages.insert(said(probe, `p${n}`, "tick"));
      }
    },
  },
  {
    title: "P1: hostile text comes back whole, with NUL and lone surrogates replaced",
    async run(messages) {
      const session = newSession();
      const hostile = `a\u0000b \ud83d 🙂 ${"x".repeat(1_000_000)}`;
      const row = await messages.insert({ ...said(session, "k", hostile), speaker: "A\u0000na" });
      expect(row).toMatchObject({ speaker: "A\uFFFDna", page: { markdown: cleanText(hostile) } });
      const updated = await messages.update(session, "k", {
        markdown: "\udc00",
        footer: "\u0000",
        buttons: [],
      });
      expect(updated?.page).toEqual({ markdown: "\uFFFD", footer: "\uFFFD", buttons: [] });
    },
  },
];
