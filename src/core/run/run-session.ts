/**
 * The bot's shell around the agent loop: one claim of a session, from `open` to its final pages.
 * Everything durable goes through the fenced store; everything people see goes through one reply writer.
 */

import type { AbortReason, LoopDeps, LoopHooks, LoopOutcome, LoopProfile } from "../agent/loop-types.ts";
import type { ProfileOf } from "../agent/frozen-profile.ts";
import { runLoop } from "../agent/loop.ts";
import type { Learnt } from "../context/gauge.ts";
import type { Entry } from "../entry.ts";
import { isStaleFence, isStoreTrouble, type BobbinError } from "../errors.ts";
import type { RunEvent } from "../events.ts";
import type { Author } from "../inbound.ts";
import type { ShownMask } from "../mask-shown.ts";
import type { Lease } from "../ports/locker.ts";
import type { Log } from "../ports/log.ts";
import type { Pages } from "../ports/pages.ts";
import type { Pictures } from "../ports/pictures.ts";
import type { Committed, Fence, Left, Opened, RunStore } from "../ports/run-store.ts";
import type { Frozen, RoundRecord } from "../round.ts";
import type { Outcome } from "../run.ts";
import { withTimeLimit } from "../pause.ts";
import type { Stops } from "../ports/stops.ts";
import type { Surface, Voice } from "../ports/surface.ts";
import { DEFAULT_RULES, viewOf, type ReplyRules } from "../reply/view.ts";
import type { ReplyWriter } from "../reply/writer.ts";
import type { SessionId } from "../thread.ts";
import type { Backlog } from "./backlog.ts";
import { openGoalTurn, type GoalTurnDeps } from "./goal-turn.ts";
import { holdSession, type Hold } from "./hold.ts";
import { createPictureKeeper } from "./keep-pictures.ts";
import { doingBy, writerOfRun, type Showing } from "./reply-of-run.ts";
import { outcomeOf, stoppedBeforeItBegan } from "./run-ending.ts";
import { leaveSignal, openRunSignal, watchStops, type RunEnders, type StopWatch } from "./run-signal.ts";
import type { Served, ServeStep } from "./serve-session.ts";
import { storeEnd } from "./store-end.ts";
import type { Titler } from "./titler.ts";
import { markTriedAgain } from "./tried-again.ts";

export interface RunSessionDeps extends LoopDeps {
  readonly store: RunStore;
  readonly pages: Pages;
  /** The bytes of the images that rounds were stored with. Absent where none are kept: then none is shown. */
  readonly pictures?: Pictures;
  /** Of what people see before it is stored. Absent where replies are shown as they come. */
  readonly mask?: ShownMask | undefined;
  readonly stops: Stops;
  readonly log: Log;
  /** Reads what was said before the bot was called; never rejects. Absent where that is on no platform. */
  readonly backlog?: Backlog;
  /** The place where the session's thread is shown. */
  surfaceOf(session: SessionId, voice?: Voice): Surface;
  /** Which model answers and what it is told; `frozen` is what it was told before, and holds. */
  readonly profileOf: ProfileOf;
  /** Names new threads. Absent where no model does. */
  readonly titler?: Titler | undefined;
  /** How replies are shown where. Default the same everywhere. */
  readonly replies?: ReplyRules;
  /** Absent where nothing begins by itself. */
  readonly goals?: GoalTurnDeps;
}

export interface RunSessionOptions {
  /** Name of this worker in the attempts. */
  readonly worker: string;
  /** How long tools and final pages may go on after `leaving`, ms; a model call is cut at once. Default 1,000. */
  readonly graceMs?: number;
  /** How long a write of an attempt that died may still land on the platform, ms. Default 0. */
  readonly lateWritesMs?: number;
  /** Also begins the turns that goals have planned. */
  readonly takes?: "goals";
}

type Claimed = Exclude<Opened, { kind: "nothing" }>;
type ClaimedRun = Extract<Opened, { kind: "run" }>;
type Enders = Omit<RunEnders, "graceMs" | "leftMs">;
type Settling = Extract<Opened, { kind: "settle" }>;
/** The run has ended in the ledger, or this attempt has to leave. */
type Looped = { readonly kind: "ended"; readonly outcome: Outcome } | Extract<LoopOutcome, { kind: "left" }>;

