/**
 * Slack's own sign that the bot works in a thread. One owner for all threads of an install: the newest state of a thread
 * wins, one call of it is under way at a time, and what goes wrong is logged and is never an error for people.
 */

import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Pacer } from "../../core/ports/pacer.ts";
import type { Presence } from "../../core/ports/surface.ts";
import { growingMs } from "../../core/pause.ts";
import { headOf } from "../../core/text.ts";
import { threadOf, type SessionId } from "../../core/thread.ts";
import type { SlackAnswer, SlackApi } from "./api.ts";
import { methodBudget } from "./budgets.ts";
import { decisionOn } from "./refusals.ts";

export interface SlackStatusDeps {
  readonly api: SlackApi;
  /** Shared by all processes. */
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly log: Log;
}

const AGENT_METHOD = "agents.sessions.setStatus";
/**
 * Work that began in this moment has its sign in the reply itself, which is posted at once. Slack's own follows where the
 * work goes on for longer, still within a second of the question: a quick answer costs two calls instead of four.
 */
const QUIET_MS = 800;
/** An agent's status ends by itself after an hour, the older one after two minutes. */
const REFRESH_MS = { agent: 30 * 60_000, older: 90_000 };
/** How often it is tried to say that the bot works. */
const TRIES = 5;
/**
 * A sign that has to go is tried to be taken away until it is gone, ever more rarely and at last each two minutes: by itself it would
 * stay up to an hour, with a Stop that stops nothing. Not more rarely, since by then another process may work in the thread.
 */
const RAREST_MS = 2 * 60_000;
/** What the calls for agents answer an app that is none, or where Slack has not switched them on. */
const NO_AGENT: ReadonlySet<string> = new Set([
  "feature_disabled",
  "missing_scope",
  "not_agent_app",
  "not_allowed_token_type",
  "not_authorized",
  "unknown_method",
]);

/** Slack's limit of a title. */
const TITLE_UNITS = 200;

interface ThreadState {
  wanted: "working" | "waiting" | "idle" | "closed";
  /** Slack takes it where the session is new there. */
  title: string | undefined;
  /** Whether Slack has been told the wanted state. */
  isSaid: boolean;
  /** Slack knows nothing of this work yet. */
  isQuiet: boolean;
  /** It has a place in the line. */
  isWaiting: boolean;
  /** Since it is wanted, without those that came of too many calls. */
  failures: number;
  inFlight: Promise<void> | undefined;
  cancelTimer: (() => void) | undefined;
}

const budgetOf = (session: SessionId) => methodBudget(threadOf(session).space, AGENT_METHOD);

export class SlackStatus {
  readonly #api: SlackApi;
  readonly #pacer: Pacer;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #mostGoing: number;
  readonly #threads = new Map<SessionId, ThreadState>();
  /** Learned from the first refusal, once for the install. */
  #way: "agent" | "older" | "none" = "agent";
  #isStopped = false;

  /** @param mostGoing threads whose sign has to go and does not yet; of more than that none is tried again. Default 500. */
  constructor(deps: SlackStatusDeps, mostGoing = 500) {
    this.#mostGoing = mostGoing;
    this.#api = deps.api;
    this.#pacer = deps.pacer;
    this.#clock = deps.clock;
    this.#log = deps.log;
  }

