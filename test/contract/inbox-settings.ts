// What people set for a session: set once, kept over a reset, and what it keeps from the bot or tells who claims the session.
import { expect } from "vitest";
import type { SessionCommand } from "../../src/core/command/command.ts";
import { MENTION_RULE, MUTE_RULE } from "../../src/core/session-settings.ts";
import type { SessionId } from "../../src/core/thread.ts";
import type { ContractCase } from "./contract.ts";
import { fates, type InboxSubject } from "./inbox-subject.ts";
import {
  answer,
  asRun,
  command,
  deletion,
  edit,
  message,
  modelCall,
  newSession,
  round,
} from "./store-samples.ts";

const mute = (value: "on" | "off"): SessionCommand => ({ name: "mute", value });
const follow = (value: "thread" | "mention"): SessionCommand => ({ name: "follow", value });
const model = (value: string): SessionCommand => ({ name: "model", value });

/** A session in which something was said. */
async function begun({ inbox }: InboxSubject): Promise<SessionId> {
  const session = newSession();
  await inbox.put(message(session, "hello"));
  return session;
}

const put = ({ inbox }: InboxSubject, session: SessionId, wanted: SessionCommand) =>
  inbox.put(command(session, wanted, { addressed: false }));

export const inboxSettingsCases: readonly ContractCase<InboxSubject>[] = [
  {
    title: "what is set is read back, a reset keeps it, and default takes it away again",
    async run(subject) {
      const { inbox, transcripts } = subject;
      const session = await begun(subject);
      expect(await transcripts.settings(session)).toEqual({ follow: "thread", isMuted: false });
      for (const wanted of [
        model("deep-2"),
        { name: "effort", value: "high" },
        { name: "verbosity", value: "steps" },
        { name: "title", value: "Plans 🙂" },
        follow("mention"),
        mute("on"),
      ] satisfies SessionCommand[])
        expect(await put(subject, session, wanted)).toMatchObject({ kind: "stored", running: false });
      const all = {
        model: "deep-2",
        effort: "high",
        verbosity: "steps",
        title: { text: "Plans 🙂", source: "person" },
        follow: "mention",
        isMuted: true,
      };
      expect(await transcripts.settings(session)).toEqual(all);
      await inbox.put(command(session, "reset"));
      expect(await transcripts.settings(session)).toEqual(all);
      for (const wanted of [
        model("default"),
        { name: "effort", value: "default" },
        { name: "verbosity", value: "default" },
        follow("thread"),
        mute("off"),
      ])
        await put(subject, session, wanted as SessionCommand);
      const { title } = all;
      expect(await transcripts.settings(session)).toEqual({ title, follow: "thread", isMuted: false });
    },
  },
  {
    title: "a command that is delivered again sets nothing anew, also when both come at once",
    async run(subject) {
      const session = await begun(subject);
      const first = command(session, { name: "title", value: "one" });
      const both = await Promise.all([1, 2].map(() => subject.inbox.put(first)));
      expect(both.map(({ kind }) => kind).sort()).toEqual(["duplicate", "stored"]);
      await put(subject, session, { name: "title", value: "two" });
      expect(await subject.inbox.put(first)).toMatchObject({ kind: "duplicate" });
      expect((await subject.transcripts.settings(session))?.title?.text).toBe("two");
      expect(await fates(subject, session)).toEqual(["waiting", "answered", "answered"]);
    },
  },
  {
    title:
      "where nothing was said a command sets something only if it may begin a session; what is refused sets nothing",
    async run(subject) {
      const { inbox, transcripts } = subject;
      const session = newSession();
      expect(await put(subject, session, mute("on"))).toEqual({ kind: "ignored" });
      expect(await transcripts.inbounds(session)).toEqual([]);
      const refused = { rule: "commands.mute: nobody", isRefused: true } as const;
      expect(await inbox.put(command(session, mute("on")), refused)).toMatchObject({ kind: "refused" });
      expect(await transcripts.settings(session)).toBe(undefined);
      expect(await inbox.put(command(session, model("deep-2")))).toMatchObject({ kind: "stored" });
      await inbox.put(message(session, "hello"));
      expect(asRun(await subject.store.open(session, "w")).chosen).toEqual({ model: "deep-2" });
    },
  },
  {
    title:
      "where a thread follows mentions only, what has none is kept as refused, without its words, and never read",
    async run(subject) {
      const { inbox, store, transcripts } = subject;
      const session = await begun(subject);
      await put(subject, session, follow("mention"));
      const talk = message(session, "among people", { addressed: false });
      expect(await inbox.put(talk)).toMatchObject({ kind: "refused", rule: MENTION_RULE });
      expect(await inbox.put(talk)).toMatchObject({ kind: "duplicate" });
      // On a surface that is the bot's alone all is addressed, and a mention is a thing of its own.
      expect(await inbox.put(message(session, "no mention", { isMention: false }))).toMatchObject({
        kind: "refused",
      });
      expect(await inbox.put(message(session, "to the bot"))).toMatchObject({ kind: "stored" });
      const [, , kept] = await transcripts.inbounds(session);
      expect(kept).toMatchObject({
        fate: "refused",
        rule: MENTION_RULE,
        inbound: { message: talk.message, parts: [] },
      });
      expect(asRun(await store.open(session, "w")).tail).toHaveLength(2);
      await put(subject, session, follow("thread"));
      expect(await inbox.put(message(session, "again", { addressed: false }))).toMatchObject({
        kind: "stored",
      });
    },
  },
  {
    title:
      "where the bot is muted nothing that is said is for it, commands are, and nothing counts for a limit",
    async run(subject) {
      const { inbox } = subject;
      const session = await begun(subject);
      await put(subject, session, mute("on"));
      const counted = {
        limits: [{ by: "user", most: 1, withinMs: 3_600_000, rule: "limits.user: 1", answer: "later" }],
        who: `web:local:${session}`,
        place: `web:local:${session}/place`,
      } as const;
      const admission = { rule: "members: one", counted };
      for (const text of ["one", "two"])
        expect(await inbox.put(message(session, text), admission)).toMatchObject({
          kind: "refused",
          rule: MUTE_RULE,
        });
      expect(await put(subject, session, mute("off"))).toMatchObject({ kind: "stored" });
      expect(await inbox.put(message(session, "three"), admission)).toMatchObject({ kind: "stored" });
      expect(await inbox.put(message(session, "four"), admission)).toMatchObject({
        kind: "refused",
        rule: "limits.user: 1",
      });
    },
  },
  {
    title:
      "an edit or a delete of a message that was refused is not kept either, and one of what is for the bot still is",
    async run(subject) {
      const { inbox, store, transcripts } = subject;
      const session = newSession();
      const asked = message(session, "to the bot");
      await inbox.put(asked);
      const first = asRun(await store.open(session, "w"));
      const stranger = message(session, "of a guest");
      await inbox.put(stranger, { rule: "guests: U3 is a guest", isRefused: true });
      await put(subject, session, follow("mention"));
      const talk = message(session, "among people", { addressed: false });
      await inbox.put(talk);
      await put(subject, session, mute("on"));
      const muted = message(session, "while it is quiet");
      await inbox.put(muted);
      await put(subject, session, mute("off"));
      const before = await transcripts.inbounds(session);
      for (const refused of [stranger, talk, muted])
        for (const change of [edit(refused, "among people, and longer"), deletion(refused)]) {
          expect(await inbox.put(change)).toEqual({ kind: "ignored" });
          expect(await inbox.put(change)).toEqual({ kind: "ignored" });
        }
      expect(await transcripts.inbounds(session)).toEqual(before);
      expect(await inbox.put(edit(asked, "to the bot, again"))).toMatchObject({ kind: "stored" });
      await store.end(first.fence, { reason: "stop", modelCalls: [] });
      await store.settled(first.fence);
      await inbox.put(message(session, "next"));
      const { tail } = asRun(await store.open(session, "w"));
      expect(JSON.stringify(tail)).toContain("to the bot, again");
      expect(JSON.stringify(tail)).not.toContain("among people");
    },
  },
  {
    title:
      "who may not use the bot is refused by that rule, and what is not for the bot is kept without its words all the same",
    async run(subject) {
      const { inbox, transcripts } = subject;
      const session = await begun(subject);
      const guests = { rule: "guests: U3 is a guest", isRefused: true } as const;
      const asked = message(session, "a question", { isMention: true });
      await put(subject, session, follow("mention"));
      const talk = message(session, "among people", { addressed: false });
      for (const inbound of [asked, talk, edit(talk, "among people, and longer")])
        expect(await inbox.put(inbound, guests)).toMatchObject({ kind: "refused", rule: guests.rule });
      const kept = (await transcripts.inbounds(session)).filter(({ rule }) => rule === guests.rule);
      expect(kept).toMatchObject([
        { reason: guests.rule, fate: "refused", inbound: { parts: asked.parts } },
        { reason: guests.rule, fate: "refused", inbound: { message: talk.message, parts: [] } },
        { reason: guests.rule, fate: "refused", inbound: { kind: "edit", message: talk.message, parts: [] } },
      ]);
    },
  },
  {
    title: "many at once are each judged by what was set before them",
    async run(subject) {
      const { inbox } = subject;
      const [quiet, open] = [await begun(subject), await begun(subject)];
      await put(subject, quiet, mute("on"));
      const stored = await Promise.all(
        [quiet, open, newSession(), quiet, open].map((session) => inbox.put(message(session, "hello"))),
      );
      expect(stored.map(({ kind }) => kind)).toEqual(["refused", "stored", "stored", "refused", "stored"]);
    },
  },
  {
    title:
      "a reload, and another model, void what was frozen before, also by a run that is under way; a resumed run keeps its own",
    async run(subject) {
      const { inbox, store } = subject;
      const frozenAs = (name: string) => ({
        prompt: { hash: `p-${name}`, text: `prompt ${name}` },
        tools: { hash: `t-${name}`, text: "[]" },
      });
      const session = await begun(subject);
      const old = frozenAs(`old-${session}`);
      const first = asRun(await store.open(session, "w"));
      await put(subject, session, { name: "reload" });
      // What it began with it freezes only now.
      const params = JSON.stringify({ v: 1, thinking: { kind: "effort", effort: "low" } });
      const told = {
        ...round(1, answer("a step")),
        modelCalls: [modelCall(`c-${session}`, { ...old, model: "plain-1", params })],
      };
      await store.commitRound(first.fence, told, old);
      await put(subject, session, model("deep-2"));
      const again = asRun(await store.open(session, "w2"));
      expect(again).toMatchObject({
        resumed: true,
        frozen: old,
        begunWith: { model: "plain-1", effort: "low" },
        chosen: { model: "deep-2" },
      });
      await store.end(again.fence, { reason: "stop", round: round(2, answer("done")), modelCalls: [] });
      await store.settled(again.fence);

      await inbox.put(message(session, "next"));
      const second = asRun(await store.open(session, "w"));
      expect(second).toMatchObject({ resumed: false, chosen: { model: "deep-2" } });
      expect([second.frozen, second.begunWith]).toEqual([undefined, undefined]);
      const anew = frozenAs(`new-${session}`);
      await store.end(
        second.fence,
        { reason: "stop", round: round(1, answer("done")), modelCalls: [] },
        anew,
      );
      await store.settled(second.fence);
      await inbox.put(message(session, "and once more"));
      const third = asRun(await store.open(session, "w"));
      expect(third.frozen).toEqual(anew);
      await store.end(third.fence, { reason: "stop", round: round(1, answer("done")), modelCalls: [] });
      await store.settled(third.fence);
      await put(subject, session, { name: "effort", value: "low" });
      await inbox.put(message(session, "with an effort"));
      expect(asRun(await store.open(session, "w"))).toMatchObject({
        frozen: anew,
        chosen: { model: "deep-2", effort: "low" },
      });
    },
  },
];
