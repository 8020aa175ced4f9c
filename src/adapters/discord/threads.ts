/**
 * Brings the thread of a session into being, below the message that it was claimed with. Its id is known beforehand, so whatever
 * happens on the way, and however many try, there is one.
 */

import { Routes } from "discord-api-types/v10";
import type { Log } from "../../core/ports/log.ts";
import type { MayBegin, Written } from "../../core/ports/surface.ts";
import type { ThreadPlace, ThreadPlaces } from "../../core/ports/thread-places.ts";
import { headOf } from "../../core/text.ts";
import { threadOf, type SessionId } from "../../core/thread.ts";
import type { DiscordApi } from "./api.ts";
import type { DiscordFailure } from "./api-failure.ts";
import {
  decisionOn,
  isForbidden,
  isFull,
  isThreadThere,
  isUnknownChannel,
  isUnknownMessage,
} from "./refusals.ts";

export type OpenedThread = { readonly kind: "there" } | Exclude<Written, { readonly kind: "ok" }>;

export interface Threads {
  /** Never throws. `gone`: there is none and there will be none. */
  open(session: SessionId, mayBegin?: MayBegin): Promise<OpenedThread>;
  /**
   * One that we opened, and that nobody has given another name since: Discord takes two names in ten minutes. Never throws.
   * @returns false where it is not there yet.
   */
  rename(session: SessionId, name: string): Promise<boolean>;
}

const NAME_UNITS = 100;

export interface ThreadsDeps {
  readonly api: DiscordApi;
  readonly places: Pick<ThreadPlaces, "of">;
  readonly log: Log;
}

const NO_THREAD: OpenedThread = { kind: "gone", what: "thread" };

/** @returns why there surely is none, or that nobody knows; undefined when it is there, whoever started it. */
export async function startThread(
  api: DiscordApi,
  message: string,
  { parent, name }: ThreadPlace,
  mayBegin: MayBegin | undefined,
): Promise<DiscordFailure | undefined> {
  const answer = await api.call("POST", Routes.threads(parent, message), { body: { name }, mayBegin });
  if (answer.kind === "ok" || isThreadThere(answer)) return undefined;
  if (answer.kind !== "unknown" && answer.kind !== "http") return answer;
  // It may have been made all the same: only a look can tell.
  const look = await api.call("GET", Routes.channel(message));
  return look.kind === "ok" ? undefined : answer;
}

/** What people who asked are told where no thread can be opened for them. */
const FORBIDDEN =
  "I cannot answer here: I need the permissions *Create Public Threads* and *Send Messages in Threads*.";
const FULL =
  "I cannot answer here: this server has as many open threads as Discord allows. Please close some of them, and ask me again.";

export function createThreads({ api, places, log }: ThreadsDeps): Threads {
  /** Channels in which it was said why no thread can be opened. */
  const told = new Set<string>();

  /** Once in a channel, until a thread is opened there again: whoever asks there can see why nothing comes. */
  async function tell(parent: string, message: string, content: string): Promise<void> {
    if (told.has(parent)) return;
    told.add(parent);
    const answer = await api.call("POST", Routes.channelMessages(parent), {
      body: {
        content,
        message_reference: { message_id: message, fail_if_not_exists: false },
        allowed_mentions: { parse: [] },
        nonce: message,
        enforce_nonce: true,
      },
    });
    if (answer.kind !== "ok") log.debug("it could not be told why no thread is opened", { channel: parent });
  }

  async function start(
    session: SessionId,
    place: ThreadPlace,
    mayBegin: MayBegin | undefined,
  ): Promise<OpenedThread> {
    const { channel } = threadOf(session);
    const failure = await startThread(api, channel, place, mayBegin);
    const { parent } = place;
    if (failure === undefined) {
      told.delete(parent);
      return { kind: "there" };
    }
    if (isForbidden(failure) || isFull(failure)) {
      const why = isFull(failure) ? "the server has too many open ones" : "a permission is missing";
      log.warn(`no thread can be opened in a channel: ${why}`, { session, channel: parent, ...failure });
      await tell(parent, channel, isFull(failure) ? FULL : FORBIDDEN);
    }
    // The message was deleted meanwhile: nobody waits for an answer any more.
    return isUnknownMessage(failure) ? NO_THREAD : decisionOn(failure);
  }

  return {
    async open(session, mayBegin) {
      try {
        const place = await places.of(session);
        return place === undefined ? NO_THREAD : await start(session, place, mayBegin);
      } catch (error) {
        log.warn("it could not be looked up where a thread hangs", { session, error });
        return { kind: "later", afterMs: 1_000 };
      }
    },
    async rename(session, name) {
      try {
        const place = await places.of(session);
        if (place === undefined) return true;
        const route = Routes.channel(threadOf(session).channel);
        const there = await api.call("GET", route);
        if (there.kind !== "ok") return !isUnknownChannel(there);
        const { name: current } = there.data as { readonly name?: unknown };
        if (current !== place.name) return true;
        const renamed = await api.call("PATCH", route, { body: { name: headOf(name, NAME_UNITS) } });
        if (renamed.kind !== "ok") log.info("a thread keeps its name on Discord", { session, ...renamed });
      } catch (error) {
        log.warn("it could not be looked up how a thread was named", { session, error });
      }
      return true;
    },
  };
}
