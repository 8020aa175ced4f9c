// What is read of a ledger in memory, and its rows of pages.
import { BobbinError } from "../../../src/core/errors.ts";
import type { Pages } from "../../../src/core/ports/pages.ts";
import type { ModelUsage, RunDetails, Transcripts } from "../../../src/core/ports/transcripts.ts";
import type { ModelCallRecord } from "../../../src/core/round.ts";
import { addUsage, type Usage } from "../../../src/core/usage.ts";
import { entriesOf, held, infoOf, isWork, usageOf, waitingOf, type MemoryLedger } from "./rows.ts";

/** Without `recent`: a ledger in memory is of one thread. */
export function createMemoryTranscripts(ledger: MemoryLedger): Transcripts {
  const detailsOf = (run: MemoryLedger["runs"][number] | undefined): RunDetails | undefined => {
    if (run === undefined) return undefined;
    const { cause, epoch, startedAt, rounds, reply, outcome } = run;
    const known = outcome === undefined ? {} : { outcome };
    const { usage } = infoOf(ledger, run);
    return {
      run: { id: run.id, cause, epoch, startedAt, rounds, reply, ...known, usage },
      modelCalls: [...ledger.calls.values()]
        .filter((one) => one.run === run.id)
        .map(({ call: { round, model, durationMs, outcome: how, error, usage: tries } }) => ({
          round,
          model,
          durationMs,
          outcome: how,
          ...(error === undefined ? {} : { error }),
          usage: tries.reduce<Usage>((sum, one) => addUsage(sum, one), {}),
        })),
      tools: entriesOf(ledger, run.session).flatMap(({ run: of, body }) =>
        of === run.id && body.kind === "tool" ? [body] : [],
      ),
    };
  };
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
    settings: async (id) => ledger.sessions.get(id)?.settings,
    usage: async (id) => {
      const newest = ledger.runs.findLast(({ session }) => session === id)?.id;
      const calls = [...ledger.calls.values()].filter(({ session }) => session === id);
      return {
        models: byModel(calls.map(({ call }) => call)),
        last: byModel(calls.filter(({ run }) => run === newest).map(({ call }) => call)),
      };
    },
    run: async (id, run) => detailsOf(ledger.runs.find((each) => each.session === id && each.id === run)),
    newestRun: async (id) => detailsOf(ledger.runs.findLast(({ session }) => session === id)),
    runOf: async (id, message) => {
      const runs = ledger.runs.filter(({ session }) => session === id);
      const shown = runs.find((run) => ledger.pages.get(run.id)?.some((page) => page.message === message));
      const read = ledger.inbox.findLast(
        ({ inbound }) => inbound.session === id && inbound.kind === "message" && inbound.message === message,
      );
      return detailsOf(shown ?? runs.find((run) => run.id === read?.run));
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

function byModel(calls: readonly ModelCallRecord[]): readonly ModelUsage[] {
  return [...Map.groupBy(calls, ({ model }) => model)]
    .map(([model, of]) => {
      const sums = of.map(({ usage }) => usage.reduce<Usage>((sum, one) => addUsage(sum, one), {}));
      return {
        model,
        calls: of.length,
        reported: sums.filter(({ cost }) => cost !== undefined).length,
        usage: sums.reduce<Usage>((sum, one) => addUsage(sum, one), {}),
      };
    })
    .sort((a, b) => b.calls - a.calls || (a.model < b.model ? -1 : 1));
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