/** Said late or never, an attempt costs its run one of eight; what would pile up here in a long outage does not matter. */
const MOST_UNSAID = 1_000;
/** How long a reply waits for the card of its thread's goal, ms. */
const CARD_MS = 3_000;

/**
 * A step for `serve-session`. Rejects when the store cannot be reached: then the run stays as it was last stored, and the
 * next claim resumes it.
 */
export function createRunSession(deps: RunSessionDeps, options: RunSessionOptions): ServeStep {
  const graceMs = options.graceMs ?? 1000;
  const pictures = createPictureKeeper(deps.hash);
  const unsaid: { readonly fence: Fence; readonly how: Left }[] = [];

  const writerOf = (claimed: Claimed, lease: Lease, more: Showing = {}): ReplyWriter =>
    writerOfRun(deps, claimed, lease, { lateWritesMs: options.lateWritesMs, ...more });

  /**
   * The last two steps of a run: its final pages, then `reply = settled`. Who leaves lets the next one deliver them, and so does who
   * cannot write there: it waits for a process whose token is taken.
   */
  async function deliver(
    writer: ReplyWriter,
    claimed: Claimed,
    outcome: Outcome,
    lease: Lease,
    leaving: AbortSignal,
    marked: Promise<void>,
  ): Promise<Served> {
    const late = leaveSignal(deps.clock, leaving, graceMs);
    try {
      const settled = await writer.settle(outcome, AbortSignal.any([lease.signal, late.signal]));
      if (settled.kind === "lost" || settled.kind === "barred") {
        // A write under way is waited for: the next attempt is told that nothing of this one can land any more.
        await writer.stop();
        const isOurs = settled.kind === "barred" || late.signal.aborted;
        const left = await leave(claimed.fence, isOurs ? "handed_over" : "lost");
        return settled.kind === "barred" ? "closed" : left;
      }
      await marked;
      await deps.store.settled(claimed.fence, writer.laidOut);
      return "worked";
    } finally {
      late.close();
    }
  }

  /** Today's words for what was done, with those of goals. */
  const toolsNow = (): LoopProfile["tools"] => deps.profileOf(undefined, {}, undefined, "goal").profile.tools;

  /** Of a retry: takes the button away from the reply before, beside whatever else there is to do. */
  function mark({ run, fence, shown }: Claimed, lease: Lease, leaving: AbortSignal): Promise<void> {
    if (run.cause !== "retry") return Promise.resolve();
    const signal = AbortSignal.any([lease.signal, leaving]);
    const view = {
      ...viewOf(deps.replies ?? DEFAULT_RULES, run.session, shown),
      doing: doingBy(toolsNow),
    };
    const shownAt = { surface: deps.surfaceOf(run.session, "notice"), view };
    return markTriedAgain(deps, fence, shownAt, () => lease.isLive(), signal);
  }

  async function leave(fence: Fence, how: Left): Promise<Served> {
    try {
      await deps.store.leave(fence, how);
    } catch (error) {
      deps.log.warn("could not write down how the attempt left; it is said later", {
        run: fence.run,
        how,
        error,
      });
      if (unsaid.length < MOST_UNSAID) unsaid.push({ fence, how });
    }
    return "left";
  }

  /** An attempt that never said how it left counts as crashed: an outage must not use up a run's attempts. */
  async function sayLate(): Promise<void> {
    for (const { fence, how } of unsaid.splice(0)) await leave(fence, how);
  }

  /** What has to be done when an attempt breaks off; answers what the service is told, or throws the error on. */
  async function breakOff(
    error: unknown,
    claimed: Claimed,
    writer: ReplyWriter | undefined,
  ): Promise<Served> {
    await writer?.stop();
    if (isStaleFence(error)) return leave(claimed.fence, "lost");
    // A store that is away is not the run's fault. A fault of our own that comes back each time has to come to an end, and so
    // has a disk that stays full: each try asks the model for an answer that cannot be kept.
    const isAway = isStoreTrouble(error) && error.code === "store_unavailable";
    await leave(claimed.fence, isAway ? "handed_over" : "crashed");
    throw error;
  }

  async function settle(opened: Settling, lease: Lease, leaving: AbortSignal): Promise<Served> {
    let writer: ReplyWriter | undefined;
    try {
      writer = writerOf(opened, lease, { tools: toolsNow });
      const marked = mark(opened, lease, leaving);
      return await deliver(writer, opened, opened.outcome, lease, leaving, marked);
    } catch (error) {
      return await breakOff(error, opened, writer);
    }
  }

  /** @param frozen what the model is told. */
  async function loop(
    claimed: ClaimedRun,
    given: LoopProfile,
    writer: ReplyWriter,
    enders: Enders,
    frozen: Frozen,
  ): Promise<Looped> {
    const { fence, run } = claimed;
    const { lease, leaving } = enders;
    const goal =
      claimed.goal &&
      deps.goals &&
      openGoalTurn(deps.goals, { ...claimed, goal: claimed.goal }, given, deps.hash);
    const profile = goal?.profile ?? given;
    const entries: Entry[] = [...claimed.tail];
    // Above the first reply, so that it is read first.
    const card =
      goal && withTimeLimit(deps.clock, CARD_MS, "a goal's card", goal.shown()).catch(() => undefined);
    const show = (): void => {
      if (goal?.isShown(entries)) card?.then(writer.release, writer.release);
    };
    show();
    let { rounds, requester } = run;
    /** A store that went away ends the attempt, not the run: the claim after it resumes from what was stored. */
    let storeFailure: BobbinError | undefined;
    /** Goes with what is stored first of the run. */
    let unfrozen = claimed.frozen?.tools.hash === frozen.tools.hash ? undefined : frozen;
    const learnt: Learnt = claimed.gauge === undefined ? {} : { gauge: claimed.gauge };
    let kept = claimed.gauge;
    /** What was learnt since it was last stored. */
    const news = (): Learnt => (learnt.gauge === kept ? {} : { ...learnt });
    /** What was noted behind the round joins it as what people write does. */
    const commit = async (round: RoundRecord): Promise<Committed> => {
      const { gauge } = learnt;
      const record = { ...pictures.round(round), ...news() };
      const committed = await deps.store.commitRound(fence, record, unfrozen);
      kept = gauge;
      const own = committed.stored.filter(({ body }) => body.kind !== "user");
      if (own.length === committed.stored.length) return committed;
      const noted = committed.stored.filter(({ body }) => body.kind === "user");
      return { ...committed, stored: own, steered: [...noted, ...committed.steered] };
    };
    const hooks: LoopHooks = {
      emit: (event) => say(event),
      endsWithRound: true,
      isLive: () => lease.isLive(),
      isSteered: () => deps.store.isSteered(fence),
      isLeaving: () => leaving.aborted,
      async commitRound(round) {
        try {
          const before = await goal?.before(round);
          const committed = await commit(before?.round ?? round);
          await before?.stored();
          unfrozen = undefined;
          entries.push(...committed.stored, ...committed.steered);
          requester = newestAuthor(committed.steered) ?? requester;
          await goal?.heard(committed.steered);
          show();
          if (round.state === "complete") rounds = round.round;
          const isOver = before?.isOver ? { isOver: true as const } : {};
          return { ...committed, ...isOver, leave: leaving.aborted };
        } catch (error) {
          if (!isStoreTrouble(error)) throw error;
          storeFailure = error;
          return { stored: [], steered: [], stopped: false, leave: true };
        }
      },
    };

    const leftMs =
      profile.limits.runMs - (claimed.resumed ? Math.max(0, deps.clock.now() - run.startedAt) : 0);
    const signal = openRunSignal(deps, fence, { ...enders, graceMs, leftMs });
    const say = (said: RunEvent): void => {
      const event = pictures.event(said);
      signal.on(event);
      goal?.on(event);
      writer.on(event);
    };
    try {
      for (;;) {
        const input = {
          session: fence.session,
          run: fence.run,
          requester,
          entries,
          roundsDone: rounds,
          learnt,
        };
        // No model call is made then, and calls that an attempt before left open are closed.
        const ending = claimed.stopped ? AbortSignal.abort("stopped" satisfies AbortReason) : signal.signal;
        const looped = await runLoop(deps, profile, { ...input, entries: [...entries] }, hooks, ending);
        // An answer that was stored whole, of a run that was not ended yet.
        const isLate = claimed.stopped && looped.kind === "ended" && looped.reason !== "cancelled";
        const outcome: LoopOutcome = isLate ? stoppedBeforeItBegan : looped;
        if (storeFailure !== undefined) throw storeFailure;
        if (outcome.kind === "left") return outcome;
        const { how, ended, fault } = await storeEnd(
          (end) =>
            deps.store.end(
              fence,
              { ...pictures.ending(goal?.ending(end, entries, outcome) ?? end), ...news() },
              unfrozen,
            ),
          outcome,
          rounds,
          profile.limits.maxTurns,
        );
        if (fault !== undefined)
          deps.log.error("not all of how a run ended could be stored", { run: run.id, error: fault });
        unfrozen = undefined;
        kept = learnt.gauge;
        const { round } = how;
        if (round !== undefined) {
          const entries = (ended.kind === "ended" ? ended.entries : undefined) ?? round.entries;
          const done = { kind: "round", round: round.round, state: "done", entries } as const;
          // What was stored of an answer that broke off is shown as well; the goal and the limits hear of whole ones.
          if (outcome.reason === "stop") say(done);
          else writer.on(pictures.event(done));
        }
        if (ended.kind === "ended") {
          await card;
          deps.goals?.ended(run, ended.goal);
          return { kind: "ended", outcome: outcomeOf(how, deps.clock.now(), ended.news) };
        }
        await goal?.heard(ended.steered);
        // Messages came between the last look and the end: the same run and the same reply go on.
        rounds = outcome.rounds;
        entries.push(...ended.stored, ...ended.steered);
        const messages = ended.steered.flatMap(({ body }) => (body.kind === "user" ? [body] : []));
        requester = newestAuthor(ended.steered) ?? requester;
        writer.on({ kind: "steer", messages });
      }
    } finally {
      signal.close();
    }
  }

  async function execute(
    claimed: ClaimedRun,
    lease: Lease,
    leaving: AbortSignal,
    stopWatch: StopWatch,
  ): Promise<Served> {
    const log = deps.log.with({ session: claimed.fence.session, run: claimed.fence.run });
    const threadGone = new AbortController();
    let writer: ReplyWriter | undefined;
    try {
      // What a run was told it is told to its end.
      const isTold = claimed.begunWith !== undefined || claimed.goal === undefined;
      const { profile, frozen, notice } = deps.profileOf(
        claimed.frozen,
        claimed.chosen,
        claimed.begunWith,
        isTold ? undefined : "goal",
      );
      writer = writerOf(claimed, lease, { onThreadGone: () => threadGone.abort(), notice, profile });
      const { on } = writer;
      deps.titler?.begin(claimed, (usage) => on({ kind: "usage", usage }));
      const marked = mark(claimed, lease, leaving);
      const enders = { lease, leaving, threadGone: threadGone.signal, stopWatch };
      const looped = await loop(claimed, profile, writer, enders, frozen);
      if (looped.kind === "left") {
        await writer.stop();
        log.info("attempt left", { how: looped.how });
        return await leave(claimed.fence, looped.how);
      }
      const { outcome } = looped;
      log.info("run ended", { reason: outcome.reason, error: outcome.error });
      const served = await deliver(writer, claimed, outcome, lease, leaving, marked);
      if (threadGone.signal.aborted && claimed.goal !== undefined)
        await deps.goals?.gone(claimed.fence.session);
      return served;
    } catch (error) {
      return await breakOff(error, claimed, writer);
    }
  }

  return async (session, lease, leaving) => {
    await sayLate();
    await deps.backlog?.(session, AbortSignal.any([lease.signal, leaving]));
    // A claim takes the run from whoever has it: who was paused past its lease must not make one. Nor must who leaves: it may have
    // been kept from reading what a thread's first turn has to know, which nobody would read again.
    if (!lease.isLive() || leaving.aborted) return "left";
    const stopWatch = watchStops(deps.stops, session);
    let hold: Hold | undefined;
    try {
      const opened = await deps.store.open(session, options.worker, options.takes);
      if (opened.kind === "nothing") return "idle";
      hold = holdSession(deps, opened.fence, lease);
      return await (opened.kind === "run"
        ? execute(opened, hold, leaving, stopWatch)
        : settle(opened, hold, leaving));
    } finally {
      hold?.close();
      stopWatch.close();
    }
  };
}

function newestAuthor(entries: readonly Entry[]): Author | undefined {
  const body = entries.at(-1)?.body;
  return body?.kind === "user" ? body.author : undefined;
}