  /** Never throws and never waits. `closed`: what was said in the thread is over. `left`: another attempt goes on, and what stands there stays. */
  show(session: SessionId, presence: Presence | "closed", title?: string): void {
    const known = this.#threads.get(session);
    if (presence === "left") {
      if (known !== undefined) this.#forget(session, known);
      return;
    }
    const wanted = presence === "starting" ? "working" : presence;
    if (this.#isStopped || this.#way === "none" || (known?.wanted === wanted && known.isSaid)) return;
    if (wanted === "idle" && known?.isQuiet) return this.#forget(session, known);
    const state = known ?? {
      wanted,
      title,
      isSaid: false,
      isQuiet: presence === "starting",
      isWaiting: false,
      failures: 0,
      inFlight: undefined,
      cancelTimer: undefined,
    };
    Object.assign(state, { wanted, isSaid: false, failures: 0 });
    this.#threads.set(session, state);
    if (state.isQuiet && wanted === "working") this.#later(session, state, QUIET_MS);
    else this.#say(session, state);
  }

  /**
   * A stream is about to begin, with which Slack says by itself that the bot works there.
   * @returns what is to be called when it has begun, or may have.
   */
  streaming(session: SessionId): (has: "begun" | "perhaps begun") => void {
    const isFirst = this.#threads.get(session)?.isQuiet === true;
    return (has) => {
      const state = this.#threads.get(session);
      if (state?.wanted !== "working" || this.#isStopped || this.#way === "none") return;
      // From now on Slack may say it, so it has to be taken away.
      state.isQuiet = false;
      if (has !== "begun") return;
      state.isSaid = true;
      this.#later(session, state, REFRESH_MS[this.#way]);
      // The session that came with the stream has no title, and takes none with its status. Later on it may have one of a person's.
      if (isFirst && state.title !== undefined) void this.rename(session, state.title).catch(() => undefined);
    };
  }

  #forget(session: SessionId, state: ThreadState): void {
    state.cancelTimer?.();
    if (this.#threads.get(session) === state) this.#threads.delete(session);
    if (!state.isWaiting) return;
    state.isWaiting = false;
    this.#pacer.leave(budgetOf(session), session).catch(() => undefined);
  }

  /**
   * Slack shows this title for the thread from now on. Never throws: a thread that Slack knows as no session keeps its name there, and so
   * does one whose turn has not come.
   */
  async rename(session: SessionId, title: string): Promise<void> {
    if (this.#isStopped || this.#way === "none") return;
    // What is said again while it works says this one too.
    const state = this.#threads.get(session);
    if (state !== undefined) state.title = title;
    const { channel, root, space } = threadOf(session);
    const place = { channel_id: channel, thread_ts: root, title: headOf(title, TITLE_UNITS) };
    const method = this.#way === "agent" ? "agents.sessions.rename" : "assistant.threads.setTitle";
    const budget = methodBudget(space, method);
    const waitMs = await this.#pacer.take(budget, { who: session, urgency: "progress" });
    if (waitMs > 0) return this.#pacer.leave(budget, session);
    const answer = await (this.#way === "agent"
      ? this.#api.call("agents.sessions.rename", place)
      : this.#api.call("assistant.threads.setTitle", place));
    if (answer.kind === "rate_limited") await this.#pacer.hold(budget, answer.afterMs);
    if (answer.kind !== "ok")
      this.#log.debug("Slack shows the title of a thread as it was", { session, ...answer });
  }

  /** Refreshes nothing any more; resolves when the calls under way have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const state of this.#threads.values()) state.cancelTimer?.();
    for (const { inFlight } of [...this.#threads.values()]) await inFlight;
  }

  #say(session: SessionId, state: ThreadState): void {
    state.cancelTimer?.();
    state.cancelTimer = undefined;
    state.inFlight ??= this.#call(session, state).finally(() => {
      state.inFlight = undefined;
      if (!state.isSaid && state.cancelTimer === undefined && !this.#isStopped) this.#say(session, state);
    });
  }

  async #call(session: SessionId, state: ThreadState): Promise<void> {
    const { wanted } = state;
    const waitMs = await this.#turn(session, wanted);
    state.isWaiting = waitMs > 0;
    if (this.#threads.get(session) !== state) {
      state.isSaid = true;
      this.#forget(session, state);
      return;
    }
    if (state.wanted !== wanted) return;
    if (waitMs > 0) return this.#later(session, state, waitMs);
    state.isQuiet = false;
    const answer = await this.#send(session, { wanted, title: state.title });
    if (answer.kind === "rate_limited" && this.#way === "agent")
      await this.#pacer.hold(budgetOf(session), answer.afterMs);
    if (state.wanted !== wanted) return;
    if (answer.kind !== "ok" && isPassing(answer) && this.#goesOn(state)) {
      const waitMs = growingMs(state.failures, RAREST_MS);
      if (answer.kind === "rate_limited")
        return this.#later(session, state, Math.max(waitMs, answer.afterMs));
      state.failures++;
      return this.#later(session, state, waitMs);
    }
    if (answer.kind !== "ok") this.#log.debug("the status of a thread was not taken", { session, ...answer });
    state.isSaid = true;
    if (wanted === "working" && this.#way !== "none") this.#later(session, state, REFRESH_MS[this.#way]);
    else if (this.#threads.get(session) === state) this.#threads.delete(session);
  }

  /** That the bot works is good to know; that it does no more has to be said. The older way has no limit that matters. */
  #turn(session: SessionId, wanted: ThreadState["wanted"]): Promise<number> {
    if (this.#way !== "agent") return Promise.resolve(0);
    const urgency = wanted === "working" ? "progress" : "final";
    return this.#pacer.take(budgetOf(session), { who: session, urgency });
  }

  #later(session: SessionId, state: ThreadState, waitMs: number): void {
    if (this.#isStopped || this.#threads.get(session) !== state) {
      state.isSaid = true;
      return;
    }
    state.cancelTimer?.();
    state.cancelTimer = this.#clock.after(waitMs, () => this.#say(session, state));
  }

  /** After a failure that may pass. */
  #goesOn({ wanted, failures }: ThreadState): boolean {
    if (wanted === "working") return failures < TRIES;
    const going = [...this.#threads.values()].filter((state) => state.wanted !== "working");
    return going.length <= this.#mostGoing;
  }

  async #send(
    session: SessionId,
    { wanted, title }: Pick<ThreadState, "wanted" | "title">,
  ): Promise<SlackAnswer> {
    const { channel, root } = threadOf(session);
    const place = { channel_id: channel, thread_ts: root };
    if (this.#way === "agent") {
      const status = { working: "processing", waiting: "suspended", idle: "active", closed: "closed" }[
        wanted
      ];
      const named = wanted === "working" && title !== undefined ? { title: headOf(title, TITLE_UNITS) } : {};
      const answer = await this.#api.call(AGENT_METHOD, { ...place, status, ...named });
      if (answer.kind !== "refused" || !NO_AGENT.has(answer.code)) return answer;
      this.#log.info("no agent sessions in this Slack; the older status is used", { code: answer.code });
      this.#way = "older";
    }
    const status = wanted === "working" ? "is working…" : "";
    const answer = await this.#api.call("assistant.threads.setStatus", { ...place, status });
    if (answer.kind === "refused" && NO_AGENT.has(answer.code)) this.#way = "none";
    return answer;
  }
}

/** Whether the same call may be taken later: Slack's own trouble comes as a refusal too. */
function isPassing(answer: Exclude<SlackAnswer, { readonly kind: "ok" }>): boolean {
  const { kind } = decisionOn(answer);
  return kind === "later" || kind === "unknown";
}
