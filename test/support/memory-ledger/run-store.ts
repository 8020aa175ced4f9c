// The run store of a ledger in memory.
import type { Shown } from "../../../src/core/reply/view.ts";
import type { Effort } from "../../../src/core/effort.ts";
import { END_REASONS } from "../../../src/core/end-reason.ts";
import type { Entry } from "../../../src/core/entry.ts";
import { BobbinError } from "../../../src/core/errors.ts";
import type { RunId } from "../../../src/core/ids.ts";
import type { Fence, Opened, RunStore } from "../../../src/core/ports/run-store.ts";
import type { ModelCallRecord, RoundRecord } from "../../../src/core/round.ts";
import type { ChosenModel, SessionSettings } from "../../../src/core/session-settings.ts";
import { cleanText } from "../../../src/core/text.ts";
import { threadOf, type SessionId } from "../../../src/core/thread.ts";
import {
  admit,
  append,
  drop,
  entriesOf,
  finish,
  held,
  infoOf,
  inOrder,
  isStopped,
  isWork,
  noteOf,
  outcomeOf,
  staleFence,
  turnOf,
  waitingOf,
  type InboxRow,
  type MemoryLedger,
  type RunRow,
  type SessionRow,
} from "./rows.ts";

const ATTEMPTS = 8;
const MAY_LAND_MS = 15_000;

type OpenedRun = Extract<Opened, { readonly kind: "run" }>;

function chosenOf({ model, effort }: SessionSettings): ChosenModel {
  return { ...(model === undefined ? {} : { model }), ...(effort === undefined ? {} : { effort }) };
}

function shownOf({ verbosity }: SessionSettings): Shown {
  return verbosity === undefined ? {} : { verbosity };
}

function beganWith({ model, params }: ModelCallRecord): ChosenModel {
  const { thinking } = JSON.parse(cleanText(params)) as { readonly thinking?: { readonly effort?: Effort } };
  return { model, ...(thinking?.effort === undefined ? {} : { effort: thinking.effort }) };
}

