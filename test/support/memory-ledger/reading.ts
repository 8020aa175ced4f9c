// What is read of a ledger in memory, and its rows of pages.
import { BobbinError } from "../../../src/core/errors.ts";
import type { Pages } from "../../../src/core/ports/pages.ts";
import type { Transcripts } from "../../../src/core/ports/transcripts.ts";
import { entriesOf, held, infoOf, isWork, usageOf, waitingOf, type MemoryLedger } from "./rows.ts";

/** Without `recent`: a ledger in memory is of one thread. */
export function createMemoryTranscripts(ledger: MemoryLedger): Transcripts {
  return {
    async status(id) {
      const session = ledger.sessions.get(id);
      if (session === undefined) return undefined;
      const runs = ledger.runs.filter(({ session: of }) => of === id);
      const open = runs.find(({ reply }) => reply === "open");
      const last = runs.findLast(({ epoch, outcome }) => epoch === session.epoch && outcome !== undefined);
      return {
        epoch: session.epoch,
        waiting: waitingOf(ledger, id).filter(isWork).length,
        ...(open === undefined
          ? {}
          : { running: { run: open.id, startedAt: open.startedAt, rounds: open.rounds } }),
        ...(last?.outcome === undefined ? {} : { last: { run: last.id, outcome: last.outcome } }),
        entries: entriesOf(ledger, id).filter(({ epoch }) => epoch === session.epoch).length,
        usage: usageOf(ledger, { session: id }),
      };
    },
    entries: async (id) => entriesOf(ledger, id),
    async inbounds(id) {
      return ledger.inbox
        .filter(({ inbound }) => inbound.session === id)
        .map(({ seq, inbound, state, run, fate, reason, rule }) => ({
          seq,
          inbound,
          state,
          ...(run === undefined ? {} : { run }),
          ...(fate === undefined ? {} : { fate }),
          ...(reason === undefined ? {} : { reason }),
          ...(rule === undefined ? {} : { rule }),
        }));
    },
    async runs(id) {
      return ledger.runs
        .filter(({ session }) => session === id)
        .map((run) => {
          const { id: of, cause, epoch, startedAt, rounds, reply, outcome } = run;
          const attempts = ledger.attempts
            .filter((attempt) => attempt.run === of)
            .map(({ fence, worker, startedAt: at, ended }) => ({
              fence,
              worker,
              startedAt: at,
              ...(ended === undefined ? {} : { ended }),
            }));
          const { usage } = infoOf(ledger, run);
          const known = outcome === undefined ? {} : { outcome };
          return { id: of, cause, epoch, startedAt, rounds, reply, ...known, usage, attempts };
        });
    },
    recent: () => Promise.reject(new BobbinError("panic", "a ledger in memory has no channels")),
  };
}

export function createMemoryPages(ledger: MemoryLedger): Pages {
  return {
    list: async (run) => (ledger.pages.get(run) ?? []).toSorted((a, b) => a.index - b.index),
    async put(fence, page) {
      held(ledger, fence);
      const others = (ledger.pages.get(page.run) ?? []).filter(({ index }) => index !== page.index);
      ledger.pages.set(page.run, [...others, { ...page }]);
    },
    async remove(fence, index) {
      held(ledger, fence);
      const all = ledger.pages.get(fence.run) ?? [];
      ledger.pages.set(
        fence.run,
        all.filter((page) => page.index !== index),
      );
    },
  };
}
