// Rounds, steering, and the end of a run.
import { expect } from "vitest";
import { cleanText } from "../../src/core/text.ts";
import type { ContractCase } from "./contract.ts";
import { fates, finish, running, type RunStoreSubject } from "./run-store-subject.ts";
import {
  answer,
  asRun,
  asSettle,
  command,
  lines,
  message,
  modelCall,
  result,
  round,
} from "./store-samples.ts";

const CALL = { id: "c1", name: "clock", arguments: '{"zone":  "UTC"}' };

export const roundCases: readonly ContractCase<RunStoreSubject>[] = [
  {
    title: "a round is stored as it was given, and what came in meanwhile joins as user entries after it",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      const { fence, session, run } = await running(subject, "one");
      await inbox.put(message(session, "second", { at: 9_000, author: { id: "U2", name: "Bo" } }));
      await inbox.put(message(session, "first", { at: 8_000 }));
      const committed = await store.commitRound(fence, round(1, answer("", [CALL]), result("c1", "12:00")));
      expect(committed.stopped).toBe(false);
      expect(lines(committed.stored)).toEqual(["bot calls: c1", "tool c1: 12:00"]);
      expect(committed.stored[0]).toMatchObject({ run: run.id, round: 1, epoch: 1, body: { calls: [CALL] } });
      expect(lines(committed.steered)).toEqual(["user: first", "user: second"]);
      expect(committed.steered[0]).toMatchObject({ run: run.id, round: 1 });
      const [opening] = await transcripts.entries(session);
      expect(await transcripts.entries(session)).toEqual([
        opening,
        ...committed.stored,
        ...committed.steered,
      ]);
      const resumed = asRun(await store.open(session, "w"));
      expect(resumed.run.requester).toEqual({ id: "U2", name: "Bo" });
      expect(resumed.run.rounds).toBe(1);
    },
  },
  {
    title: "rounds with all that a round can have, one with one image and one with two, are both stored",
    async run(subject) {
      for (const count of [1, 2]) {
        const { fence, session } = await running(subject, "draw it");
        const told = (what: string) => ({ hash: `${what}-${session}`, text: what });
        const frozen = { prompt: told("prompt"), tools: told("tools") };
        const ids = ["c1", "c2", "c3"];
        const committed = await subject.store.commitRound(
          fence,
          {
            ...round(
              1,
              answer(
                "",
                ids.map((id) => ({ ...CALL, id })),
              ),
              ...ids.map((id) => result(id, "12:00")),
            ),
            results: ids.map((call) => ({ call, name: "clock", ok: true, content: "12:00 and a long tail" })),
            modelCalls: [modelCall(`of-${session}`, frozen)],
            pictures: Array.from({ length: count }, (_, n) => ({
              hash: `${n}-${session}`,
              mimeType: "image/png",
              data: "AAAA",
            })),
          },
          frozen,
        );
        expect(lines(committed.stored)).toEqual([
          "bot calls: c1 c2 c3",
          ...ids.map((id) => `tool ${id}: 12:00`),
        ]);
      }
    },
  },
  {
    title:
      "what was learnt of the model comes with the next claims, over runs and a reset, until something newer is",
    async run(subject) {
      const { store, inbox } = subject;
      const first = await running(subject, "one");
      expect(first.gauge).toBeUndefined();
      const gauge = { model: "m", window: 128_000, scale: 1.125, share: 0.1 + 0.2 };
      const told = (what: string) => ({ hash: `${what}-${first.session}`, text: what });
      const frozen = { prompt: told("prompt"), tools: told("tools") };
      await store.commitRound(first.fence, { ...round(1, answer("a step")), gauge }, frozen);
      const resumed = asRun(await store.open(first.session, "w"));
      expect([resumed.gauge, resumed.frozen]).toEqual([gauge, frozen]);
      await store.commitRound(resumed.fence, round(2, answer("another")));
      await store.end(resumed.fence, { reason: "stop", round: round(3, answer("done")), modelCalls: [] });
      await store.settled(resumed.fence);
      await inbox.put(command(first.session, "reset"));
      await inbox.put(message(first.session, "two"));
      const second = asRun(await store.open(first.session, "w"));
      expect(second.gauge).toEqual(gauge);
      const newer = { ...gauge, share: 0.25 };
      const error = { code: "context_length", message: "too long" } as const;
      await store.end(
        second.fence,
        { reason: "error", error, note: "n", modelCalls: [], gauge: newer },
        frozen,
      );
      await store.settled(second.fence);
      await inbox.put(message(first.session, "three"));
      expect(asRun(await store.open(first.session, "w")).gauge).toEqual(newer);
    },
  },
  {
    title: "a reply that is stored before its tools run admits nothing, and its round is completed later",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      const { fence, session } = await running(subject, "one");
      await inbox.put(message(session, "two"));
      const calls = await store.commitRound(fence, { ...round(1, answer("", [CALL])), state: "calls" });
      expect([lines(calls.stored), calls.steered]).toEqual([["bot calls: c1"], []]);
      const complete = await store.commitRound(fence, round(1, result("c1", "12:00")));
      expect([lines(complete.stored), lines(complete.steered)]).toEqual([["tool c1: 12:00"], ["user: two"]]);
      expect(lines(await transcripts.entries(session))).toEqual([
        "user: one",
        "bot calls: c1",
        "tool c1: 12:00",
        "user: two",
      ]);
    },
  },
  {
    title: "a last round, and the end behind it, admit nobody: who waits has the next run",
    async run(subject) {
      const { store, inbox } = subject;
      const { fence, session } = await running(subject, "one");
      await inbox.put(message(session, "two"));
      const committed = await store.commitRound(fence, { ...round(1, answer("done")), isLast: true });
      expect([lines(committed.stored), committed.steered]).toEqual([["bot: done"], []]);
      const ended = await store.end(fence, { reason: "stop", modelCalls: [], isLast: true });
      expect(ended).toEqual({ kind: "ended" });
      await store.settled(fence);
      expect(await fates(subject, session)).toEqual(["answered", "waiting"]);
      expect(lines(asRun(await store.open(session, "w")).tail)).toEqual([
        "user: one",
        "bot: done",
        "user: two",
      ]);
    },
  },
  {
    title: "whoever waits to join is known between two calls: no one who was stopped, and no note",
    async run(subject) {
      const { store, inbox } = subject;
      const { fence, session } = await running(subject, "one");
      expect(await store.isSteered(fence)).toBe(false);
      await inbox.put({ ...message(session, "x"), kind: "note", text: "said before" });
      expect(await store.isSteered(fence)).toBe(false);
      await inbox.put(message(session, "two"));
      expect(await store.isSteered(fence)).toBe(true);
      await inbox.put(command(session, "stop"));
      expect(await store.isSteered(fence)).toBe(false);
    },
  },
  {
    title: "a round that does not follow the stored ones is refused and changes nothing",
    async run(subject) {
      const { store, transcripts } = subject;
      const { fence, session } = await running(subject, "one");
      await store.commitRound(fence, round(1, answer("first")));
      await expect(store.commitRound(fence, round(1, answer("again")))).rejects.toMatchObject({
        code: "panic",
      });
      await expect(store.commitRound(fence, round(3, answer("skipped")))).rejects.toMatchObject({
        code: "panic",
      });
      expect(lines(await transcripts.entries(session))).toEqual(["user: one", "bot: first"]);
    },
  },
  {
    title: "messages that arrive during commits are each taken in once, in order, by the run or by the next",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      const { fence, session } = await running(subject, "0");
      const sending = (async () => {
        for (let index = 1; index <= 60; index += 1) await inbox.put(message(session, `${index}`));
      })();
      for (let number = 1; number <= 25; number += 1) {
        await store.commitRound(fence, round(number, answer(`round ${number}`)));
      }
      await sending;
      let ended = await store.end(fence, { reason: "stop", modelCalls: [] });
      while (ended.kind === "steered") ended = await store.end(fence, { reason: "stop", modelCalls: [] });
      await store.settled(fence);
      expect(await store.hasWork(session)).toBe(false);
      const said = (await transcripts.entries(session)).flatMap(({ body }) =>
        body.kind === "user" ? body.parts.flatMap((part) => (part.kind === "text" ? part.text : [])) : [],
      );
      expect(said).toEqual(Array.from({ length: 61 }, (_, index) => `${index}`));
    },
  },
  {
    title: "an end with nothing waiting stores the last round and gives every inbound its fate",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      const { fence, session } = await running(subject, "one", "two");
      await inbox.put(message(session, "joined"));
      await store.commitRound(fence, round(1, answer("hm")));
      const ended = await store.end(fence, {
        reason: "stop",
        round: round(2, answer("done")),
        modelCalls: [],
      });
      expect(ended).toEqual({ kind: "ended" });
      expect(await fates(subject, session)).toEqual(["answered", "answered", "steered"]);
      const [view] = await transcripts.runs(session);
      expect(view).toMatchObject({ reply: "settling", rounds: 2, outcome: { reason: "stop" } });
      expect(Math.abs((view?.outcome?.endedAt ?? 0) - Date.now())).toBeLessThan(60_000);
      // Until its pages are written the attempt goes on.
      expect(view?.attempts.map(({ worker, ended: how }) => [worker, how])).toEqual([
        ["worker-1", undefined],
      ]);
      expect(lines(await transcripts.entries(session)).slice(-2)).toEqual(["user: joined", "bot: done"]);
    },
  },
  {
    title: "an end as `stop` with a message waiting admits it instead, and the run goes on",
    async run(subject) {
      const { store, inbox, transcripts } = subject;
      const { fence, session } = await running(subject, "one");
      await inbox.put(message(session, "wait, also"));
      const going = await store.end(fence, {
        reason: "stop",
        round: round(1, answer("done")),
        modelCalls: [],
      });
      if (going.kind !== "steered") throw new Error("the run ended");
      expect(lines(going.stored)).toEqual(["bot: done"]);
      expect(lines(going.steered)).toEqual(["user: wait, also"]);
      expect((await transcripts.runs(session))[0]).toMatchObject({ reply: "open", rounds: 1 });
      const ended = await store.end(fence, {
        reason: "stop",
        round: round(2, answer("and so")),
        modelCalls: [],
      });
      expect(ended).toEqual({ kind: "ended" });
      expect(await fates(subject, session)).toEqual(["answered", "steered"]);
    },
  },
  {
    title: "any other end leaves what waits to the next run, and the look after it finds that",
    async run(subject) {
      const { store, inbox } = subject;
      const { fence, session } = await running(subject, "one");
      await inbox.put(message(session, "two"));
      const ended = await store.end(fence, { reason: "max_turns", note: "ended: max_turns", modelCalls: [] });
      expect(ended).toEqual({ kind: "ended" });
      expect(await fates(subject, session)).toEqual(["failed", "waiting"]);
      await store.settled(fence);
      expect(await store.hasWork(session)).toBe(true);
      expect(lines(asRun(await store.open(session, "w")).tail)).toEqual([
        "user: one",
        "note: ended: max_turns",
        "user: two",
      ]);
    },
  },
  {
    title: "a failed run keeps its input, its rounds and one note; its inbounds have failed, with the reason",
    async run(subject) {
      const { store, transcripts } = subject;
      const { fence, session } = await running(subject, "one");
      await store.commitRound(fence, round(1, answer("half way")));
      const error = { code: "model_cut", message: "cut \u0000 off" } as const;
      await store.end(fence, {
        reason: "error",
        error,
        note: "the previous turn ended: error",
        modelCalls: [],
      });
      expect(lines(await transcripts.entries(session))).toEqual([
        "user: one",
        "bot: half way",
        "note: the previous turn ended: error",
      ]);
      expect((await transcripts.inbounds(session))[0]).toMatchObject({ fate: "failed", reason: "model_cut" });
      const settle = asSettle(await store.open(session, "w"));
      expect(settle.outcome).toMatchObject({
        reason: "error",
        error: { ...error, message: "cut \uFFFD off" },
      });
    },
  },
  {
    title: "a run that waits for an answer has answered what it was asked",
    async run(subject) {
      const { fence, session } = await running(subject, "one");
      await subject.store.end(fence, {
        reason: "waiting",
        round: round(1, answer("which one?")),
        modelCalls: [],
      });
      expect(await fates(subject, session)).toEqual(["answered"]);
    },
  },
  {
    title: "an ended run takes no more rounds, and ends once",
    async run(subject) {
      const { store, transcripts } = subject;
      const { fence, session } = await running(subject, "one");
      await store.end(fence, { reason: "stop", modelCalls: [] });
      await expect(store.commitRound(fence, round(1, answer("late")))).rejects.toMatchObject({
        code: "stale_fence",
      });
      await expect(store.end(fence, { reason: "error", modelCalls: [] })).rejects.toMatchObject({
        code: "stale_fence",
      });
      expect((await transcripts.runs(session))[0]?.outcome).toMatchObject({ reason: "stop" });
      expect(lines(await transcripts.entries(session))).toEqual(["user: one"]);
    },
  },
  {
    title:
      "usage is summed over a run's model calls, each counted once, and what nobody reported stays absent",
    async run(subject) {
      const { store, transcripts } = subject;
      const { fence, session } = await running(subject, "one");
      const usage = { model: "m", durationMs: 5.5, input: 10, cost: 0.25 };
      const call = modelCall(`${session}-1`, { usage: [usage, { ...usage, output: 0 }] });
      await store.commitRound(fence, { ...round(1, answer("", [CALL])), state: "calls", modelCalls: [call] });
      await store.commitRound(fence, { ...round(1, result("c1", "x")), modelCalls: [call] });
      expect(asRun(await store.open(session, "w")).run.usage).toEqual({ input: 20, output: 0, cost: 0.5 });
      const again = asRun(await store.open(session, "w"));
      await store.end(again.fence, {
        reason: "stop",
        modelCalls: [modelCall(`${session}-2`, { usage: [usage] })],
      });
      const total = { input: 30, output: 0, cost: 0.75 };
      expect((await transcripts.runs(session))[0]?.usage).toEqual(total);
      expect(asSettle(await store.open(session, "w")).run.usage).toEqual(total);
      expect((await transcripts.status(session))?.usage).toEqual(total);
    },
  },
  {
    title: "H9, T10, P1, P2: hostile text of a model or a tool is stored with NUL and lone halves replaced",
    async run(subject) {
      const { store, transcripts } = subject;
      const { fence, session } = await running(subject, "one");
      const hostile = `${"x".repeat(999)}\ud83d \u0000 🙂 ${"y".repeat(1_000_000)}`;
      const call = { id: "c\u0000", name: "clock", arguments: '{"t":"\\u0000 \\ud800"}' };
      const committed = await store.commitRound(fence, {
        ...round(1, answer(hostile, [call]), result("c\u0000", hostile)),
        results: [{ call: "c\u0000", name: "clock", ok: true, content: hostile }],
        modelCalls: [modelCall(`${session}-h`, { params: '{"b":1,"a":"\u0000"}' })],
      });
      const bodies = [
        answer(cleanText(hostile), [{ ...call, id: "c\uFFFD" }]),
        result("c\uFFFD", cleanText(hostile)),
      ];
      expect(committed.stored.map((entry) => entry.body)).toEqual(bodies);
      expect((await transcripts.entries(session)).slice(1).map((entry) => entry.body)).toEqual(bodies);
      await finish(subject, asRun(await store.open(session, "w")), "\udc00");
      expect(lines(await transcripts.entries(session)).at(-1)).toBe("bot: \uFFFD");
    },
  },
];
