// Two workers, people and the clock on one thread with a goal, in any order: never two turns at once, none that was taken back.
import fc from "fast-check";
import { expect, test } from "vitest";
import { isStaleFence } from "../../../src/core/errors.ts";
import type { GoalEvent } from "../../../src/core/goal/event.ts";
import type { Fence, Opened } from "../../../src/core/ports/run-store.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { answer, command, message, newSession, round } from "../../contract/store-samples.ts";
import { owner, setGoal, turn } from "../../support/goals.ts";
import { postgresBackend } from "./backends.ts";
import { storesOver, type Stores } from "./store-subject.ts";

const backend = postgresBackend();

type Step =
  | { readonly act: "put" | "stop" | "reset" | "set" | "pause" | "resume" | "clear" | "complete" }
  | { readonly act: "open" | "end" | "settled"; readonly worker: 0 | 1 };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom("put", "set", "resume").map((act): Step => ({ act })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom("stop", "reset", "pause", "clear", "complete").map((act): Step => ({ act })),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constantFrom("open" as const, "end" as const, "settled" as const),
      worker: fc.constantFrom(0 as const, 1 as const),
    }),
  },
);

interface Worker {
  opened: Extract<Opened, { kind: "run" }> | undefined;
  fence: Fence | undefined;
}

const EVENTS: Partial<Record<Step["act"], GoalEvent>> = {
  pause: { kind: "pause", by: owner },
  resume: { kind: "resume", by: owner },
  clear: { kind: "clear", by: owner },
  complete: { kind: "complete", evidence: "it is" },
};

async function act(
  stores: Stores,
  session: SessionId,
  workers: readonly Worker[],
  one: Step,
  how: "alone" | "at once",
): Promise<void> {
  const { store, inbox, goals } = stores;
  if (!("worker" in one)) {
    const event = one.act === "set" ? setGoal() : EVENTS[one.act];
    if (event !== undefined) await goals.apply(session, event);
    else if (one.act === "put") await inbox.put(message(session, "m"));
    else await inbox.put(command(session, one.act === "stop" ? "stop" : "reset"));
    return;
  }
  const worker = workers[one.worker];
  if (worker === undefined) return;
  if (one.act === "open") {
    const before = await goals.read(session);
    const opened = await store.open(session, `w${one.worker}`, "goals");
    worker.fence = opened.kind === "nothing" ? undefined : opened.fence;
    worker.opened = opened.kind === "run" ? opened : undefined;
    if (opened.kind !== "run" || opened.resumed || opened.run.cause !== "continuation") return;
    if (how === "at once") return;
    // It was planned, and nobody had taken it back.
    expect(before?.closed).toBeUndefined();
    expect(before?.next).toMatchObject({ generation: before?.generation, revision: before?.revision });
    expect((await goals.read(session))?.next).toBeUndefined();
    return;
  }
  const { fence, opened } = worker;
  if (fence === undefined) return;
  try {
    if (one.act === "settled") return await store.settled(fence);
    if (opened === undefined) return;
    const ending = {
      reason: "stop",
      round: round(opened.run.rounds + 1, answer("a")),
      modelCalls: [],
    } as const;
    const { goal, run } = opened;
    const its = goal === undefined ? {} : { turn: turn({ of: goal, cause: run.cause }).turn };
    const ended = await store.end(fence, { ...ending, ...its });
    // Who joined at the end goes on in the same run, behind the round that was stored.
    if (ended.kind === "steered") worker.opened = { ...opened, run: { ...run, rounds: run.rounds + 1 } };
    if (ended.kind === "stopped") {
      const cancelled =
        goal === undefined ? {} : { turn: turn({ of: goal, cause: run.cause, reason: "cancelled" }).turn };
      await store.end(fence, { reason: "cancelled", note: "stopped", modelCalls: [], ...cancelled });
    }
  } catch (error) {
    if (!isStaleFence(error)) throw error;
  }
}

test("whoever acts first, also at once: one run at a time, and each planned turn is begun once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 20 }),
      fc.array(step, { minLength: 2, maxLength: 6 }),
      async (steps, atOnce) => {
        const stores = storesOver(backend.sql());
        const session = newSession();
        const workers: Worker[] = [0, 1].map(() => ({ opened: undefined, fence: undefined }));
        await stores.goals.apply(session, setGoal());
        for (const one of steps) await act(stores, session, workers, one, "alone");
        // A worker does one thing after the other.
        const parts = [
          ...[0, 1].map((n) => atOnce.filter((one) => "worker" in one && one.worker === n)),
          ...atOnce.flatMap((one) => ("worker" in one ? [] : [[one]])),
        ];
        await Promise.all(
          parts.map(async (acts) => {
            for (const one of acts) await act(stores, session, workers, one, "at once");
          }),
        );
        const runs = await stores.transcripts.runs(session);
        expect(runs.filter(({ reply }) => reply === "open").length).toBeLessThanOrEqual(1);
        const [row] = await backend.sql().query(COUNTS, [session]);
        expect(row).toEqual({ same: true });
      },
    ),
    { numRuns: 40 },
  );
});

/** Each turn that a goal began is a run, and each such run was begun by a goal. */
const COUNTS = {
  text: `
select (select count(*) from goal_events e join goals g on g.id = e.goal where g.session = $1 and e.kind = 'begin')
  = (select count(*) from runs where session = $1 and cause = 'continuation') as same`,
};
