/**
 * Streams, before a thread of Slack as a place to post, in direct messages: what is written grows there by being added to. A stream is
 * only how a page gets there. It is ended, and the page put right by an edit, whenever adding will not do: at the end, when the words
 * before have changed, before Slack's limits, and after an answer that was lost, since to add again could double words. Where
 * no stream can be had, or there is no turn for one, a page is a post that is edited.
 */

import { overlaid } from "../../core/overlaid.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Pacer, Urgency } from "../../core/ports/pacer.ts";
import type { MayBegin, PageContent, Surface, Written } from "../../core/ports/surface.ts";
import { createTurns } from "../../core/reply/turns.ts";
import { threadOf, type SessionId } from "../../core/thread.ts";
import type { SlackAnswer, SlackApi, SlackData } from "./api.ts";
import { streamBudget, type StreamMethod } from "./budgets.ts";
import { createFindPost, metadataOf } from "./find-post.ts";
import { actionsOf } from "./format.ts";
import type { LetBe } from "./let-be.ts";
import { textOf } from "./payload.ts";
import { decisionOn, hasNoStreams, isStreamedYet, isStreamOver } from "./refusals.ts";
import type { SlackStatus } from "./status.ts";
import { removeStray, saysThread } from "./stray.ts";
import { growthOf, NOTHING, type Streamed } from "./stream-growth.ts";

/** Shared by all threads of an install: what one of them has learnt holds for the others. */
export interface SlackStreams {
  readonly letBe: LetBe;
  /** Of this process, under way. */
  live: number;
}

export interface StreamSurfaceDeps {
  readonly api: SlackApi;
  readonly status: SlackStatus;
  readonly streams: SlackStreams;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly log: Log;
}

interface Stream {
  readonly key: string;
  /** Ticks. */
  readonly since: number;
  readonly shown: Streamed;
  /** An answer was lost: what stands there is not known. */
  readonly isDoubtful?: true;
}

type Unfinished = Exclude<Written, { readonly kind: "ok" }>;

/** Slack ends a stream about five minutes after it was begun. */
const STREAM_MS = 4 * 60_000;
/** Many that end together would have to wait for each other: Slack ends twenty a minute. */
const MOST_LIVE = 6;
/** Least time between two additions, ms. */
const ADD_EVERY_MS = 800;
/** So often, with this pause, an edit finds a stream that has not ended for Slack before its page is given up. */
const CONFLICTS = 4;
const CONFLICT_MS = 1_000;

/** Who is written to alone: in a channel only one person sees a stream, and everybody else its first words. */
export function isDirect(session: SessionId): boolean {
  return threadOf(session).channel.startsWith("D");
}