export function createMemoryRunStore(ledger: MemoryLedger, tailLimit = 200): RunStore {
  const runsOf = (session: SessionId): RunRow[] => ledger.runs.filter((run) => run.session === session);
  const currentOf = (session: SessionId): RunRow | undefined => {
    const unsettled = runsOf(session).filter(({ reply }) => reply !== "settled");
    return unsettled.find(({ reply }) => reply === "settling") ?? unsettled[0];
  };

  function crashesOf({ id, safeFence }: RunRow): number {
    return ledger.attempts.filter(
      ({ run, fence, ended }) =>
        run === id && fence >= safeFence && (ended === undefined || ended === "crashed"),
    ).length;
  }

  /** Those that never said how they left are crashed from now on. @returns whether a write of one may still land. */
  function leaveBehind(session: SessionRow, run: RunRow | undefined): boolean {
    const now = ledger.now();
    let isDoubtful = ledger.attempts.some(
      (attempt) =>
        attempt.run === run?.id && attempt.ended === "crashed" && (attempt.endedAt ?? 0) > now - MAY_LAND_MS,
    );
    for (const attempt of ledger.attempts) {
      if (attempt.session !== session.id || attempt.ended !== undefined) continue;
      attempt.ended = "crashed";
      attempt.endedAt = now;
      isDoubtful = true;
    }
    return isDoubtful;
  }

  function claim(session: SessionRow, run: RunRow, worker: string): { fence: Fence; afterCrash: boolean } {
    const afterCrash = leaveBehind(session, run);
    session.fence += 1;
    session.touchedAt = ledger.now();
    const { id: of } = session;
    const startedAt = ledger.now();
    ledger.attempts.push({ run: run.id, session: of, fence: session.fence, worker, startedAt });
    return { fence: { session: of, run: run.id, number: session.fence }, afterCrash };
  }

  function tailOf({ session, epoch }: RunRow, added: number): Entry[] {
    const all = entriesOf(ledger, session).filter((entry) => entry.epoch === epoch);
    const before = all.slice(0, all.length - added);
    const room = Math.max(1, tailLimit - added);
    if (before.length < room) return all;
    const isTurn = ({ body }: Entry): boolean => body.kind === "user";
    const first = before.slice(-room).find(isTurn) ?? before.findLast(isTurn);
    return all.filter(({ seq }) => seq >= (first?.seq ?? 0));
  }

  function settle(session: SessionRow, run: RunRow, worker: string): Opened {
    if (run.outcome === undefined) throw new Error("a settling run without its outcome");
    const entries = entriesOf(ledger, session.id).filter((entry) => entry.run === run.id);
    return {
      kind: "settle",
      run: infoOf(ledger, run),
      ...claim(session, run, worker),
      outcome: run.outcome,
      entries,
      shown: shownOf(session.settings),
    };
  }

  function giveUp(session: SessionRow, run: RunRow, worker: string): Opened {
    const message = `the bot was interrupted ${crashesOf(run)} times`;
    run.outcome = outcomeOf(ledger, "error", { code: "attempts_used_up", message });
    run.reply = "settling";
    run.safeFence = session.fence + 1;
    for (const row of admittedTo(run)) finish(row, "failed", "attempts_used_up");
    append(ledger, session, run, run.rounds, [
      noteOf("The previous turn ended: interrupted too many times."),
    ]);
    return settle(session, run, worker);
  }

  const admittedTo = (run: RunRow): InboxRow[] =>
    ledger.inbox.filter((row) => row.run === run.id && row.state === "admitted");

  /** What a resumed run was told it is told to its end. */
  function toldOf(
    { frozen, reloadFence }: SessionRow,
    run: RunRow,
    isResumed: boolean,
  ): Pick<OpenedRun, "frozen" | "begunWith"> {
    const call = [...ledger.calls.values()].findLast((one) => one.run === run.id)?.call;
    if (isResumed && call !== undefined)
      return { frozen: { prompt: call.prompt, tools: call.tools }, begunWith: beganWith(call) };
    const holds = frozen?.epoch === run.epoch && (reloadFence === undefined || frozen.fence > reloadFence);
    return holds ? { frozen: frozen.frozen } : {};
  }

  function goOn(session: SessionRow, run: RunRow, worker: string, added?: number): Opened {
    return {
      kind: "run",
      run: infoOf(ledger, run),
      ...claim(session, run, worker),
      tail: tailOf(run, added ?? 0),
      ...toldOf(session, run, added === undefined),
      ...(session.gauge === undefined ? {} : { gauge: session.gauge }),
      chosen: chosenOf(session.settings),
      shown: shownOf(session.settings),
      resumed: added === undefined,
      stopped: isStopped(session, run),
    };
  }

  function begin(
    session: SessionRow,
    live: readonly InboxRow[],
    failed: RunRow | undefined,
  ): Opened | RunRow {
    const isRetry = failed !== undefined;
    const messages = inOrder(live.filter(({ inbound }) => inbound.kind === "message"));
    const commands = live.filter(({ inbound }) => inbound.kind === "command");
    const notes = inOrder(live.filter((row) => !isWork(row)));
    const asking = inOrder(isRetry ? [...messages, ...commands] : messages);
    const last = asking.at(-1);
    if (last === undefined) return { kind: "nothing" };
    const run: RunRow = {
      id: ledger.newId() as RunId,
      session: session.id,
      cause: isRetry ? "retry" : "message",
      ...(isRetry ? { retryOf: failed.id } : {}),
      epoch: session.epoch,
      rounds: 0,
      reply: "open",
      admittedSeq: Math.max(...asking.map(({ seq }) => seq)),
      safeFence: 0,
      requester: last.inbound.author,
      startedAt: ledger.now(),
    };
    for (const row of asking) Object.assign(row, { state: "admitted", run: run.id });
    if (!isRetry) for (const row of commands) finish(row, "refused", "the last answer did not fail");
    for (const row of notes) Object.assign(row, { state: "done", fate: "answered", run: run.id });
    if (isRetry) {
      for (const row of ledger.inbox) {
        if (row.run !== failed.id || row.state !== "done" || row.fate === "refused" || !isWork(row)) continue;
        Object.assign(row, { state: "admitted", run: run.id, joined: false });
        delete row.fate;
        delete row.reason;
      }
    }
    const told = notes.map(({ note }) =>
      messages.length > 0
        ? noteOf(note)
        : ({ v: 1, kind: "user", parts: [{ kind: "note", text: note }] } as const),
    );
    const again = isRetry ? [noteOf("The last turn was not answered to its end: answer it now.")] : [];
    ledger.runs.push(run);
    append(ledger, session, run, 0, [...again, ...told, ...messages.map(turnOf)]);
    return run;
  }

  function storeCalls(fence: Fence, calls: readonly ModelCallRecord[]): void {
    for (const call of calls)
      if (!ledger.calls.has(call.id))
        ledger.calls.set(call.id, { run: fence.run, session: fence.session, call });
  }

  function openRunOf(fence: Fence): readonly [SessionRow, RunRow] {
    const session = held(ledger, fence);
    const run = ledger.runs.find(({ id }) => id === fence.run);
    if (run?.reply !== "open") throw staleFence(fence);
    session.touchedAt = ledger.now();
    return [session, run];
  }

  function storeRound(fence: Fence, session: SessionRow, run: RunRow, round: RoundRecord): Entry[] {
    storeCalls(fence, round.modelCalls);
    const stored = append(ledger, session, run, round.round, round.entries);
    if (round.state === "complete") {
      run.rounds = round.round;
      run.safeFence = fence.number;
    }
    return stored;
  }

  function checkOrder(run: RunRow, round: RoundRecord | undefined): void {
    if (round !== undefined && run.rounds !== round.round - 1)
      throw new BobbinError("panic", "a round does not follow the stored ones");
  }

  const messagesAbove = (session: SessionRow): InboxRow[] =>
    waitingOf(ledger, session.id).filter(
      ({ inbound, seq }) => inbound.kind === "message" && seq > session.stopSeq,
    );

  const hasWork = (session: SessionId): boolean =>
    waitingOf(ledger, session).some(isWork) || currentOf(session) !== undefined;

  return {
    async open(id, worker) {
      const session = ledger.sessions.get(id);
      if (session === undefined) return { kind: "nothing" };
      drop(ledger, session);
      const current = currentOf(id);
      if (current !== undefined) {
        const isUsedUp = crashesOf(current) >= ATTEMPTS;
        if (current.reply === "open")
          return isUsedUp ? giveUp(session, current, worker) : goOn(session, current, worker);
        if (!isUsedUp) return settle(session, current, worker);
        leaveBehind(session, current);
        current.reply = "settled";
        return { kind: "nothing" };
      }
      const live = waitingOf(ledger, id);
      const asked = live.filter(({ inbound }) => inbound.kind === "command");
      const newest = runsOf(id).at(-1);
      const canRetry =
        newest?.outcome !== undefined &&
        newest.epoch === session.epoch &&
        END_REASONS[newest.outcome.reason].canRetry;
      const failed = asked.length > 0 && canRetry ? newest : undefined;
      if (failed === undefined && !live.some(({ inbound }) => inbound.kind === "message")) {
        for (const row of asked) finish(row, "refused", "the last answer did not fail");
        return { kind: "nothing" };
      }
      const before = entriesOf(ledger, id).length;
      const run = begin(session, live, failed);
      if ("kind" in run) return run;
      return { ...goOn(session, run, worker, entriesOf(ledger, id).length - before) };
    },
    async beginning(id) {
      const session = ledger.sessions.get(id);
      if (session === undefined || session.epoch !== 1 || session.lastSeq !== 0) return undefined;
      if (ledger.inbox.some(({ inbound }) => inbound.session === id && inbound.kind === "note"))
        return undefined;
      const first = inOrder(messagesAbove(session))[0];
      if (first?.inbound.kind !== "message") return undefined;
      const { id: of, message, at } = first.inbound;
      return { id: of, message, at, receivedAt: first.receivedAt };
    },
    async triedAgain(fence) {
      const again = ledger.runs.find(({ id }) => id === fence.run);
      const run = ledger.runs.find(({ id }) => id === again?.retryOf);
      if (run?.outcome === undefined) return undefined;
      const entries = entriesOf(ledger, run.session).filter((entry) => entry.run === run.id);
      const laidOut = run.laidOut === undefined ? {} : { laidOut: run.laidOut };
      return { run: infoOf(ledger, run), outcome: run.outcome, entries, ...laidOut };
    },
    async commitRound(fence, round, frozen) {
      const [session, run] = openRunOf(fence);
      checkOrder(run, round);
      if (frozen !== undefined) session.frozen = { epoch: run.epoch, fence: fence.number, frozen };
      if (round.gauge !== undefined) session.gauge = round.gauge;
      const stopped = isStopped(session, run);
      const stored = storeRound(fence, session, run, round);
      drop(ledger, session);
      const takes = round.state === "complete" && round.isLast !== true && !stopped;
      return { stored, steered: takes ? admit(ledger, session, run, messagesAbove(session)) : [], stopped };
    },
    async end(fence, ending, frozen) {
      const [session, run] = openRunOf(fence);
      const { round, reason, note, error } = ending;
      checkOrder(run, round);
      const stopped = isStopped(session, run);
      if (stopped && reason === "stop" && round !== undefined) return { kind: "stopped" };
      if (frozen !== undefined) session.frozen = { epoch: run.epoch, fence: fence.number, frozen };
      if (ending.gauge !== undefined) session.gauge = ending.gauge;
      const stored = round === undefined ? [] : storeRound(fence, session, run, round);
      storeCalls(fence, ending.modelCalls);
      drop(ledger, session);
      const waiting = messagesAbove(session);
      if (reason === "stop" && ending.isLast !== true && !stopped && waiting.length > 0)
        return { kind: "steered", stored, steered: admit(ledger, session, run, waiting) };
      const isAnswer = reason === "stop" || reason === "waiting";
      for (const row of admittedTo(run)) {
        if (isAnswer) finish(row, row.joined ? "steered" : "answered");
        else finish(row, reason === "cancelled" ? "cancelled" : "failed", error?.code ?? reason);
      }
      if (note !== undefined) append(ledger, session, run, run.rounds, [noteOf(cleanText(note))]);
      run.safeFence = fence.number;
      run.outcome = outcomeOf(ledger, reason, error);
      run.reply = "settling";
      return { kind: "ended" };
    },
    async settled(fence, laidOut) {
      const session = held(ledger, fence);
      session.touchedAt = ledger.now();
      const run = ledger.runs.find(({ id }) => id === fence.run);
      if (run?.reply === "settling")
        Object.assign(run, { reply: "settled", ...(laidOut === undefined ? {} : { laidOut }) });
      const attempt = ledger.attempts.find((one) => one.run === fence.run && one.fence === fence.number);
      if (attempt !== undefined) attempt.ended ??= "ended";
    },
    async touch(fence) {
      held(ledger, fence).touchedAt = ledger.now();
    },
    async leave(fence, how) {
      const attempt = ledger.attempts.find((one) => one.run === fence.run && one.fence === fence.number);
      if (attempt === undefined || (attempt.ended !== undefined && attempt.ended !== "crashed")) return;
      attempt.ended = how;
      attempt.endedAt = ledger.now();
    },
    async isStopped(fence) {
      const session = ledger.sessions.get(fence.session);
      const run = ledger.runs.find(({ id }) => id === fence.run);
      return session !== undefined && run !== undefined && isStopped(session, run);
    },
    async isSteered(fence) {
      const session = ledger.sessions.get(fence.session);
      return session !== undefined && messagesAbove(session).length > 0;
    },
    async due(idleMs, limit) {
      const before = ledger.now() - idleMs;
      const since = ({ id }: SessionRow): number =>
        Math.min(
          ...waitingOf(ledger, id)
            .filter(isWork)
            .map(({ receivedAt }) => receivedAt),
          ...runsOf(id)
            .filter(({ reply }) => reply !== "settled")
            .map(({ startedAt }) => startedAt),
        );
      const taken = new Map<string, number>();
      const placed = [...ledger.sessions.values()]
        .filter((session) => since(session) <= before && session.touchedAt <= before)
        .sort((a, b) => a.touchedAt - b.touchedAt || since(a) - since(b))
        .map(({ id }) => {
          const { platform, space } = threadOf(id);
          const place = taken.get(`${platform}:${space}`) ?? 0;
          taken.set(`${platform}:${space}`, place + 1);
          return { id, place };
        });
      return placed
        .sort((a, b) => a.place - b.place)
        .slice(0, limit)
        .map(({ id }) => id);
    },
    hasWork: async (session) => hasWork(session),
  };
}
