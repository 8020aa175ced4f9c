/** A run store that counts what passes through it. It changes nothing, and nothing waits for it. */

import { keepNewest } from "../../core/keep-newest.ts";
import { overlaid } from "../../core/overlaid.ts";
import type { Fence, RunEnding, RunStore } from "../../core/ports/run-store.ts";
import type { ModelCallRecord } from "../../core/round.ts";
import type { Outcome, RunInfo } from "../../core/run.ts";
import { threadOf } from "../../core/thread.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Instruments } from "./instruments.ts";

type Known = Pick<RunInfo, "cause" | "startedAt">;

export interface ObservedStoreOptions {
  /** Runs that are kept in mind at most; of those that were there before, the time is not told. Default 5,000. */
  readonly most?: number;
}

export function observedStore(
  store: RunStore,
  meters: Instruments,
  clock: Clock,
  { most = 5_000 }: ObservedStoreOptions = {},
): RunStore {
  /** Runs of this process that are under way. One that was lost, and is ended by another process, never says so here. */
  const open = new Map<string, Known>();
  const givenUp = new Map<string, Outcome>();

  function countCalls(calls: readonly ModelCallRecord[]): void {
    for (const { model, outcome, durationMs, usage } of calls) {
      meters.modelCalls.inc({ model, outcome });
      meters.modelTime.observe({ model }, durationMs / 1_000);
      for (const { firstTokenMs, input, cacheRead, cacheWrite, output, reasoning, cost } of usage) {
        if (firstTokenMs !== undefined) meters.firstToken.observe({ model }, firstTokenMs / 1_000);
        const kinds = { input, cache_read: cacheRead, cache_write: cacheWrite, output, reasoning };
        for (const [kind, count] of Object.entries(kinds))
          if (count !== undefined && count > 0) meters.tokens.inc({ model, kind }, count);
        if (cost !== undefined && cost > 0) meters.cost.inc({ model }, cost);
      }
    }
  }

  function countEnd({ run, session }: Fence, { reason, error }: Pick<RunEnding, "reason" | "error">): void {
    const { cause = "message", startedAt } = open.get(run) ?? {};
    const { platform } = threadOf(session);
    meters.runs.inc({ platform, cause, reason });
    if (error !== undefined) meters.runErrors.inc({ code: error.code });
    if (startedAt !== undefined)
      meters.runTime.observe({ platform, cause }, Math.max(0, clock.now() - startedAt) / 1_000);
    open.delete(run);
  }

  return overlaid<RunStore>(store, {
    async open(session, worker, goals) {
      const opened = await store.open(session, worker, goals);
      if (opened.kind !== "nothing") {
        const { cause, startedAt, id } = opened.run;
        meters.attempts.inc({ how: opened.kind === "run" && !opened.resumed ? "begun" : "resumed" });
        if (opened.kind === "run") keepNewest(open, id, { cause, startedAt }, most);
        // That one was ended by the store itself, and is counted when its last page is there.
        else if (opened.outcome.error?.code === "attempts_used_up")
          keepNewest(givenUp, id, opened.outcome, most);
      }
      return opened;
    },
    async commitRound(fence, round, frozen) {
      const committed = await store.commitRound(fence, round, frozen);
      countCalls(round.modelCalls);
      return committed;
    },
    async end(fence, ending, frozen) {
      const ended = await store.end(fence, ending, frozen);
      if (ended.kind === "stopped") return ended;
      countCalls([...(ending.round?.modelCalls ?? []), ...ending.modelCalls]);
      if (ended.kind === "ended") countEnd(fence, ending);
      return ended;
    },
    async settled(fence, laidOut) {
      await store.settled(fence, laidOut);
      const outcome = givenUp.get(fence.run);
      if (givenUp.delete(fence.run) && outcome !== undefined) countEnd(fence, outcome);
    },
    async leave(fence, how) {
      await store.leave(fence, how);
      meters.attempts.inc({ how });
      open.delete(fence.run);
      givenUp.delete(fence.run);
    },
  });
}
