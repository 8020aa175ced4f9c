// What every Transcripts keeps; see src/core/ports/transcripts.ts. The other suites look through it all the time; here is what
// they do not say.
import { expect } from "vitest";
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
          ["worker-2", "ended"],
          ["worker-1", "ended"],
        ],
        [["worker-3", undefined]],
      ]);
    },
  },
];
