// What a store does with notes of the bot itself, and what it knows of a session that has just begun.
import { expect } from "vitest";
import type { NoteInbound } from "../../src/core/inbound.ts";
import type { InboundId } from "../../src/core/ids.ts";
import type { SessionId } from "../../src/core/thread.ts";
import type { ContractCase } from "./contract.ts";
import { fail, fates, finish, running, type RunStoreSubject } from "./run-store-subject.ts";
import { answer, asRun, command, lines, message, newSession, round } from "./store-samples.ts";

function note(session: SessionId, text: string): NoteInbound {
  return {
    v: 1,
    kind: "note",
    id: `${session}/note/1` as InboundId,
    session,
    author: { id: "bobbin", name: "Bobbin" },
    at: 9_000_000_000_000,
    addressed: false,
    text,
  };
}

export const noteCases: readonly ContractCase<RunStoreSubject>[] = [
  {
    title: "a note stands before the turn that it is read with, once, whatever its time",
    async run({ store, inbox, transcripts }) {
      const session = newSession();
      await inbox.put(message(session, "hello"));
      expect(await inbox.put(note(session, "said before"))).toMatchObject({ kind: "stored" });
      expect(await inbox.put(note(session, "said before"))).toMatchObject({ kind: "duplicate" });
      await inbox.put(message(session, "and more"));
      const opened = asRun(await store.open(session, "w"));
      expect(lines(opened.tail)).toEqual(["note: said before", "user: hello", "user: and more"]);
      expect(opened.run.requester.name).toBe("Ana");
      expect(await fates({ transcripts }, session)).toEqual(["admitted", "answered", "admitted"]);
      const views = await transcripts.inbounds(session);
      expect(views[1]?.inbound).toMatchObject({ kind: "note", text: "said before" });
    },
  },
  {
    title: "a note is no reason for a run, and none is kept where no session lies",
    async run({ store, inbox }) {
      const session = newSession();
      expect(await inbox.put(note(session, "x"))).toEqual({ kind: "ignored" });
      const run = await running({ store, inbox } as RunStoreSubject, "hello");
      await finish({ store } as RunStoreSubject, run);
      await inbox.put(note(run.session, "x"));
      expect(await store.hasWork(run.session)).toBe(false);
      expect(await store.open(run.session, "w")).toEqual({ kind: "nothing" });
    },
  },
  {
    title: "a session begins with the first message that waits, until it has a note, a history or a reset",
    async run(subject) {
      const { store, inbox } = subject;
      const session = newSession();
      expect(await store.beginning(session)).toBe(undefined);
      const first = message(session, "first", { at: 1_000 });
      await inbox.put(message(session, "second", { at: 2_000 }));
      await inbox.put(first);
      expect(await store.beginning(session)).toEqual({
        id: first.id,
        message: first.message,
        at: 1_000,
        receivedAt: expect.any(Number) as number,
      });
      await inbox.put(note(session, "x"));
      expect(await store.beginning(session)).toBe(undefined);

      const run = await running(subject, "hello");
      await finish(subject, run);
      await inbox.put(message(run.session, "again"));
      expect(await store.beginning(run.session)).toBe(undefined);

      const reset = newSession();
      await inbox.put(message(reset, "old"));
      await inbox.put(command(reset, "reset"));
      await inbox.put(message(reset, "new"));
      expect(await store.beginning(reset)).toBe(undefined);
    },
  },
  {
    title:
      "a note that waited through a stop is read in the next run, also in a retry, and rounds go on behind it",
    async run(subject) {
      const { store, inbox } = subject;
      const run = await running(subject, "hello");
      await fail(subject, run);
      await inbox.put(note(run.session, "said before"));
      await inbox.put(command(run.session, "stop"));
      await inbox.put(command(run.session, "retry"));
      await inbox.put(message(run.session, "again"));
      const { fence, tail } = asRun(await store.open(run.session, "w"));
      const read = lines(tail);
      expect(read.at(-1)).toBe("user: again");
      expect(read.filter((line) => line === "note: said before")).toHaveLength(1);
      const committed = await store.commitRound(fence, round(1, answer("done")));
      expect(lines(committed.stored)).toEqual(["bot: done"]);
    },
  },
];
