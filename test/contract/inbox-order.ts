// What comes in another order than it was said, as where the platform has to send something again.
import { expect } from "vitest";
import type { Admission } from "../../src/core/ports/inbox.ts";
import type { SessionCommand } from "../../src/core/command/command.ts";
import type { ContractCase } from "./contract.ts";
import { fates, type InboxSubject } from "./inbox-subject.ts";
import { asRun, command, deletion, edit, lines, message, newSession, round } from "./store-samples.ts";

const mute: SessionCommand = { name: "mute", value: "on" };
const counted: Admission = {
  rule: "",
  counted: {
    limits: [{ by: "user", most: 100, withinMs: 60_000, rule: "too many", answer: "Too many." }],
    who: "web:local:U1",
    place: "web:local:general",
  },
};

async function waiting({ store }: InboxSubject, session: ReturnType<typeof newSession>) {
  return lines(asRun(await store.open(session, "w")).tail);
}

export const inboxOrderCases: readonly ContractCase<InboxSubject>[] = [
  {
    title: "an older edit of a waiting message that comes late is kept and changes nothing",
    async run(subject) {
      const session = newSession();
      const first = message(session, "teh cta");
      await subject.inbox.put(first);
      const [older, newer] = [edit(first, "the cta"), edit(first, "the cat")];
      await subject.inbox.put({ ...newer, at: older.at + 1 });
      expect(await subject.inbox.put(older)).toMatchObject({ kind: "stored" });
      expect(await subject.inbox.put(older)).toMatchObject({ kind: "duplicate" });
      expect(await fates(subject, session)).toEqual(["waiting", "answered", "answered"]);
      expect(await waiting(subject, session)).toEqual(["user: the cat"]);
    },
  },
  {
    title:
      "of a message that the model has read, an older edit that comes late, or any behind its delete, is not told",
    async run(subject) {
      const { inbox, store } = subject;
      const session = newSession();
      const [changed, gone] = [message(session, "one"), message(session, "two")];
      for (const one of [changed, gone]) await inbox.put(one);
      const { fence } = asRun(await store.open(session, "w"));
      const [older, newer] = [edit(changed, "older"), edit(changed, "newer")];
      await inbox.put({ ...newer, at: older.at + 1 });
      await inbox.put(deletion(gone));
      expect(await fates(subject, session)).toEqual(["admitted", "admitted", "waiting", "waiting"]);
      expect(await inbox.put(older)).toMatchObject({ kind: "stored" });
      const late = edit(gone, "late");
      expect(await inbox.put({ ...late, at: late.at + 1 })).toMatchObject({ kind: "stored" });
      expect((await fates(subject, session)).slice(4)).toEqual(["answered", "answered"]);
      await store.commitRound(fence, round(1));
      await store.end(fence, { reason: "stop", modelCalls: [] });
      await store.settled(fence);
      await inbox.put(message(session, "next"));
      const told = (await waiting(subject, session)).filter((line) => line.startsWith("note: "));
      expect(told).toHaveLength(2);
      expect(told.join()).toMatch(/newer/);
      expect(told.join()).not.toMatch(/older|late/);
    },
  },
  ...(["alone", "where they are counted"] as const).map((how): ContractCase<InboxSubject> => ({
    title: `a message that was taken back, or changed, before it came is as people left it (${how})`,
    async run(subject) {
      const { inbox } = subject;
      const admission = how === "alone" ? undefined : counted;
      const session = newSession();
      await inbox.put(message(session, "hello"), admission);
      const [changed, gone, both] = [
        message(session, "teh"),
        message(session, "oops"),
        message(session, "oops, teh"),
      ];
      const older = edit(changed, "th");
      const changes = [
        { ...edit(changed, "the"), at: older.at + 1 },
        older,
        deletion(gone),
        deletion(both),
        edit(both, "oops, the"),
      ];
      for (const change of changes)
        expect(await inbox.put(change)).toMatchObject({ kind: "stored", running: false });
      const later = message(session, "later");
      const came = [changed, gone, both, later];
      // At once, as where they waited for the store together.
      const answers = await Promise.all(came.map((one) => inbox.put(one, admission)));
      expect(answers.map(({ kind }) => kind)).toEqual(came.map(() => "stored"));
      expect(await inbox.put(gone, admission)).toMatchObject({ kind: "duplicate" });
      const views = await subject.transcripts.inbounds(session);
      const fateOf = (of: { readonly id: string }): unknown[] => {
        const view = views.find(({ inbound }) => inbound.id === of.id);
        return [view?.state, view?.fate, view?.reason];
      };
      expect(fateOf(gone)).toEqual(["done", "cancelled", "deleted"]);
      expect(fateOf(both)).toEqual(["done", "cancelled", "deleted"]);
      expect(await waiting(subject, session)).toEqual(["user: hello", "user: the", "user: later"]);
    },
  })),
  {
    title: "a change where no session lies, or of a message that was refused, is not kept",
    async run(subject) {
      const { inbox } = subject;
      const [session, elsewhere] = [newSession(), newSession()];
      const unknown = message(elsewhere, "unknown");
      for (const change of [edit(unknown, "changed"), deletion(unknown)])
        expect(await inbox.put(change)).toEqual({ kind: "ignored" });
      expect(await subject.transcripts.inbounds(elsewhere)).toEqual([]);
      await inbox.put(message(session, "known"));
      const refused = message(session, "refused");
      await inbox.put(refused, { rule: "no", isRefused: true });
      for (const change of [edit(refused, "changed"), deletion(refused)])
        expect(await inbox.put(change)).toEqual({ kind: "ignored" });
      expect(await subject.transcripts.inbounds(session)).toHaveLength(2);
    },
  },
  {
    title:
      "of a message that never came no words are kept that are an aside's, or come where the thread is muted",
    async run(subject) {
      const { inbox } = subject;
      const session = newSession();
      await inbox.put(message(session, "known"));
      const [aside, unheard] = [message(session, "for others"), message(session, "muted")];
      expect(await inbox.put({ ...edit(aside, "still for others"), isAside: true })).toEqual({
        kind: "ignored",
      });
      await inbox.put(command(session, mute));
      expect(await inbox.put(edit(unheard, "still muted"))).toEqual({ kind: "ignored" });
      // That it was taken back has no words.
      expect(await inbox.put(deletion(unheard))).toMatchObject({ kind: "stored" });
      const kinds = (await subject.transcripts.inbounds(session)).map(({ inbound }) => inbound.kind);
      expect(kinds).toEqual(["message", "command", "delete"]);
    },
  },
  {
    title: "what was stored and is an aside by now is changed all the same",
    async run(subject) {
      const session = newSession();
      const first = message(session, "for the bot");
      await subject.inbox.put(first);
      await subject.inbox.put({ ...edit(first, "(aside) for others"), isAside: true });
      expect(await waiting(subject, session)).toEqual(["user: (aside) for others"]);
    },
  },
  ...(["stop", "reset"] as const).map((name): ContractCase<InboxSubject> => ({
    title: `what was said before a ${name} and comes behind it is cancelled, where the platform says when that was given`,
    async run(subject) {
      const { inbox } = subject;
      const session = newSession();
      await inbox.put(message(session, "hello"));
      const [late, counts] = [message(session, "late"), message(session, "late and counted")];
      const given = command(session, name, { hasPlatformTime: true });
      await inbox.put(given);
      // An older one that comes again later takes nothing away from the newer.
      await inbox.put(command(session, "stop", { hasPlatformTime: true, at: late.at - 1 }));
      const after = message(session, "after it", { at: given.at + 1 });
      for (const [one, admission] of [[late], [counts, counted], [after]] as const)
        expect(await inbox.put(one, admission)).toMatchObject({ kind: "stored" });
      expect(await inbox.put(late)).toMatchObject({ kind: "duplicate" });
      const views = await subject.transcripts.inbounds(session);
      expect(views.slice(3).map(({ fate, reason, state }) => fate ?? reason ?? state)).toEqual([
        "cancelled",
        "cancelled",
        "waiting",
      ]);
      expect(views[3]?.reason).toBe("stop");
      expect(await waiting(subject, session)).toEqual(["user: after it"]);
    },
  })),
  {
    title: "a stop that only we have timed says nothing of what was said before it",
    async run(subject) {
      const session = newSession();
      await subject.inbox.put(message(session, "hello"));
      const late = message(session, "our clock is ahead");
      await subject.inbox.put(command(session, "stop"));
      await subject.inbox.put(late);
      expect(await fates(subject, session)).toEqual(["cancelled", "answered", "waiting"]);
    },
  },
];
