// What every Transcripts keeps; see src/core/ports/transcripts.ts. The other suites look through it all the time; here is what
// they do not say.
import { expect } from "vitest";
import { sessionIdOf, type SessionId } from "../../src/core/thread.ts";
import type { ContractCase } from "./contract.ts";
import { fail, finish, running, type RunStoreSubject } from "./run-store-subject.ts";
import { answer, asRun, command, message, modelCall, newSession, round } from "./store-samples.ts";

export const transcriptsCases: readonly ContractCase<RunStoreSubject>[] = [
  {
    title: "an unknown session has no status and empty lists",
    async run({ transcripts }) {
      const session = newSession();
      expect(await transcripts.status(session)).toBe(undefined);
      expect(await transcripts.entries(session)).toEqual([]);
      expect(await transcripts.inbounds(session)).toEqual([]);
      expect(await transcripts.runs(session)).toEqual([]);
    },
  },
  {
    title: "the status tells what waits, what runs, what was last and what it took",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      const first = await running(subject, "one");
      const { session } = first;
      const usage = { model: "m", durationMs: 3, input: 7, cacheRead: 2, output: 1 };
      const call = modelCall(`${session}-s`, { usage: [usage] });
      await store.commitRound(first.fence, { ...round(1, answer("hm")), modelCalls: [call] });
      expect(await transcripts.status(session)).toEqual({
        epoch: 1,
        waiting: 0,
        running: { run: first.run.id, startedAt: first.run.startedAt, rounds: 1 },
        entries: 2,
        usage: { input: 7, cacheRead: 2, output: 1 },
      });
      await finish(subject, asRun(await store.open(session, "w")));
      await inbox.put(message(session, "two"));
      const status = await transcripts.status(session);
      expect(status).toMatchObject({ waiting: 1, entries: 3 });
      expect(status?.running).toBe(undefined);
      expect(status?.last).toMatchObject({ run: first.run.id, outcome: { reason: "stop" } });
    },
  },
  {
    title: "the status counts the entries of the epoch, and the transcript keeps everything",
    async run(subject) {
      const { inbox, transcripts } = subject;
      const first = await running(subject, "one");
      await finish(subject, first);
      await inbox.put(command(first.session, "reset"));
      expect(await transcripts.status(first.session)).toMatchObject({ epoch: 2, entries: 0 });
      expect(await transcripts.entries(first.session)).toHaveLength(2);
      expect(await transcripts.inbounds(first.session)).toHaveLength(2);
      expect(await transcripts.runs(first.session)).toHaveLength(1);
    },
  },
  {
    title: "runs come oldest first with cause, outcome and every attempt",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      const first = await running(subject, "one");
      const { session } = first;
      await store.leave(first.fence, "handed_over");
      await fail(subject, asRun(await store.open(session, "worker-2")));
      await inbox.put(command(session, "retry"));
      const second = asRun(await store.open(session, "worker-3"));
      const runs = await transcripts.runs(session);
      expect(runs.map((run) => [run.id, run.cause, run.reply])).toEqual([
        [first.run.id, "message", "settled"],
        [second.run.id, "retry", "open"],
      ]);
      expect(runs[0]?.outcome).toMatchObject({
        reason: "error",
        error: { code: "model_unavailable", message: "503" },
      });
      expect(runs[1]?.outcome).toBe(undefined);
      const attempts = runs.map((run) => run.attempts.map((attempt) => [attempt.worker, attempt.ended]));
      expect(attempts).toEqual([
        [
          ["worker-1", "handed_over"],
          ["worker-2", "crashed"],
          ["worker-1", "ended"],
        ],
        [["worker-3", undefined]],
      ]);
    },
  },
  {
    title: "the run of a message is the one that read it, and what no run has read has none",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      const first = await running(subject, "one");
      const { session } = first;
      await finish(subject, first);
      const [later, waiting] = [message(session, "two"), message(session, "three")];
      await inbox.put(later);
      const second = asRun(await store.open(session, "worker-1"));
      await inbox.put(waiting);
      const [one] = await transcripts.inbounds(session);
      const read = one?.inbound.kind === "message" ? one.inbound.message : "";
      expect((await transcripts.runOf(session, read))?.run.id).toBe(first.run.id);
      expect((await transcripts.runOf(session, later.message))?.run.id).toBe(second.run.id);
      expect((await transcripts.newestRun(session))?.run.id).toBe(second.run.id);
      expect(await transcripts.runOf(session, waiting.message)).toBe(undefined);
      expect(await transcripts.runOf(newSession(), later.message)).toBe(undefined);
    },
  },
  {
    title:
      "the recent sessions are those of one channel, the one that was touched last first, with label and state",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      const space = `T${newSession().slice(-12)}`;
      const at = (channel: string, root: string): SessionId =>
        sessionIdOf({ platform: "slack", space, channel, root });
      await inbox.put(message(at("C1", "1.1"), "the first question"));
      await inbox.put(message(at("C10", "1.1"), "another channel, whose name begins alike"));
      await inbox.put(message(at("C1", "2.2"), "the second   question"));
      await inbox.put(message(at("C1", "3.3"), "", { parts: [] }));
      await store.open(at("C1", "1.1"), "worker-1");
      const recent = await transcripts.recent("slack", space, "C1", 10);
      const times = recent.map(({ touchedAt }) => touchedAt);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(recent.find(({ session }) => session === at("C1", "1.1"))).toMatchObject({
        touchedAt: Math.max(...times),
        label: "the first question",
        running: true,
      });
      expect(recent.map(({ session }) => session).sort()).toEqual(
        ["1.1", "2.2", "3.3"].map((root) => at("C1", root)),
      );
      expect(recent.find(({ session }) => session === at("C1", "2.2"))).toMatchObject({
        label: "the second question",
        running: false,
      });
      expect(recent.find(({ session }) => session === at("C1", "3.3"))?.label).toBe("New thread");
      expect(await transcripts.recent("slack", space, "C1", 1)).toEqual(recent.slice(0, 1));
      expect(await transcripts.recent("discord", space, "C1", 10)).toEqual([]);
    },
  },
];
