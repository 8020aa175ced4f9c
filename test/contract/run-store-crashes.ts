// Attempts that end without a word, and who is due.
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { sessionIdOf, type SessionId } from "../../src/core/thread.ts";
import { until } from "../support/until.ts";
import type { ContractCase } from "./contract.ts";
import { fates, finish, running, type RunStoreSubject } from "./run-store-subject.ts";
import { answer, asRun, asSettle, lines, message, newSession, round } from "./store-samples.ts";

/** Waits until the clock shows another millisecond, so that "oldest first" has one answer. */
function nextMillisecond(): Promise<true> {
  const now = Date.now();
  return until(() => Date.now() > now + 1, { what: "the clock has moved", everyMs: 1 });
}

export const crashCases: readonly ContractCase<RunStoreSubject>[] = [
  {
    title:
      "a run is given up at the eighth crash: it ends with attempts_used_up, and its reply is to be settled",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      const { session, run } = await running(subject, "poison");
      for (let crash = 1; crash < 8; crash += 1) asRun(await store.open(session, `worker-${crash}`));
      const settle = asSettle(await store.open(session, "worker-8"));
      expect(settle.run.id).toBe(run.id);
      expect(settle.outcome).toMatchObject({ reason: "error", error: { code: "attempts_used_up" } });
      expect(lines(settle.entries).at(0)).toBe("user: poison");
      expect(settle.entries.at(-1)?.body.kind).toBe("note");
      expect(await fates(subject, session)).toEqual(["failed"]);
      const ended = (await transcripts.runs(session))[0]?.attempts.map((attempt) => attempt.ended);
      expect(ended).toEqual([...Array.from({ length: 8 }, () => "crashed"), undefined]);
      await store.settled(settle.fence);
      await inbox.put(message(session, "something else"));
      expect(asRun(await store.open(session, "w")).resumed).toBe(false);
    },
  },
  {
    title: "only crashes count: hand-overs, lost leases and crashes before a stored round do not",
    async run(subject) {
      const { store } = subject;
      const first = await running(subject, "one");
      const { session } = first;
      let { fence } = first;
      const claim = async (): Promise<void> => {
        ({ fence } = asRun(await store.open(session, "w")));
      };
      for (let index = 0; index < 12; index += 1) {
        await store.leave(fence, index % 2 === 0 ? "handed_over" : "lost");
        await claim();
      }
      for (let crash = 0; crash < 6; crash += 1) await claim();
      await store.commitRound(fence, round(1, answer("progress")));
      for (let crash = 0; crash < 7; crash += 1) await claim();
      expect(asSettle(await store.open(session, "w")).outcome.error?.code).toBe("attempts_used_up");
    },
  },
  {
    title: "one who left late says so about its own attempt only, and is no crash any more",
    async run(subject) {
      const { store, transcripts } = subject;
      const first = await running(subject, "one");
      const { fence, session } = first;
      const second = asRun(await store.open(session, "worker-2"));
      const ends = async (): Promise<unknown> =>
        (await transcripts.runs(session))[0]?.attempts.map((attempt) => attempt.ended);
      expect(await ends()).toEqual(["crashed", undefined]);
      expect([first.afterCrash, second.afterCrash]).toEqual([false, true]);
      await store.leave(fence, "lost");
      expect(await ends()).toEqual(["lost", undefined]);
      await store.end(second.fence, { reason: "stop", modelCalls: [] });
      await store.leave(second.fence, "lost");
      expect(asSettle(await store.open(session, "worker-3")).afterCrash).toBe(false);
      expect(await ends()).toEqual(["lost", "lost", undefined]);
    },
  },
  {
    title: "attempts that leave in the same moment have left each in its own way",
    async run(subject) {
      const { store, transcripts } = subject;
      const runs = await Promise.all(["one", "two", "three", "four"].map((text) => running(subject, text)));
      const ways = ["lost", "handed_over", "crashed", "handed_over"] as const;
      await Promise.all(runs.map(({ fence }, index) => store.leave(fence, ways[index] ?? "lost")));
      const ends = await Promise.all(runs.map(({ session }) => transcripts.runs(session)));
      expect(ends.map(([run]) => run?.attempts.map(({ ended }) => ended))).toEqual(ways.map((way) => [way]));
    },
  },
  {
    title:
      "an attempt that ended its run and died before it wrote the final pages is a crash to the next one",
    async run(subject) {
      const { store, transcripts } = subject;
      const { fence, session } = await running(subject, "one");
      await store.end(fence, { reason: "stop", modelCalls: [] });
      const settle = asSettle(await store.open(session, "worker-2"));
      expect(settle.afterCrash).toBe(true);
      await store.settled(settle.fence);
      const ended = (await transcripts.runs(session))[0]?.attempts.map((attempt) => attempt.ended);
      expect(ended).toEqual(["crashed", "ended"]);
    },
  },
  {
    title:
      "that an attempt died is known to each that comes soon after, also when the first of them has left",
    async run(subject) {
      const { store } = subject;
      const { session } = await running(subject, "one");
      const second = asRun(await store.open(session, "worker-2"));
      await store.leave(second.fence, "handed_over");
      const third = asRun(await store.open(session, "worker-3"));
      await store.end(third.fence, { reason: "stop", modelCalls: [] });
      await store.leave(third.fence, "handed_over");
      const settle = asSettle(await store.open(session, "worker-4"));
      expect([second.afterCrash, third.afterCrash, settle.afterCrash]).toEqual([true, true, true]);
      await store.settled(settle.fence);
      await subject.inbox.put(message(session, "two"));
      expect(asRun(await store.open(session, "worker-5")).afterCrash).toBe(false);
    },
  },
  {
    title:
      "due is what has work and was not touched for the time: waiting, unfinished and settling, oldest first",
    async run(subject) {
      const { store, inbox } = subject;
      const waiting = newSession();
      await inbox.put(message(waiting, "one"));
      await nextMillisecond();
      const unfinished = await running(subject, "two");
      await nextMillisecond();
      const settling = await running(subject, "three");
      await store.end(settling.fence, { reason: "stop", modelCalls: [] });
      const idle = await running(subject, "four");
      await finish(subject, idle);
      const mine = new Set([waiting, unfinished.session, settling.session, idle.session]);
      const due = (await store.due(0, 100_000)).filter((session) => mine.has(session));
      expect(due).toEqual([waiting, unfinished.session, settling.session]);
      expect(await store.due(0, 1)).toHaveLength(1);
      expect((await store.due(3_600_000, 100_000)).filter((session) => mine.has(session))).toEqual([]);
      const work = await Promise.all([...mine].map((session) => store.hasWork(session)));
      expect(work).toEqual([true, true, true, false]);
    },
  },
  {
    title: "a run that its attempt touches is not due, and goes on as if nothing had been said",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      const { fence, session } = await running(subject, "a long one");
      const isDue = async (): Promise<boolean> => (await store.due(50, 100_000)).includes(session);
      await until(isDue, { what: "the run is due" });
      await until(
        async () => {
          await store.touch(fence);
          return !(await isDue());
        },
        { what: "the touched run is not due" },
      );
      await inbox.put(message(session, "two"));
      await store.touch(fence);
      const [touched, committed] = await Promise.all([
        store.touch(fence),
        store.commitRound(fence, round(1, answer("one"))),
      ]);
      expect([touched, lines(committed.steered)]).toEqual([undefined, ["user: two"]]);
      expect((await transcripts.runs(session))[0]?.attempts).toHaveLength(1);
      await until(isDue, { what: "the run is due again" });
    },
  },
  {
    title:
      "among those that are due, the one that was touched longest ago comes first, however old its work is",
    async run(subject) {
      const { store } = subject;
      const old = await running(subject, "one");
      await nextMillisecond();
      const { session } = await running(subject, "two");
      await nextMillisecond();
      await store.touch(old.fence);
      const mine = (await store.due(0, 100_000)).filter((each) => [old.session, session].includes(each));
      expect(mine).toEqual([session, old.session]);
    },
  },
  {
    title: "of those that are due each space has its turn: one with many that nobody serves starves no other",
    async run({ store, inbox }) {
      const [many, few] = [randomUUID(), randomUUID()];
      const put = async (space: string, channel: string): Promise<SessionId> => {
        await nextMillisecond();
        const session = sessionIdOf({ platform: "discord", space, channel });
        await inbox.put(message(session, "hello"));
        return session;
      };
      const first = await put(many, "1");
      const second = await put(many, "2");
      const third = await put(many, "3");
      const other = await put(few, "1");
      const mine = new Set([first, second, third, other]);
      const due = (await store.due(0, 100_000)).filter((session) => mine.has(session));
      expect(due).toEqual([first, other, second, third]);
    },
  },
];
