// What every History keeps; see src/core/ports/history.ts.
import { expect } from "vitest";
import type { AssistantEntry, EntryBody, UserEntry } from "../../src/core/entry.ts";
import type { History } from "../../src/core/ports/history.ts";
import { cleanText } from "../../src/core/text.ts";
import { runContract, type ContractCase, type OpenSubject } from "./contract.ts";

/** Session names are valid session ids, so that an implementation may check them. */
const SESSION = "web:local:general:h1";
const OTHER = "web:local:general:h2";

export const historyCases: readonly ContractCase<History>[] = [
  {
    title: "a session that was never written has no entries",
    async run(history) {
      expect(await history.read(SESSION)).toEqual([]);
    },
  },
  {
    title: "entries come back in the order of their appends with rising seq",
    async run(history) {
      const first = await history.append(SESSION, [user("one"), assistant("two")]);
      const second = await history.append(SESSION, [user("three")]);
      const read = await history.read(SESSION);
      expect(read).toEqual([...first, ...second]);
      expect(read.map((entry) => entry.body)).toEqual([user("one"), assistant("two"), user("three")]);
      const seqs = read.map((entry) => entry.seq);
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      expect(new Set(seqs).size).toBe(3);
      expect(Math.min(...seqs)).toBeGreaterThan(0);
    },
  },
  {
    title: "P12: with a limit the newest entries come back, oldest of them first",
    async run(history) {
      for (const part of [0, 1, 2]) {
        await history.append(
          SESSION,
          Array.from({ length: 67 }, (_, index) => user(`message ${part * 67 + index + 1}`)),
        );
      }
      const read = await history.read(SESSION, { limit: 200 });
      expect(read.map((entry) => textOf(entry.body))).toEqual(
        Array.from({ length: 200 }, (_, index) => `message ${index + 2}`),
      );
    },
  },
  {
    title: "P8: entries of one append keep their order although they are written at the same moment",
    async run(history) {
      const bodies = Array.from({ length: 30 }, (_, index) => user(`line ${index}`));
      await history.append(SESSION, bodies);
      expect((await history.read(SESSION)).map((entry) => entry.body)).toEqual(bodies);
    },
  },
  {
    title: "sessions are apart",
    async run(history) {
      await history.append(SESSION, [user("mine")]);
      await history.append(OTHER, [user("yours")]);
      expect((await history.read(SESSION)).map((entry) => textOf(entry.body))).toEqual(["mine"]);
      expect((await history.read(OTHER)).map((entry) => textOf(entry.body))).toEqual(["yours"]);
    },
  },
  {
    title: "what was given, answered and read are copies: changing one changes nothing that is stored",
    async run(history) {
      const given = user("as it was");
      const answered = await history.append(SESSION, [given]);
      change(given);
      change(answered[0]?.body);
      change((await history.read(SESSION))[0]?.body);
      expect((await history.read(SESSION)).map((entry) => entry.body)).toEqual([user("as it was")]);
    },
  },
  {
    title: "an append of nothing stores nothing and answers nothing",
    async run(history) {
      expect(await history.append(SESSION, [])).toEqual([]);
      expect(await history.read(SESSION)).toEqual([]);
    },
  },
  {
    title: "an append is all or nothing",
    async run(history) {
      await history.append(SESSION, [user("before")]);
      const poison = {
        v: 1,
        kind: "user",
        get parts(): never {
          throw new Error("cannot be read");
        },
      } as const;
      await expect(history.append(SESSION, [user("half"), poison])).rejects.toThrow();
      expect((await history.read(SESSION)).map((entry) => textOf(entry.body))).toEqual(["before"]);
      await history.append(SESSION, [user("after")]);
      expect((await history.read(SESSION)).map((entry) => textOf(entry.body))).toEqual(["before", "after"]);
    },
  },
  {
    title: "appends at the same time lose nothing and tear no append apart",
    async run(history) {
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          history.append(SESSION, [user(`${index} a`), user(`${index} b`)]),
        ),
      );
      const texts = (await history.read(SESSION)).map((entry) => textOf(entry.body));
      expect(texts).toHaveLength(40);
      for (let index = 0; index < texts.length; index += 2) {
        expect(texts[index + 1]).toBe(texts[index]?.replace(" a", " b"));
      }
    },
  },
  {
    title: "P1: hostile text comes back whole, with NUL and lone surrogates replaced",
    async run(history) {
      const hostile = `a\u0000b \ud800 c \udc00 🙂 \\u0000 "quoted" ${"x".repeat(1_000_000)}`;
      await history.append(SESSION, [user(hostile)]);
      expect((await history.read(SESSION)).map((entry) => textOf(entry.body))).toEqual([cleanText(hostile)]);
    },
  },
  {
    title: "P2: hostile text is replaced at every depth",
    async run(history) {
      const call = { id: "c\u0000", name: "f", arguments: '{"t":"\\u0000"}' };
      await history.append(SESSION, [{ ...assistant("\udfff"), calls: [call] }]);
      const [entry] = await history.read(SESSION);
      expect(entry?.body).toEqual({ ...assistant("\uFFFD"), calls: [{ ...call, id: "c\uFFFD" }] });
    },
  },
  {
    title: "P7: every kind of entry comes back equal, lists and empty texts included",
    async run(history) {
      const bodies: EntryBody[] = [
        {
          v: 1,
          kind: "user",
          author: { id: "U1", name: "Ana" },
          parts: [
            { kind: "text", text: "" },
            { kind: "image", mimeType: "image/png", data: "AAAA", name: "a.png" },
            { kind: "file", id: "F1", name: "b.pdf", mimeType: "application/pdf", bytes: 3 },
            { kind: "note", text: "quoted" },
          ],
        },
        { ...assistant(""), calls: [{ id: "c1", name: "f", arguments: "{}" }], reasoning: "[1]" },
        { v: 1, kind: "tool", call: "c1", name: "f", ok: false, content: "null" },
        { v: 1, kind: "note", text: "the previous turn ended: error" },
        { v: 1, kind: "summary", text: "so far", upTo: 3 },
        { ...assistant("half"), interrupted: true },
        { ...assistant("as much as is allowed"), cut: true },
      ];
      await history.append(SESSION, bodies);
      expect((await history.read(SESSION)).map((entry) => entry.body)).toEqual(bodies);
    },
  },
];

/** Registers the suite over one implementation; `open` gives an empty history each time. */
export function historyContract(name: string, open: OpenSubject<History>): void {
  runContract(`History: ${name}`, historyCases, open);
}

function user(text: string): UserEntry {
  return { v: 1, kind: "user", parts: [{ kind: "text", text }] };
}

function assistant(text: string): AssistantEntry {
  return { v: 1, kind: "assistant", text, calls: [] };
}

function textOf(body: EntryBody): string {
  if (body.kind !== "user") return body.kind;
  return body.parts.map((part) => (part.kind === "text" ? part.text : part.kind)).join("");
}

function change(body: EntryBody | undefined): void {
  if (body?.kind !== "user") throw new Error("expected a user entry");
  const parts = body.parts as { kind: "text"; text: string }[];
  const [first] = parts;
  if (first !== undefined) first.text = "changed";
  parts.push({ kind: "text", text: "added" });
}
