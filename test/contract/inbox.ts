// What every Inbox keeps; see src/core/ports/inbox.ts. What became of an inbound is read through Transcripts.
import { expect } from "vitest";
import type { Inbound } from "../../src/core/inbound.ts";
import { cleanText } from "../../src/core/text.ts";
import type { ContractCase } from "./contract.ts";
import { inboxAccessCases } from "./inbox-access.ts";
import { inboxOrderCases } from "./inbox-order.ts";
import { inboxSettingsCases } from "./inbox-settings.ts";
import { fates, only, type InboxSubject } from "./inbox-subject.ts";
import { asRun, command, deletion, edit, message, newSession } from "./store-samples.ts";

export const inboxCases: readonly ContractCase<InboxSubject>[] = [
  {
    title: "a message that is addressed is stored, makes its session and waits",
    async run(subject) {
      const session = newSession();
      const inbound = message(session, "hello");
      expect(await subject.transcripts.status(session)).toBe(undefined);
      expect(await subject.inbox.put(inbound)).toMatchObject({ kind: "stored", running: false });
      expect(await only(subject, session)).toMatchObject({ inbound, state: "waiting" });
      expect(await subject.transcripts.status(session)).toMatchObject({ epoch: 1, waiting: 1 });
    },
  },
  {
    title: "talk that is not addressed is stored only where a session lies, and nothing is kept of the rest",
    async run(subject) {
      const session = newSession();
      const talk = message(session, "among people", { addressed: false });
      expect(await subject.inbox.put(talk)).toEqual({ kind: "ignored" });
      expect(await subject.transcripts.inbounds(session)).toEqual([]);
      expect(await subject.transcripts.status(session)).toBe(undefined);
      await subject.inbox.put(message(session, "a mention"));
      expect(await subject.inbox.put(talk)).toMatchObject({ kind: "stored" });
      expect(await subject.transcripts.inbounds(session)).toHaveLength(2);
    },
  },
  {
    title: "the same identity again is a duplicate with the seq of the first, and changes nothing",
    async run(subject) {
      const session = newSession();
      const first = message(session, "once");
      const stored = await subject.inbox.put(first);
      if (stored.kind !== "stored") throw new Error("not stored");
      const copy = message(session, "twice", { id: first.id });
      expect(await subject.inbox.put(copy)).toEqual({ kind: "duplicate", seq: stored.seq });
      expect((await only(subject, session)).inbound).toEqual(first);
    },
  },
  {
    title: "copies that arrive at the same time are stored once, and every delivery has the same seq",
    async run(subject) {
      const session = newSession();
      const inbound = message(session, "from three sockets");
      const answers = await Promise.all(Array.from({ length: 8 }, () => subject.inbox.put(inbound)));
      expect(answers.filter((answer) => answer.kind === "stored")).toHaveLength(1);
      expect(answers.filter((answer) => answer.kind === "duplicate")).toHaveLength(7);
      expect(new Set(answers.map((answer) => (answer.kind === "ignored" ? -1 : answer.seq))).size).toBe(1);
      expect(await subject.transcripts.inbounds(session)).toHaveLength(1);
    },
  },
  {
    title: "many first messages of one thread at the same time are all stored",
    async run(subject) {
      const session = newSession();
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => subject.inbox.put(message(session, `number ${index}`))),
      );
      expect(await fates(subject, session)).toEqual(Array.from({ length: 20 }, () => "waiting"));
    },
  },
  {
    title: "many that come at once each have the answer that they would have alone",
    async run(subject) {
      const [known, fresh, strange] = [newSession(), newSession(), newSession()];
      await subject.inbox.put(message(known, "a mention"));
      asRun(await subject.store.open(known, "w"));
      const talk = { addressed: false };
      const copied = message(fresh, "twice");
      const answers = await Promise.all([
        subject.inbox.put(message(fresh, "before the mention", talk)),
        subject.inbox.put(copied),
        subject.inbox.put(message(fresh, "behind the mention", talk)),
        subject.inbox.put(copied),
        subject.inbox.put(message(strange, "among people", talk)),
        subject.inbox.put(message(known, "in a thread of ours", talk)),
        subject.inbox.put(command(strange, "stop", talk)),
      ]);
      expect(answers.map(({ kind }) => kind)).toEqual([
        "ignored",
        "stored",
        "stored",
        "duplicate",
        "ignored",
        "stored",
        "ignored",
      ]);
      expect(answers[5]).toMatchObject({ running: true });
      expect(answers[1]).toMatchObject({ running: false });
      expect(await subject.transcripts.inbounds(fresh)).toHaveLength(2);
      expect(await subject.transcripts.status(strange)).toBe(undefined);
    },
  },
  {
    title: "one that cannot be stored is refused alone",
    async run(subject) {
      const session = newSession();
      const puts = ["one", "two", "three"].map((text) =>
        message(session, text, text === "two" ? { at: 1e30 } : {}),
      );
      const answers = await Promise.allSettled(puts.map((inbound) => subject.inbox.put(inbound)));
      expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(await subject.transcripts.inbounds(session)).toHaveLength(2);
    },
  },
  {
    title: "P13: what others write in a thread that someone began is stored as theirs",
    async run(subject) {
      const session = newSession();
      await subject.inbox.put(message(session, "mine"));
      const bo = { id: "U2", name: "Bo" };
      expect(await subject.inbox.put(message(session, "also", { author: bo }))).toMatchObject({
        kind: "stored",
      });
      const authors = (await subject.transcripts.inbounds(session)).map((view) => view.inbound.author.id);
      expect(authors).toEqual(["U1", "U2"]);
    },
  },
  {
    title: "it says whether a run was under way",
    async run(subject) {
      const session = newSession();
      await subject.inbox.put(message(session, "go"));
      const { fence } = asRun(await subject.store.open(session, "w"));
      expect(await subject.inbox.put(message(session, "more"))).toMatchObject({ running: true });
      await subject.store.commitRound(fence, {
        round: 1,
        state: "complete",
        entries: [],
        results: [],
        modelCalls: [],
      });
      await subject.store.end(fence, { reason: "stop", modelCalls: [] });
      expect(await subject.inbox.put(message(session, "later"))).toMatchObject({ running: false });
    },
  },
  {
    title: "a stop cancels what waits before it, leaves what comes after it, and is done itself",
    async run(subject) {
      const session = newSession();
      await subject.inbox.put(message(session, "one"));
      await subject.inbox.put(message(session, "two"));
      await subject.inbox.put(command(session, "stop"));
      await subject.inbox.put(message(session, "three"));
      expect(await fates(subject, session)).toEqual(["cancelled", "cancelled", "answered", "waiting"]);
      expect(await subject.transcripts.status(session)).toMatchObject({ epoch: 1, waiting: 1 });
    },
  },
  {
    title: "a stop that is delivered twice does not cancel what came between",
    async run(subject) {
      const session = newSession();
      await subject.inbox.put(message(session, "one"));
      const stop = command(session, "stop");
      await subject.inbox.put(stop);
      await subject.inbox.put(message(session, "two"));
      expect(await subject.inbox.put(stop)).toMatchObject({ kind: "duplicate" });
      expect(await fates(subject, session)).toEqual(["cancelled", "answered", "waiting"]);
      expect(asRun(await subject.store.open(session, "w")).tail).toHaveLength(1);
    },
  },
  {
    title: "a reset begins a new epoch, once however often it is delivered",
    async run(subject) {
      const session = newSession();
      await subject.inbox.put(message(session, "one"));
      const reset = command(session, "reset");
      const answers = await Promise.all([1, 2, 3, 4].map(() => subject.inbox.put(reset)));
      expect(answers.map((answer) => answer.kind).toSorted()).toEqual([
        "duplicate",
        "duplicate",
        "duplicate",
        "stored",
      ]);
      expect(await subject.transcripts.status(session)).toMatchObject({ epoch: 2, waiting: 0 });
      expect(await fates(subject, session)).toEqual(["cancelled", "answered"]);
    },
  },
  {
    title: "a stop where nothing lies is kept and done, and cancels nothing that comes later",
    async run(subject) {
      const session = newSession();
      expect(await subject.inbox.put(command(session, "stop"))).toMatchObject({ kind: "stored" });
      await subject.inbox.put(message(session, "after"));
      expect(await fates(subject, session)).toEqual(["answered", "waiting"]);
      const elsewhere = newSession();
      const talk = command(elsewhere, "stop", { addressed: false });
      expect(await subject.inbox.put(talk)).toEqual({ kind: "ignored" });
    },
  },
  {
    title: "an edit of a waiting message changes that message, and only its text",
    async run(subject) {
      const session = newSession();
      const [first, second] = [message(session, "teh"), message(session, "second")];
      await subject.inbox.put(first);
      await subject.inbox.put(second);
      expect(await subject.inbox.put(edit(first, "the"))).toMatchObject({ kind: "stored" });
      const [one, two, change] = await subject.transcripts.inbounds(session);
      expect(one?.inbound).toEqual({ ...first, parts: [{ kind: "text", text: "the" }] });
      expect(two?.inbound).toEqual(second);
      expect(change).toMatchObject({ state: "done", fate: "answered" });
      expect(await subject.transcripts.status(session)).toMatchObject({ waiting: 2 });
    },
  },
  {
    title: "a deleted waiting message is cancelled and never reaches the model",
    async run(subject) {
      const session = newSession();
      const first = message(session, "oops");
      await subject.inbox.put(first);
      await subject.inbox.put(deletion(first));
      expect(await fates(subject, session)).toEqual(["cancelled", "answered"]);
      expect(await subject.store.open(session, "w")).toEqual({ kind: "nothing" });
    },
  },
  {
    title: "P1, P2: hostile text is stored with NUL and lone surrogates replaced, in every field",
    async run(subject) {
      const session = newSession();
      const hostile = `a\u0000b \ud83d c \ude42 🙂 ${"x".repeat(1_000_000)}`;
      const inbound = message(session, hostile, { author: { id: "U1", name: "A\u0000na" } });
      await subject.inbox.put(inbound);
      const view = await only(subject, session);
      expect(view.inbound).toEqual({
        ...inbound,
        author: { id: "U1", name: "A\uFFFDna" },
        parts: [{ kind: "text", text: cleanText(hostile) }],
      });
      const { tail } = asRun(await subject.store.open(session, "w"));
      expect(tail[0]?.body).toMatchObject({ parts: [{ kind: "text", text: cleanText(hostile) }] });
    },
  },
  {
    title: "P7: every kind of part comes back equal",
    async run(subject) {
      const session = newSession();
      const parts: Extract<Inbound, { kind: "message" }>["parts"] = [
        { kind: "text", text: "" },
        { kind: "image", mimeType: "image/png", data: "AAAA", name: "a.png" },
        { kind: "image", mimeType: "image/png", data: "AAAA" },
        { kind: "file", id: "F1", name: "b.pdf", mimeType: "application/pdf", bytes: 3 },
        { kind: "note", text: "only for the model" },
      ];
      await subject.inbox.put(message(session, "", { parts }));
      expect((await only(subject, session)).inbound).toMatchObject({ parts });
      expect(asRun(await subject.store.open(session, "w")).tail[0]?.body).toMatchObject({ parts });
    },
  },
  {
    title: "a command keeps the address of its answer",
    async run(subject) {
      const session = newSession();
      const retry = command(session, "retry", { answerTo: "https://hooks.example/1" });
      await subject.inbox.put(retry);
      expect((await only(subject, session)).inbound).toEqual(retry);
    },
  },
  ...inboxAccessCases,
  ...inboxOrderCases,
  ...inboxSettingsCases,
];
