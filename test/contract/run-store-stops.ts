// Stop, reset and retry.
import { expect } from "vitest";
import type { ContractCase } from "./contract.ts";
import { fail, fates, finish, running, type RunStoreSubject } from "./run-store-subject.ts";
import {
  answer,
  asRun,
  command,
  edit,
  lines,
  message,
  modelCall,
  newSession,
  round,
} from "./store-samples.ts";

export const stopCases: readonly ContractCase<RunStoreSubject>[] = [
  {
    title:
      "a stop in mid-run is seen by commit, by claim and by question; what came after it waits for its own run",
    async run(subject) {
      const { store, inbox } = subject;
      const { fence, session } = await running(subject, "one");
      await inbox.put(message(session, "dropped"));
      expect(await store.isStopped(fence)).toBe(false);
      await inbox.put(command(session, "stop"));
      await inbox.put(message(session, "kept"));
      expect(await store.isStopped(fence)).toBe(true);
      const committed = await store.commitRound(fence, round(1, answer("shown")));
      expect([committed.stopped, committed.steered]).toEqual([true, []]);
      const resumed = asRun(await store.open(session, "w"));
      expect(resumed.stopped).toBe(true);
      const ended = await store.end(resumed.fence, {
        reason: "cancelled",
        note: "ended: stopped",
        modelCalls: [],
      });
      expect(ended).toEqual({ kind: "ended" });
      expect(await fates(subject, session)).toEqual(["cancelled", "cancelled", "answered", "waiting"]);
      await store.settled(resumed.fence);
      expect(await store.hasWork(session)).toBe(true);
      const next = asRun(await store.open(session, "w"));
      expect([next.stopped, lines(next.tail).at(-1)]).toEqual([false, "user: kept"]);
    },
  },
  {
    title: "a stop that comes before a message of the same run does not touch it",
    async run(subject) {
      const { store, inbox } = subject;
      const session = newSession();
      await inbox.put(message(session, "old"));
      await inbox.put(command(session, "stop"));
      await inbox.put(message(session, "new"));
      const { fence, tail, stopped } = asRun(await store.open(session, "w"));
      expect([lines(tail), stopped, await store.isStopped(fence)]).toEqual([["user: new"], false, false]);
    },
  },
  {
    title: "where everything was stopped there is nothing to open",
    async run({ store, inbox }) {
      const session = newSession();
      await inbox.put(message(session, "never mind"));
      await inbox.put(command(session, "stop"));
      expect(await store.hasWork(session)).toBe(false);
      expect(await store.open(session, "w")).toEqual({ kind: "nothing" });
    },
  },
  {
    title: "an answer that was stored before the stop came is an answer",
    async run(subject) {
      const { store, inbox } = subject;
      const { fence, session } = await running(subject, "one");
      await store.commitRound(fence, round(1, answer("done")));
      await inbox.put(command(session, "stop"));
      await inbox.put(message(session, "two"));
      expect(await store.end(fence, { reason: "stop", modelCalls: [] })).toEqual({ kind: "ended" });
      expect(await fates(subject, session)).toEqual(["answered", "answered", "waiting"]);
    },
  },
  {
    title:
      "an answer that the stop came before is not taken with the end: nothing changes, until it ends as cancelled with it",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      const { fence, session } = await running(subject, "one");
      await inbox.put(message(session, "before it"));
      await inbox.put(command(session, "stop"));
      await inbox.put(message(session, "two"));
      const before = await fates(subject, session);
      const ending = {
        round: { ...round(1, answer("done")), modelCalls: [modelCall(`${session}-m`)] },
        modelCalls: [],
      };
      expect(await store.end(fence, { reason: "stop", ...ending })).toEqual({ kind: "stopped" });
      expect(lines(await transcripts.entries(session))).toEqual(["user: one"]);
      expect(await fates(subject, session)).toEqual(before);
      expect(await store.end(fence, { reason: "cancelled", note: "stopped", ...ending })).toEqual({
        kind: "ended",
      });
      expect(lines(await transcripts.entries(session))).toEqual(["user: one", "bot: done", "note: stopped"]);
      expect(await fates(subject, session)).toEqual(["cancelled", "cancelled", "answered", "waiting"]);
    },
  },
  {
    title: "after a reset the model sees nothing from before, also when the old run still writes",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      const { fence, session } = await running(subject, "secret");
      await inbox.put(command(session, "reset"));
      expect((await store.commitRound(fence, round(1, answer("late")))).stopped).toBe(true);
      await store.end(fence, { reason: "cancelled", note: "ended: reset", modelCalls: [] });
      await store.settled(fence);
      await inbox.put(message(session, "anew"));
      const next = asRun(await store.open(session, "w"));
      expect([lines(next.tail), next.run.epoch]).toEqual([["user: anew"], 2]);
      expect((await transcripts.entries(session)).map((entry) => entry.epoch)).toEqual([1, 1, 1, 2]);
    },
  },
  {
    title: "a retry opens a new run on the input of the failed one, and its success makes that answered",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      const first = await running(subject, "one", "two");
      const { session } = first;
      await fail(subject, first);
      await inbox.put(command(session, "retry"));
      const again = asRun(await store.open(session, "w"));
      expect(again.run).toMatchObject({ cause: "retry", rounds: 0 });
      expect(again.run.id).not.toBe(first.run.id);
      expect(lines(again.tail).slice(0, 3)).toEqual([
        "user: one",
        "user: two",
        "note: the previous turn ended: error",
      ]);
      expect(again.tail.at(-1)?.body.kind).toBe("note");
      expect(await fates(subject, session)).toEqual(["admitted", "admitted", "admitted"]);
      await finish(subject, again);
      expect(await fates(subject, session)).toEqual(["answered", "answered", "answered"]);
      const owners = new Set((await transcripts.inbounds(session)).map((view) => view.run));
      expect([...owners]).toEqual([again.run.id]);
    },
  },
  {
    title: "a retry where the last answer did not fail is refused with a reason, and opens nothing",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      const first = await running(subject, "one");
      await finish(subject, first);
      await inbox.put(command(first.session, "retry"));
      expect(await store.hasWork(first.session)).toBe(true);
      expect(await store.open(first.session, "w")).toEqual({ kind: "nothing" });
      expect(await store.hasWork(first.session)).toBe(false);
      const views = await transcripts.inbounds(first.session);
      expect(views.at(-1)).toMatchObject({ fate: "refused" });
      expect(views.at(-1)?.reason).not.toBe("");
      const fresh = newSession();
      await inbox.put(command(fresh, "retry"));
      expect(await store.open(fresh, "w")).toEqual({ kind: "nothing" });
      expect(await fates(subject, fresh)).toEqual(["refused"]);
    },
  },
  {
    title: "a retry after a reset is refused: what failed is behind it",
    async run(subject) {
      const { store, inbox } = subject;
      const first = await running(subject, "one");
      await fail(subject, first);
      await inbox.put(command(first.session, "reset"));
      await inbox.put(command(first.session, "retry"));
      expect(await store.open(first.session, "w")).toEqual({ kind: "nothing" });
      expect(await fates(subject, first.session)).toEqual(["failed", "answered", "refused"]);
    },
  },
  {
    title:
      "a retry takes the notes on edited messages along, as a turn of their own where no message comes with them",
    async run(subject) {
      const { store, inbox } = subject;
      const session = newSession();
      const one = message(session, "one");
      await inbox.put(one);
      await fail(subject, asRun(await store.open(session, "w")));
      await inbox.put(edit(one, "won"));
      await inbox.put(command(session, "retry"));
      const again = asRun(await store.open(session, "w"));
      expect(again.tail.at(-1)?.body).toEqual({
        v: 1,
        kind: "user",
        parts: [{ kind: "note", text: expect.stringContaining("won") as string }],
      });
      await finish(subject, again);
      expect(await fates(subject, session)).toEqual(["answered", "answered", "answered"]);
      const two = message(session, "two");
      await inbox.put(two);
      await fail(subject, asRun(await store.open(session, "w")));
      await inbox.put(edit(two, "too"));
      await inbox.put(command(session, "retry"));
      await inbox.put(message(session, "three"));
      const said = lines(asRun(await store.open(session, "w")).tail).slice(-2);
      expect(said).toEqual([expect.stringMatching(/^note: .*too/), "user: three"]);
    },
  },
  {
    title: "a run that tries another again knows that one and how it ended; any other knows none",
    async run(subject) {
      const { store, inbox } = subject;
      const first = await running(subject, "one");
      expect(await store.triedAgain(first.fence)).toBe(undefined);
      await store.commitRound(first.fence, round(1, answer("half")));
      await fail(subject, first);
      await inbox.put(command(first.session, "retry"));
      const again = asRun(await store.open(first.session, "w"));
      const before = await store.triedAgain(again.fence);
      expect(before).toMatchObject({ run: { id: first.run.id, rounds: 1 }, outcome: { reason: "error" } });
      expect(lines(before?.entries ?? []).slice(0, 2)).toEqual(["user: one", "bot: half"]);
      expect(before?.laidOut).toBe(undefined);
    },
  },
  {
    title: "a run that tries another again knows how the pages of that one stood when they were settled",
    async run(subject) {
      const { store, inbox } = subject;
      const first = await running(subject, "one");
      await store.end(first.fence, { reason: "cancelled", modelCalls: [] });
      await store.settled(first.fence, { verbosity: "steps", pages: [1_190, 810, 0] });
      await inbox.put(command(first.session, "retry"));
      const again = asRun(await store.open(first.session, "w"));
      expect(await store.triedAgain(again.fence)).toMatchObject({
        run: { id: first.run.id },
        laidOut: { verbosity: "steps", pages: [1_190, 810, 0] },
      });
    },
  },
  {
    title: "two retries and a new message make one run",
    async run(subject) {
      const { store, inbox } = subject;
      const first = await running(subject, "one");
      await fail(subject, first);
      await inbox.put(command(first.session, "retry"));
      await inbox.put(command(first.session, "retry"));
      await inbox.put(message(first.session, "and be brief"));
      const again = asRun(await store.open(first.session, "w"));
      expect(lines(again.tail).at(-1)).toBe("user: and be brief");
      await finish(subject, again);
      expect(await fates(subject, first.session)).toEqual(Array.from({ length: 4 }, () => "answered"));
      expect(await store.open(first.session, "w")).toEqual({ kind: "nothing" });
    },
  },
  {
    title:
      "stops and messages at the same time: what a run took in before a stop is stopped, all else keeps its order",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      for (let again = 0; again < 8; again += 1) {
        const { fence, session } = await running(subject, "zero");
        const [, , committed] = await Promise.all([
          inbox.put(command(session, "stop")),
          inbox.put(message(session, "with the stop")),
          store.commitRound(fence, round(1, answer("hm"))),
        ]);
        let views = await transcripts.inbounds(session);
        const stopSeq = views.find((view) => view.inbound.kind === "command")?.seq ?? 0;
        const second = views.find((view) => view.seq !== stopSeq && view !== views[0]);
        const isStopped = await store.isStopped(fence);
        // Only a run that took in the later message outlives the stop.
        expect(isStopped).toBe(!(second?.state === "admitted" && second.seq > stopSeq));
        if (committed.stopped) expect(committed.steered).toEqual([]);
        // One with a smaller seq may become visible after the commit has looked: whoever looks next takes it back.
        await store.end(fence, { reason: isStopped ? "cancelled" : "stop", modelCalls: [] });
        views = await transcripts.inbounds(session);
        for (const { seq, fate } of views)
          if (seq < stopSeq) expect(fate).toBe(isStopped ? "cancelled" : "answered");
      }
    },
  },
];
