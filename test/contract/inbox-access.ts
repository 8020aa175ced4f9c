// What an inbox keeps of the rules of access: by which one something was let in or refused, and how much there may be of it.
import { expect } from "vitest";
import type { Limit } from "../../src/core/access/decide.ts";
import type { Admission } from "../../src/core/ports/inbox.ts";
import type { SessionId } from "../../src/core/thread.ts";
import type { ContractCase } from "./contract.ts";
import { fates, only, type InboxSubject } from "./inbox-subject.ts";
import { asRun, command, edit, message, newSession } from "./store-samples.ts";

export const inboxAccessCases: readonly ContractCase<InboxSubject>[] = [
  {
    title: "the rule that let something in is kept with it",
    async run(subject) {
      const session = newSession();
      const rule = "members: web:local:U1 is one";
      const asked = message(session, "hello");
      await subject.inbox.put(asked, { rule });
      await subject.inbox.put(edit(asked, "hello there"), { rule: "admins: of the edit" });
      await subject.inbox.put(command(session, "stop"), { rule: "admins: of the stop" });
      const rules = (await subject.transcripts.inbounds(session)).map((view) => view.rule);
      expect(rules).toEqual([rule, "admins: of the edit", "admins: of the stop"]);
    },
  },
  {
    title: "what is refused is kept with its rule, makes no session, and nothing of it is done",
    async run(subject) {
      const session = newSession();
      const inbound = message(session, "let me in");
      const refused = { rule: "guests: U3 is a guest", isRefused: true } as const;
      expect(await subject.inbox.put(inbound, refused)).toMatchObject({
        kind: "refused",
        rule: refused.rule,
      });
      expect(await subject.inbox.put(inbound, refused)).toMatchObject({
        kind: "duplicate",
        refused: refused.rule,
      });
      expect(await only(subject, session)).toMatchObject({
        fate: "refused",
        reason: refused.rule,
        rule: refused.rule,
      });
      expect(await subject.transcripts.status(session)).toBe(undefined);
      expect((await subject.store.open(session, "w")).kind).toBe("nothing");
      const talk = message(session, "among people", { addressed: false });
      expect(await subject.inbox.put(talk)).toEqual({ kind: "ignored" });
      // Who comes next is answered, and what was refused is no part of it.
      await subject.inbox.put(message(session, "and me"));
      expect(asRun(await subject.store.open(session, "w")).tail).toHaveLength(1);
    },
  },
  {
    title: "talk that is refused and not for the bot is not kept",
    async run(subject) {
      const session = newSession();
      const refused = { rule: "guests: U3 is a guest", isRefused: true } as const;
      const talk = message(session, "among people", { addressed: false });
      const [mention, behind] = await Promise.all([
        subject.inbox.put(message(session, "a mention"), refused),
        subject.inbox.put(talk, refused),
      ]);
      expect([mention.kind, behind.kind]).toEqual(["refused", "ignored"]);
      await subject.inbox.put(message(session, "of somebody else"));
      expect(await subject.inbox.put(talk, refused)).toMatchObject({ kind: "refused" });
    },
  },
  {
    title: "a refused command does nothing, and a refused edit changes nothing",
    async run(subject) {
      const session = newSession();
      const refused = { rule: "commands.stop: only admins may", isRefused: true } as const;
      const asked = message(session, "as it was");
      await subject.inbox.put(asked);
      for (const inbound of [command(session, "stop"), command(session, "reset"), edit(asked, "changed")])
        expect(await subject.inbox.put(inbound, refused)).toMatchObject({ kind: "refused" });
      expect(await fates(subject, session)).toEqual(["waiting", "refused", "refused", "refused"]);
      expect(await subject.transcripts.status(session)).toMatchObject({ epoch: 1, waiting: 1 });
      expect(asRun(await subject.store.open(session, "w")).tail[0]?.body).toMatchObject({
        parts: [{ kind: "text", text: "as it was" }],
      });
    },
  },
  {
    title:
      "who is over a limit is refused by it, copies count once, and what was refused or ignored not at all",
    async run(subject) {
      const session = newSession();
      const who = `slack:T1:${session}`;
      const limit = {
        by: "user",
        most: 3,
        withinMs: 3_600_000,
        rule: "limits.user: 3",
        answer: "later",
      } as const;
      const admission: Admission = {
        rule: "members",
        counted: { limits: [limit], who, place: `${who}/place` },
      };
      const puts = ["one", "two", "three", "four", "five"].map((text) => message(newSession(), text));
      const [first] = puts;
      const answers = await Promise.all([
        subject.inbox.put(message(newSession(), "talk", { addressed: false }), admission),
        ...[first!, ...puts].map((inbound) => subject.inbox.put(inbound, admission)),
      ]);
      expect(answers.map(({ kind }) => kind)).toEqual([
        "ignored",
        "stored",
        "duplicate",
        "stored",
        "stored",
        "refused",
        "refused",
      ]);
      expect(answers.at(-1)).toMatchObject({ rule: limit.rule });
      const other: Admission = {
        rule: "members",
        counted: { limits: [limit], who: `${who}/other`, place: who },
      };
      expect(await subject.inbox.put(message(session, "of somebody else"), other)).toMatchObject({
        kind: "stored",
      });
      // Neither copy is told as refused, also where the first one was the last that there may be.
      const last = message(newSession(), "the last one");
      const alone: Admission = {
        rule: "members",
        counted: { limits: [{ ...limit, most: 1 }], who: `${who}/alone`, place: who },
      };
      const copies = await Promise.all([1, 2].map(() => subject.inbox.put(last, alone)));
      expect(copies.map((copy) => [copy.kind, "refused" in copy])).toEqual([
        ["stored", false],
        ["duplicate", false],
      ]);
      // Who was refused may ask again, and somebody without limits always.
      expect(await subject.inbox.put(message(session, "an admin"))).toMatchObject({ kind: "stored" });
    },
  },
  {
    title: "limits of a channel count all who speak there, those of a pair one of them in one thread",
    async run(subject) {
      const [session, next] = [newSession(), newSession()];
      const limits = (by: "channel" | "pair"): Limit[] => [
        { by, most: 1, withinMs: 3_600_000, rule: `${by}: 1`, answer: "later" },
      ];
      const by = (kind: "channel" | "pair", who: string): Admission => ({
        rule: "members",
        counted: { limits: limits(kind), who: `slack:T1:${who}${session}`, place: `slack:T1:${session}` },
      });
      const put = async (to: SessionId, admission: Admission): Promise<string> =>
        (await subject.inbox.put(message(to, "hello"), admission)).kind;
      expect(await put(session, by("channel", "U1"))).toBe("stored");
      expect(await put(next, by("channel", "U2"))).toBe("refused");
      expect(await put(session, by("pair", "B1"))).toBe("stored");
      expect(await put(session, by("pair", "B1"))).toBe("refused");
      expect(await put(session, by("pair", "B2"))).toBe("stored");
      expect(await put(next, by("pair", "B1"))).toBe("stored");
    },
  },
];
