// The claiming of a session: what `open` takes, and what a claim does to the one before it.
import { expect } from "vitest";
import { isStaleFence } from "../../src/core/errors.ts";
import type { ContractCase } from "./contract.ts";
import { fates, finish, running, type RunStoreSubject } from "./run-store-subject.ts";
import {
  answer,
  asRun,
  asSettle,
  command,
  deletion,
  edit,
  lines,
  message,
  modelCall,
  newSession,
  result,
  round,
} from "./store-samples.ts";

const CALL = { id: "c1", name: "clock", arguments: '{"zone": "UTC"}' };

export const claimCases: readonly ContractCase<RunStoreSubject>[] = [
  {
    title: "where nothing waits there is nothing to open, and asking leaves no trace",
    async run({ store, inbox, transcripts }) {
      const session = newSession();
      expect(await store.open(session, "w")).toEqual({ kind: "nothing" });
      expect(await store.hasWork(session)).toBe(false);
      expect(await transcripts.status(session)).toBe(undefined);
      await inbox.put(message(session, "now"));
      expect(asRun(await store.open(session, "w")).fence.number).toBe(1);
    },
  },
  {
    title:
      "a new run takes all that waits as user entries in platform-time order, for the newest one's author",
    async run({ store, inbox }) {
      const session = newSession();
      const late = message(session, "said last", { at: 3_000, author: { id: "U2", name: "Bo" } });
      const early = message(session, "said first", { at: 1_000 });
      for (const inbound of [late, message(session, "said second", { at: 2_000 }), early])
        await inbox.put(inbound);
      const { run, tail, resumed, stopped, frozen } = asRun(await store.open(session, "w"));
      expect(lines(tail)).toEqual(["user: said first", "user: said second", "user: said last"]);
      expect(tail[0]).toMatchObject({ epoch: 1, run: run.id, round: 0, body: { inbound: early.id } });
      expect(run).toMatchObject({ session, cause: "message", epoch: 1, rounds: 0, usage: {} });
      expect(run.requester).toEqual({ id: "U2", name: "Bo" });
      expect({ resumed, stopped, frozen }).toEqual({ resumed: false, stopped: false, frozen: undefined });
      expect(Math.abs(run.startedAt - Date.now())).toBeLessThan(60_000);
    },
  },
  {
    title: "P8: messages of one and the same moment keep the order in which they were stored",
    async run({ store, inbox }) {
      const session = newSession();
      for (let index = 0; index < 12; index += 1)
        await inbox.put(message(session, `${index}`, { at: 5_000 }));
      const { tail } = asRun(await store.open(session, "w"));
      expect(lines(tail)).toEqual(Array.from({ length: 12 }, (_, index) => `user: ${index}`));
    },
  },
  {
    title: "every claim raises the fence and resumes the run from its last stored round",
    async run(subject) {
      const { store } = subject;
      const first = await running(subject, "what time is it?");
      await store.commitRound(first.fence, round(1, answer("", [CALL]), result("c1", "12:00")));
      await store.commitRound(first.fence, {
        ...round(2, answer("", [{ ...CALL, id: "c2" }])),
        state: "calls",
      });
      const second = asRun(await store.open(first.session, "worker-2"));
      expect(second.fence.number).toBeGreaterThan(first.fence.number);
      expect(second.run).toMatchObject({ id: first.run.id, rounds: 1 });
      expect(second.resumed).toBe(true);
      expect(lines(second.tail)).toEqual([
        "user: what time is it?",
        "bot calls: c1",
        "tool c1: 12:00",
        "bot calls: c2",
      ]);
      expect(second.tail.at(-1)).toMatchObject({ round: 2 });
    },
  },
  {
    title: "a fence that is not the newest is refused everywhere with stale_fence, and changes nothing",
    async run(subject) {
      const { store, transcripts, inbox } = subject;
      const { fence, session } = await running(subject, "one");
      asRun(await store.open(session, "worker-2"));
      await inbox.put(message(session, "two"));
      const seen = async (): Promise<unknown> =>
        JSON.stringify([
          await transcripts.entries(session),
          await transcripts.inbounds(session),
          await transcripts.runs(session),
        ]);
      const before = await seen();
      const blob = { hash: "h-stale", text: "stale" };
      const writes = [
        store.commitRound(fence, round(1, answer("zombie")), { prompt: blob, tools: blob }),
        store.commitRound(fence, { ...round(1, answer("zombie")), modelCalls: [modelCall(`${session}-z`)] }),
        store.commitRound(fence, { ...round(1, answer("zombie")), state: "calls" }),
        store.end(fence, { reason: "stop", modelCalls: [] }),
        store.end(fence, {
          reason: "error",
          note: "zombie",
          round: round(1, answer("zombie")),
          modelCalls: [],
        }),
        store.settled(fence),
        store.touch(fence),
      ];
      for (const outcome of await Promise.allSettled(writes)) {
        expect(outcome.status === "rejected" && isStaleFence(outcome.reason)).toBe(true);
      }
      expect(await seen()).toBe(before);
    },
  },
  {
    title: "two that claim at the same time have different fences, and only the newer one can write",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      for (let again = 0; again < 5; again += 1) {
        const session = newSession();
        await inbox.put(message(session, "for one of you"));
        const opened = (await Promise.all(["a", "b", "c"].map((w) => store.open(session, w)))).map(asRun);
        expect(new Set(opened.map((each) => each.run.id)).size).toBe(1);
        const numbers = opened.map((each) => each.fence.number);
        expect(new Set(numbers).size).toBe(3);
        const writes = await Promise.allSettled(
          opened.map((each) => store.commitRound(each.fence, round(1, answer(`by ${each.fence.number}`)))),
        );
        expect(writes.filter((write) => write.status === "fulfilled")).toHaveLength(1);
        expect(lines(await transcripts.entries(session))).toEqual([
          "user: for one of you",
          `bot: by ${Math.max(...numbers)}`,
        ]);
        expect(await transcripts.runs(session)).toHaveLength(1);
      }
    },
  },
  {
    title: "a reply that is settling comes before everything else, with its entries and outcome",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      const { fence, session, run } = await running(subject, "one");
      await store.end(fence, { reason: "stop", round: round(1, answer("the answer")), modelCalls: [] });
      await inbox.put(message(session, "two"));
      const settle = asSettle(await store.open(session, "worker-2"));
      expect(settle.run.id).toBe(run.id);
      expect(settle.outcome).toMatchObject({ reason: "stop" });
      expect(lines(settle.entries)).toEqual(["user: one", "bot: the answer"]);
      await store.settled(settle.fence);
      expect(await store.hasWork(session)).toBe(true);
      expect((await transcripts.runs(session)).map((each) => each.reply)).toEqual(["settled"]);
      expect(lines(asRun(await store.open(session, "worker-2")).tail)).toEqual([
        "user: one",
        "bot: the answer",
        "user: two",
      ]);
    },
  },
  {
    title: "P12: the tail is the newest entries, ascending, and begins at a user turn",
    async run(subject) {
      const { store, inbox, tailLimit } = subject;
      const session = newSession();
      let count = 0;
      for (; count < tailLimit / 2; count += 1) {
        await inbox.put(message(session, `question ${count}`));
        await finish(subject, asRun(await store.open(session, "w")), `answer ${count}`);
      }
      await inbox.put(message(session, "the last"));
      const { tail } = asRun(await store.open(session, "w"));
      // The newest entries would begin with the answer to the first question, which has lost its question.
      expect(tail[0]?.body.kind).toBe("user");
      expect(tail).toHaveLength(tailLimit - 1);
      expect(lines(tail).at(0)).toBe("user: question 1");
      expect(lines(tail).at(-1)).toBe("user: the last");
      expect(tail.map((entry) => entry.seq)).toEqual(
        tail.map((entry) => entry.seq).toSorted((a, b) => a - b),
      );
    },
  },
  {
    title: "a turn that is longer than the tail is given whole",
    async run(subject) {
      const { store, tailLimit } = subject;
      const { fence, session } = await running(subject, "a long task");
      const entries = Array.from({ length: tailLimit + 20 }, (_, index) => answer(`step ${index}`));
      await store.commitRound(fence, round(1, ...entries));
      const { tail } = asRun(await store.open(session, "w"));
      expect(lines(tail).at(0)).toBe("user: a long task");
      expect(tail).toHaveLength(tailLimit + 21);
    },
  },
  {
    title: "prompt and tools are frozen for the epoch, over runs and claims, until a reset",
    async run(subject) {
      const { store, inbox } = subject;
      const first = await running(subject, "one");
      const frozen = {
        prompt: { hash: `p-${first.session}`, text: "Du bist Bobbin. 🙂" },
        tools: { hash: `t-${first.session}`, text: '[{"name":"b","a":1}]' },
      };
      await store.commitRound(first.fence, round(1, answer("a step")), frozen);
      const second = asRun(await store.open(first.session, "w"));
      expect(second.frozen).toEqual(frozen);
      await finish(subject, second);
      await inbox.put(message(first.session, "two"));
      const third = asRun(await store.open(first.session, "w"));
      expect(third.frozen).toEqual(frozen);
      await finish(subject, third);
      await inbox.put(command(first.session, "reset"));
      await inbox.put(message(first.session, "three"));
      const fourth = asRun(await store.open(first.session, "w"));
      expect(fourth.frozen).toBe(undefined);
      const anew = { ...frozen, prompt: { hash: `n-${first.session}`, text: "You are Bobbin." } };
      await store.end(fourth.fence, { reason: "stop", modelCalls: [] }, anew);
      await store.settled(fourth.fence);
      await inbox.put(message(first.session, "four"));
      expect(asRun(await store.open(first.session, "w")).frozen).toEqual(anew);
    },
  },
  {
    title: "an edit or a delete of a used message is a note for the next run, and no reason for one",
    async run(subject) {
      const { store, inbox } = subject;
      const session = newSession();
      const [first, second] = [message(session, "at five"), message(session, "forget this")];
      await inbox.put(first);
      await inbox.put(second);
      await finish(subject, asRun(await store.open(session, "w")));
      await inbox.put(edit(first, "at six"));
      await inbox.put(deletion(second));
      expect(await store.hasWork(session)).toBe(false);
      expect(await store.open(session, "w")).toEqual({ kind: "nothing" });
      // Sent before the edits came; the model still reads them first.
      await inbox.put(message(session, "so when?"));
      const { tail } = asRun(await store.open(session, "w"));
      const notes = tail
        .filter((entry) => entry.body.kind === "note")
        .map((entry) => JSON.stringify(entry.body));
      expect(notes).toHaveLength(2);
      expect(notes[0]).toMatch(/at five.*at six/);
      expect(notes[1]).toMatch(/forget this/);
      expect(lines(tail).at(-1)).toBe("user: so when?");
      expect(await fates(subject, session)).toEqual([
        "answered",
        "answered",
        "answered",
        "answered",
        "admitted",
      ]);
    },
  },
];
