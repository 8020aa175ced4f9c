/**
 * Shows one run in its thread, from the first sign of life to the settled reply. One write in flight, the latest document
 * wins, progress is paced and given up early, the final text always lands. One writer per thread at a time.
 */

import type { RunEvent } from "../events.ts";
import type { ShownMask } from "../mask-shown.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Pages } from "../ports/pages.ts";
import type { Fence } from "../ports/run-store.ts";
import type { Outcome, RunInfo } from "../run.ts";
import type { PageContent, PageFile, Presence, Surface } from "../ports/surface.ts";
import { isBlank } from "../text.ts";
import { concluded, documentOf, reduce, type ReplyDocument } from "./document.ts";
import { Elapsed } from "./elapsed.ts";
import { fileNameOf } from "./first-part.ts";
import { PageFallback } from "./page-fallback.ts";
import { laidOutAs, type LaidOutAs } from "./laid-out-as.ts";
import { createLayout } from "./layout.ts";
import { growingMs, pause, untilAborted } from "../pause.ts";
import { pictureNames } from "./picture-pages.ts";
import { createPostedPages, type Step } from "./posted-pages.ts";
import { reconcile, type Operation } from "./reconcile.ts";
import { DEFAULT_VIEW, type ReplyView } from "./view.ts";
import { createWritePace } from "./write-pace.ts";

export interface ReplyWriterDeps {
  readonly surface: Surface;
  readonly pages: Pages;
  readonly clock: Clock;
  readonly log: Log;
  /** Of what is not stored yet. Absent where replies are shown as they come. */
  readonly mask?: ShownMask | undefined;
}

export interface ReplyWriterOptions {
  readonly run: RunInfo;
  readonly fence: Fence;
  /** Asked before each write to the platform; none starts when it says no. */
  isLive(): boolean;
  /** No attempt was before, so that nothing of the run can stand on the platform. Default false. */
  readonly isNew?: boolean;
  /** Nothing is written before `release` or the end: it may turn out that there is nothing to say. Default false. */
  readonly isHeld?: boolean;
  /** What earlier attempts showed (`documentOf` the stored entries); empty unless given. */
  readonly document?: ReplyDocument;
  readonly view?: ReplyView;
  /** What the thread is called, where its beginning is known. */
  readonly title?: string;
  /**
   * After a takeover: how long from now on a write of the attempt before may still land, ms. What was written earlier than
   * that is written once more at the end. Default 0: no attempt was before.
   */
  readonly lateWritesMs?: number;
  /** Called when the thread turns out not to be there any more: whatever else the run says, nobody will read it. */
  onThreadGone?(): void;
}

export type Settled =
  | { readonly kind: "settled" }
  /** The thread is not there any more, or people deleted the reply twice: nothing more to show. */
  | { readonly kind: "gone" }
  /** The platform took neither a page nor its plain text; a notice stands there if even that was possible. */
  | { readonly kind: "refused"; readonly why: string }
  /** The platform does not take the token of this process: the reply is settled by who has another one. */
  | { readonly kind: "barred" }
  /** Lease, fence or signal said no more, or `stop` came first: somebody else settles the reply. */
  | { readonly kind: "lost" };

export interface ReplyWriter {
  /** Takes the event into the document and writes when it is time. Never throws, never waits. */
  on(event: RunEvent): void;
  /** There is something to say: what was held back is written, and all that follows when it is time. */
  release(): void;
  /**
   * Writes the final pages: waits for the write under way, obeys the platform, goes on until they are there or `signal`
   * aborts. Called again it answers the same. Rejects when the store cannot be reached; the reply is then still to settle.
   */
  settle(outcome: Outcome, signal?: AbortSignal): Promise<Settled>;
  /** How it stands there, once it is settled; undefined before, and where it is not all there. */
  readonly laidOut: LaidOutAs | undefined;
  /** Leaves the reply as it stands: resolves when the write in flight has ended; no other will start. */
  stop(): Promise<void>;
}

/** A reply is posted anew once; who deletes it again does not want it. */
const REPOSTS = 1;
/** Pages that made room for others, in one attempt: a platform that never lets one be is left alone. */
const MOST_MOVED = 30;

/** What a post sends beside words, where that is all there is of the page. */
const fileOf = (operation: Operation): PageFile | undefined =>
  operation.kind === "post" ? operation.content.file : undefined;

