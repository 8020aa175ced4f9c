// Whatever order things happen in: each inbound is in exactly one run with one fate, or was stopped, and nothing changes order.
import fc from "fast-check";
import { expect, test } from "vitest";
import { isStaleFence } from "../../../src/core/errors.ts";
import type { Fence, Opened } from "../../../src/core/ports/run-store.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { answer, command, message, newSession, round } from "../../contract/store-samples.ts";
import { postgresBackend } from "./backends.ts";
import { storesOver, type Stores } from "./store-subject.ts";

const backend = postgresBackend();

/** Two workers act on one session; each remembers what it last opened, as a zombie would. */
interface Worker {
  fence: Fence | undefined;
  rounds: number;
}

type Step =
  | { readonly act: "put" }
  | { readonly act: "stop" }
  | { readonly act: "open" | "commit" | "end" | "fail" | "settled"; readonly worker: 0 | 1 };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Step>({ act: "put" }) },
  { weight: 1, arbitrary: fc.constant<Step>({ act: "stop" }) },
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constantFrom("open", "commit", "end", "fail", "settled"),
      worker: fc.constantFrom(0, 1),
    }),
  },
);

async function act(stores: Stores, session: SessionId, workers: readonly Worker[], one: Step): Promise<void> {
  const { store, inbox } = stores;
  if (one.act === "put") {
    await inbox.put(message(session, "m"));
    return;
  }
  if (one.act === "stop") {
    await inbox.put(command(session, "stop"));
    return;
  }
  const worker = workers[one.worker];
  if (worker === undefined) return;
  if (one.act === "open") {
    take(worker, await store.open(session, `w${one.worker}`));
    return;
  }
  const { fence } = worker;
  if (fence === undefined) return;
  try {
    switch (one.act) {
      case "commit":
        await store.commitRound(fence, round(worker.rounds + 1, answer("r")));
        worker.rounds += 1;
        return;
      case "end":
        await store.end(fence, { reason: "stop", modelCalls: [] });
        return;
      case "fail":
        await store.end(fence, { reason: "error", note: "failed", modelCalls: [] });
        return;
      case "settled":
        await store.settled(fence);
        return;
      default:
        one.act satisfies never;
    }
  } catch (error) {
    if (!isStaleFence(error)) throw error;
    worker.fence = undefined;
  }
}

function take(worker: Worker, opened: Opened): void {
  worker.fence = opened.kind === "nothing" ? undefined : opened.fence;
  worker.rounds = opened.kind === "nothing" ? 0 : opened.run.rounds;
}

/** Serves until nothing is left, as a healthy worker would. */
async function drain(stores: Stores, session: SessionId): Promise<void> {
  const { store } = stores;
  for (let turn = 0; turn < 50; turn += 1) {
    const opened = await store.open(session, "drain");
    if (opened.kind === "nothing") return;
    if (opened.kind === "run") {
      let ended = await store.end(opened.fence, { reason: "stop", modelCalls: [] });
      while (ended.kind === "steered")
        ended = await store.end(opened.fence, { reason: "stop", modelCalls: [] });
    }
    await store.settled(opened.fence);
  }
  throw new Error("the session never came to rest");
}

async function check(stores: Stores, session: SessionId): Promise<void> {
  const views = await stores.transcripts.inbounds(session);
  const entries = await stores.transcripts.entries(session);
  const runs = await stores.transcripts.runs(session);
  expect(await stores.store.hasWork(session)).toBe(false);
  expect(views.every((view) => view.state === "done" && view.fate !== undefined)).toBe(true);
  const users = entries.flatMap((entry) =>
    entry.body.kind === "user" ? [{ ...entry, body: entry.body }] : [],
  );
  const inbounds = users.map((entry) => entry.body.inbound);
  expect(new Set(inbounds).size).toBe(inbounds.length);
  // In the order in which they were sent: platform times rise with each put here, and none was put late.
  const sent = views.map((view) => view.inbound.id).filter((id) => inbounds.includes(id));
  expect(inbounds).toEqual(sent);
  for (const view of views.filter((each) => each.inbound.kind === "message")) {
    const entry = users.find((each) => each.body.inbound === view.inbound.id);
    // Admitted at most once, by the run that the ledger names; what never was has been stopped.
    expect(entry?.run).toBe(view.run);
    if (entry === undefined) expect(view.fate).toBe("cancelled");
  }
  expect(runs.every((run) => run.reply === "settled" && run.outcome !== undefined)).toBe(true);
  const seqs = entries.map((entry) => entry.seq);
  expect(new Set(seqs).size).toBe(seqs.length);
}

test("steps one after another, in any order, by two workers that do not know of each other", async () => {
  const stores = storesOver(backend.sql());
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const session = newSession();
      const workers: Worker[] = [0, 1].map(() => ({ fence: undefined, rounds: 0 }));
      for (const one of steps) await act(stores, session, workers, one);
      await drain(stores, session);
      await check(stores, session);
    }),
    { numRuns: 60 },
  );
});

test("the same while several steps are under way at once", async () => {
  const stores = storesOver(backend.sql());
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 5 }), { maxLength: 8 }), async (bursts) => {
      const session = newSession();
      const workers: Worker[] = [0, 1].map(() => ({ fence: undefined, rounds: 0 }));
      for (const burst of bursts) {
        // A round may be committed twice at once here; that is refused as out of order, and is no fault of the store.
        const outcomes = await Promise.allSettled(burst.map((one) => act(stores, session, workers, one)));
        for (const outcome of outcomes) {
          if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "panic" });
        }
      }
      await drain(stores, session);
      const views = await stores.transcripts.inbounds(session);
      const entries = await stores.transcripts.entries(session);
      const inbounds = entries.flatMap(({ body }) => (body.kind === "user" ? [body.inbound] : []));
      expect(new Set(inbounds).size).toBe(inbounds.length);
      for (const view of views.filter((each) => each.inbound.kind === "message")) {
        expect(view.state).toBe("done");
        expect(inbounds.includes(view.inbound.id)).toBe(view.run !== undefined);
      }
    }),
    { numRuns: 60 },
  );
});