export function withStreams(surface: Surface, deps: StreamSurfaceDeps, session: SessionId): Surface {
  const { api, pacer, clock, streams, status } = deps;
  const { space, channel, root } = threadOf(session);
  if (root === undefined) throw new RangeError(`not a thread of Slack: ${session}`);
  const log = deps.log.with({ session });
  const turns = createTurns(pacer, session);
  const posts = createFindPost(api, { channel, root });
  const live = new Map<string, Stream>();
  /** Keys of streams whose answer never came, or that Slack did not take. */
  const begun = new Set<string>();
  /** How often Slack said of one that has ended that it is streamed yet, by message. */
  const conflicts = new Map<string, number>();

  async function call(method: StreamMethod, args: SlackData, mayBegin?: MayBegin): Promise<SlackAnswer> {
    const answer = await api.call(method, { channel, ...args }, mayBegin);
    if (answer.kind === "rate_limited") await pacer.hold(streamBudget(space, method), answer.afterMs);
    return answer;
  }

  async function turn(method: StreamMethod, urgency: Urgency): Promise<Unfinished | undefined> {
    const waitMs = await turns.take(streamBudget(space, method), urgency);
    return waitMs > 0 ? { kind: "later", afterMs: waitMs, isTurn: true } : undefined;
  }

  function forget(ts: string): void {
    if (live.delete(ts)) streams.live--;
  }

  /** Undefined where the page has to be posted. */
  async function begin(key: string, page: PageContent, mayBegin?: MayBegin): Promise<Written | undefined> {
    const growth = growthOf(NOTHING, page);
    if (growth === undefined || page.buttons.length === 0 || begun.has(key)) return undefined;
    if (streams.letBe.isOn || streams.live >= MOST_LIVE) return undefined;
    streams.live++;
    if ((await turn("chat.startStream", "progress")) !== undefined) {
      streams.live--;
      turns.leave();
      return undefined;
    }
    // A stream takes no metadata when it is begun: the key is the name of the block that stands first.
    const first = { type: "blocks", blocks: [{ ...actionsOf(page.buttons), block_id: key }] };
    const chunks = [first, ...growth.chunks];
    const noteStream = status.streaming(session);
    const answer = await call("chat.startStream", { thread_ts: root, chunks }, mayBegin);
    const ts = answer.kind === "ok" ? textOf(answer.data["ts"]) : undefined;
    if (ts !== undefined) {
      live.set(ts, { key, since: clock.ticks(), shown: growth.shown });
      noteStream("begun");
      streams.letBe.taken();
      return { kind: "ok", message: ts };
    }
    streams.live--;
    const decision =
      answer.kind === "ok"
        ? ({ kind: "unknown", why: "the answer names no message" } as const)
        : decisionOn(answer);
    if (decision.kind === "unknown") noteStream("perhaps begun");
    if (decision.kind === "refused") {
      log.info("Slack streams no such page; it is posted and edited", { ...answer });
      streams.letBe.refused(session, hasNoStreams(answer));
    }
    if (decision.kind === "unknown" || decision.kind === "refused") begun.add(key);
    // Whatever Slack has against a stream, it may take a post.
    const mayHelp = decision.kind === "refused" || decision.kind === "gone" || decision.kind === "too_long";
    return mayHelp || answer.kind === "rate_limited" ? undefined : decision;
  }

  /**
   * It is no stream any more. Slack does not say at its beginning whether it took it as a reply: below a root that was deleted it may
   * grow in the channel itself. Where that cannot be known now it stays.
   * @returns undefined where it stands in its thread.
   */
  async function over(ts: string, answer: SlackAnswer): Promise<Unfinished | undefined> {
    forget(ts);
    if (answer.kind === "ok" && saysThread(answer.data)) return undefined;
    if (!(await posts.isStray(ts).catch(() => false))) return undefined;
    log.info("the thread's root is gone: what was streamed is taken back", { message: ts });
    return removeStray(clock, () => surface.remove(ts));
  }

  /** Undefined when it is over, or edits have to show whether it is. */
  async function end(
    ts: string,
    mayBegin: MayBegin | undefined,
    urgency: Urgency,
  ): Promise<Unfinished | undefined> {
    const wait = await turn("chat.stopStream", urgency);
    if (wait !== undefined) return wait;
    const key = live.get(ts)?.key;
    const args = { ts, ...(key === undefined ? {} : { metadata: metadataOf(key) }) };
    const answer = await call("chat.stopStream", args, mayBegin);
    if (answer.kind !== "ok" && !isStreamOver(answer)) {
      const decision = decisionOn(answer);
      if (decision.kind === "unknown" || decision.kind === "later") return decision;
      log.info("a stream could not be ended", { ...answer });
    }
    return over(ts, answer);
  }

  /** Adds what is new. Undefined where the whole page has to be written. */
  async function add(
    ts: string,
    page: PageContent,
    mayBegin: MayBegin | undefined,
    urgency: Urgency,
  ): Promise<Written | undefined> {
    const stream = live.get(ts);
    const isOpen = stream?.isDoubtful !== true && urgency !== "final";
    if (stream === undefined || !isOpen || clock.ticks() - stream.since >= STREAM_MS) return undefined;
    const growth = growthOf(stream.shown, page);
    if (growth === undefined) return undefined;
    if (growth.chunks.length === 0) return { kind: "ok", message: ts };
    const wait = await turn("chat.appendStream", urgency);
    if (wait !== undefined) return wait;
    const answer = await call("chat.appendStream", { ts, chunks: growth.chunks }, mayBegin);
    if (answer.kind === "ok") {
      live.set(ts, { ...stream, shown: growth.shown });
      return { kind: "ok", message: ts };
    }
    if (isStreamOver(answer)) return over(ts, answer);
    const decision = decisionOn(answer);
    if (decision.kind === "unknown") live.set(ts, { ...stream, isDoubtful: true });
    return decision.kind === "refused" || decision.kind === "too_long" ? undefined : decision;
  }

  async function edit(
    ts: string,
    page: PageContent,
    mayBegin?: MayBegin,
    urgency: Urgency = "final",
  ): Promise<Written> {
    const added = await add(ts, page, mayBegin, urgency);
    if (added !== undefined) return added;
    const isLive = live.has(ts);
    const unended = isLive ? await end(ts, mayBegin, urgency) : undefined;
    if (unended !== undefined) return unended;
    const written = await surface.edit(ts, page, mayBegin, urgency);
    if (!isStreamedYet(written)) return written;
    // Somebody else has begun it and is gone.
    const hasEnded = isLive || conflicts.has(ts);
    const wait = hasEnded ? undefined : await end(ts, mayBegin, urgency);
    if (wait !== undefined) return wait;
    const again = hasEnded ? written : await surface.edit(ts, page, mayBegin, urgency);
    if (!isStreamedYet(again)) return again;
    // Slack may know a moment later that it has ended.
    const tries = (conflicts.get(ts) ?? 0) + 1;
    conflicts.set(ts, tries);
    if (tries < CONFLICTS) return { kind: "later", afterMs: CONFLICT_MS };
    log.warn("a stream does not end: another page takes its place", { message: ts });
    const removed = await surface.remove(ts, mayBegin, urgency);
    const isGone = removed.kind === "ok" || (removed.kind === "gone" && removed.what === "message");
    return isGone ? { kind: "gone", what: "frozen" } : removed;
  }

  return overlaid(surface, {
    limits: overlaid(surface.limits, {
      get editEveryMs() {
        return live.size > 0 ? ADD_EVERY_MS : surface.limits.editEveryMs;
      },
    }),
    addsTo: true,
    async post(key, page, mayBegin, urgency = "final") {
      const streamed = urgency === "final" ? undefined : await begin(key, page, mayBegin);
      return streamed ?? surface.post(key, page, mayBegin, urgency);
    },
    edit,
    async remove(ts, mayBegin, urgency = "final") {
      const unended = live.has(ts) ? await end(ts, mayBegin, urgency) : undefined;
      return unended ?? surface.remove(ts, mayBegin, urgency);
    },
    leave() {
      for (const ts of live.keys()) forget(ts);
      turns.leave();
      surface.leave?.();
    },
  });
}