export function createReplyWriter(deps: ReplyWriterDeps, options: ReplyWriterOptions): ReplyWriter {
  const { surface, clock } = deps;
  const { run } = options;
  const log = deps.log.with({ run: run.id, session: run.session });
  const asked = options.view ?? DEFAULT_VIEW;
  const view = surface.addsTo === true ? { ...asked, saysUnhealed: true } : asked;
  const quietUntil = clock.ticks() + (options.lateWritesMs ?? 0);
  const posted = createPostedPages(
    { surface, pages: deps.pages, log, ticks: () => clock.ticks() },
    {
      run,
      fence: options.fence,
      isNew: options.isNew === true,
      isLive: () => options.isLive(),
      lateUntil: quietUntil,
      fileNames: () => [fileNameOf(run.id), ...pictureNames(document)],
    },
  );
  const fallback = new PageFallback(surface.limits, run.id);
  const layout = createLayout(fallback, { view, mask: deps.mask });
  const pace = createWritePace(clock, surface.limits);
  const stopping = new AbortController();

  let document = options.document ?? documentOf(run, []);
  /** The document that the last look at the pages was for. */
  let shown: ReplyDocument | undefined;
  let ended: Settled | undefined;
  let settling: Promise<Settled> | undefined;
  let inFlight: Promise<void> | undefined;
  let cancelTimer: (() => void) | undefined;
  let isHeld = options.isHeld === true;
  let reposts = 0;
  let moved = 0;
  let hasBegun = false;
  let hasWords = false;
  /** Ticks of the first words that were said, seen or not. */
  let saidAt: number | undefined;
  let hasWritten = false;
  /** How long it does what it does is to be told anew. */
  let isDue = false;
  const elapsed = new Elapsed(clock, () => {
    isDue = true;
    schedule();
  });

  const wanted = (): readonly PageContent[] =>
    layout.pagesOf(document, document.outcome === undefined ? elapsed.tellMs : undefined);
  const isOver = (): boolean => ended !== undefined || settling !== undefined || stopping.signal.aborted;

  function schedule(): void {
    if (isOver() || isHeld || inFlight !== undefined || cancelTimer !== undefined || pace.hasGivenUp) return;
    const waitMs = pace.progressMs;
    if (waitMs > 0) {
      cancelTimer = clock.after(waitMs, () => {
        cancelTimer = undefined;
        schedule();
      });
      return;
    }
    inFlight = writeProgress().then((hasMore) => {
      inFlight = undefined;
      if (hasMore || isDue || shown !== document) schedule();
    });
  }

  /**
   * What an attempt before has shown is nearer to the answer than that this one thinks: it stays until there are words or tools, so
   * that a hand-over is not seen.
   */
  const holdsBack = (): boolean =>
    !hasWritten &&
    options.isNew !== true &&
    layout.shownOf(document).activity.kind === "thinking" &&
    posted.list().some(({ message }) => message !== undefined);

  /** Once in a reply; where words stand already nobody waits for the first ones. @returns whether there is anything new to see. */
  function hurryFirstWords(said: string): boolean {
    if (hasWords || (saidAt === undefined && isBlank(said))) return true;
    saidAt ??= clock.ticks();
    if (layout.shownOf(document).rounds.every(({ text }) => isBlank(text))) return false;
    hasWords = true;
    if (options.isNew !== true && !hasWritten && posted.list().length > 0) return true;
    if (pace.isFailing) return true;
    pace.hurry(saidAt);
    cancelTimer?.();
    cancelTimer = undefined;
    return true;
  }

  /** At most one write. @returns whether more is to be written although nothing changed. Never rejects. */
  async function writeProgress(): Promise<boolean> {
    if (!hasBegun) surface.show?.(options.isNew === true ? "starting" : "working", options.title);
    hasBegun = true;
    pace.looked();
    try {
      await posted.load();
      if (isOver()) return false;
      shown = document;
      isDue = false;
      if (holdsBack()) return false;
      const [operation] = reconcile(wanted(), posted.list());
      if (operation === undefined) return false;
      if (operation.kind !== "remove") pace.grew(operation.content);
      const isFirst = operation.kind === "post" && operation.index === 0;
      const step = await posted.perform(operation, isFirst ? "reply" : "progress");
      if (step.kind !== "later") hasWritten = true;
      // Also where a post was found again of which nobody knows what it shows.
      return noteProgress(step) || reconcile(wanted(), posted.list()).length > 0;
    } catch (error) {
      log.warn("progress of a reply could not be written", { error });
      pace.failed();
      return true;
    }
  }

  /** @returns whether the same has to be tried again */
  function noteProgress(step: Step): boolean {
    switch (step.kind) {
      case "done":
        pace.landed();
        return false;
      case "unknown":
      case "refused":
        log.info("progress of a reply did not land", { ...step });
        pace.failed();
        return true;
      case "too_long":
        fallback.shrink();
        pace.failed();
        return true;
      case "later":
      case "page_gone":
      case "thread_gone":
      case "lost":
        noteAlways(step);
        return true;
      default:
        return step satisfies never;
    }
  }

  /** What means the same for progress and finals. */
  function noteAlways(step: Extract<Step, { kind: "later" | "page_gone" | "thread_gone" | "lost" }>): void {
    switch (step.kind) {
      case "later":
        pace.later(step);
        return;
      case "page_gone":
        if (step.isOurs === true) moved++;
        else reposts++;
        if (reposts > REPOSTS || moved > MOST_MOVED) ended = { kind: "gone" };
        return;
      case "thread_gone":
        ended = { kind: "gone" };
        options.onThreadGone?.();
        return;
      case "lost":
        ended = { kind: "lost" };
        return;
      default:
        step satisfies never;
    }
  }

  async function finish(outcome: Outcome, signal: AbortSignal): Promise<Settled> {
    cancelTimer?.();
    cancelTimer = undefined;
    elapsed.stop();
    document = concluded(document, outcome);
    if (inFlight !== undefined) await untilAborted(inFlight, signal);
    pace.endTurns();
    for (let tries = 0; ended === undefined;) {
      if (!(await pause(clock, pace.finalMs, signal)) || !options.isLive()) return { kind: "lost" };
      await posted.load();
      const [operation] = reconcile(wanted(), posted.list());
      if (operation === undefined) {
        const saved = await posted.save();
        if (saved.kind === "lost") return { kind: "lost" };
        if (!posted.isDoubtful(quietUntil)) break;
        if (!(await pause(clock, quietUntil - clock.ticks(), signal))) return { kind: "lost" };
        posted.doubt(quietUntil);
        continue;
      }
      const step = await posted.perform(operation, "final");
      const file = fileOf(operation);
      tries = step.kind === "unknown" ? tries + 1 : 0;
      switch (step.kind) {
        case "done":
          break;
        case "unknown":
          log.warn("a final page may not have landed", { ...step, tries });
          await pause(clock, growingMs(tries - 1), signal);
          break;
        case "too_long":
          if (file !== undefined && fallback.without(file)) break;
          // A platform that finds even the notice too long takes nothing of us.
          if (!fallback.shrink() && !fallback.simplify(operation.index))
            ended = { kind: "refused", why: "even the shortest notice is too long" };
          break;
        case "refused":
          log.warn("the platform refused a final page", { ...step, page: operation.index });
          if (file !== undefined && fallback.without(file)) break;
          if (!fallback.simplify(operation.index)) ended = step;
          break;
        case "later":
          if (step.isBarred === true) return { kind: "barred" };
          noteAlways(step);
          break;
        case "page_gone":
        case "thread_gone":
        case "lost":
          noteAlways(step);
          break;
        default:
          step satisfies never;
      }
    }
    const incomplete = fallback.reason;
    ended ??= incomplete === undefined ? { kind: "settled" } : { kind: "refused", why: incomplete };
    return ended;
  }

  /** The platform's own sign goes with the reply, unless somebody else goes on with it. */
  async function settleOnce(outcome: Outcome, signal: AbortSignal): Promise<Settled> {
    let presence: Presence = "left";
    try {
      const settled = await finish(outcome, signal);
      if (settled.kind !== "lost" && settled.kind !== "barred")
        presence = outcome.reason === "waiting" ? "waiting" : "idle";
      return settled;
    } finally {
      surface.leave?.();
      surface.show?.(presence);
    }
  }

  return {
    on(event) {
      if (isOver()) return;
      document = reduce(document, event);
      elapsed.watch(document);
      if (event.kind === "text" && !hurryFirstWords(event.text)) return;
      if (document !== shown) schedule();
    },
    release() {
      isHeld = false;
      if (document !== shown) schedule();
    },
    settle(outcome, signal) {
      settling ??= settleOnce(
        outcome,
        signal === undefined ? stopping.signal : AbortSignal.any([stopping.signal, signal]),
      );
      return settling;
    },
    get laidOut() {
      return ended?.kind === "settled" ? laidOutAs(wanted(), view.verbosity) : undefined;
    },
    async stop() {
      stopping.abort();
      elapsed.stop();
      cancelTimer?.();
      cancelTimer = undefined;
      await inFlight;
      await settling?.catch(() => undefined);
      if (settling !== undefined) return;
      surface.leave?.();
      surface.show?.("left");
    },
  };
}
