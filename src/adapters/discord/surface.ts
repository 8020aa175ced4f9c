/** A thread of Discord's as a place to post. Every write is one request; what is to be done after it failed is the answer. */

import { createHash } from "node:crypto";
import { MessageFlags, Routes, type APIMessage } from "discord-api-types/v10";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Pacer, Urgency } from "../../core/ports/pacer.ts";
import type { KnownPost, MayBegin, PageContent, Surface, Voice, Written } from "../../core/ports/surface.ts";
import { createTurns } from "../../core/reply/turns.ts";
import { threadOf, type SessionId } from "../../core/thread.ts";
import type { DiscordAnswer, DiscordApi } from "./api.ts";
import { REQUESTS } from "./budgets.ts";
import { FOOTER_SIZE, formatPage, measure, PAGE_SIZE, readCustomId } from "./format.ts";
import {
  decisionOn,
  isArchived,
  isForbidden,
  isLocked,
  isUnknownChannel,
  isUnknownMessage,
  unsearched,
} from "./refusals.ts";
import { newerOf, snowflakeAt } from "./snowflake.ts";
import type { Threads } from "./threads.ts";
import { createTyping } from "./typing.ts";

export interface DiscordSurfaceDeps {
  readonly api: DiscordApi;
  readonly threads: Threads;
  /** Shared by all processes. */
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly log: Log;
}

export interface DiscordSurfaceOptions {
  /** Who writes. Default the reply. */
  readonly voice?: Voice;
  /** Least time between two progress writes of a short page, ms. Default 1,200, which Discord takes for ever. */
  readonly editEveryMs?: number;
}

const NONCE_LENGTH = 24;
const PAGE_LIMIT = "100";
/** How far the clocks of our store and of Discord may be apart, ms. */
export const CLOCKS_APART_MS = 60_000;
/** Nobody is pinged by a model, and no link becomes a card. An edit without it would ping again. */
export const NOBODY = { parse: [] };

/** The same for every try of a post, in any process, and another for every other post of the bot's. */
export function nonceOf(session: SessionId, key: string): string {
  return createHash("sha256").update(`${session} ${key}`).digest("base64url").slice(0, NONCE_LENGTH);
}

export function createDiscordSurface(
  deps: DiscordSurfaceDeps,
  session: SessionId,
  options: DiscordSurfaceOptions = {},
): Surface {
  const { api, threads, pacer } = deps;
  const { editEveryMs = 1_200, voice = "reply" } = options;
  if (!(editEveryMs >= 1_000)) throw new RangeError("editEveryMs has to be 1000 or more");
  const { channel } = threadOf(session);
  const log = deps.log.with({ session });
  /** What was sent for a key: the message where its id is known, and always the words. */
  const sent = new Map<string, { readonly content: string; readonly message?: string }>();

  const turns = createTurns(pacer, session, voice);
  const typing = createTyping(deps, session);

  /** Nothing where the write may be made now. */
  async function waits(urgency: Urgency): Promise<Extract<Written, { readonly kind: "later" }> | undefined> {
    const waitMs = await turns.take(REQUESTS, urgency);
    return waitMs > 0 ? { kind: "later", afterMs: waitMs, isTurn: true } : undefined;
  }

  async function post(
    key: string,
    page: PageContent,
    mayBegin?: MayBegin,
    urgency: Urgency = "final",
  ): Promise<Written> {
    const nonce = nonceOf(session, key);
    const message = formatPage(page, nonce);
    if (message.kind !== "message") return unsendable(message.kind);
    const later = await waits(urgency);
    if (later !== undefined) return later;
    const { content, components } = message;
    const body = {
      content,
      components,
      flags: MessageFlags.SuppressEmbeds,
      allowed_mentions: NOBODY,
      nonce,
      enforce_nonce: true,
    };
    sent.set(key, { content });
    await typing.rest();
    let answer = await api.call("POST", Routes.channelMessages(channel), { body, mayBegin });
    if (answer.kind !== "ok" && isUnknownChannel(answer)) {
      const opened = await threads.open(session, mayBegin);
      if (opened.kind !== "there") {
        typing.again();
        return opened;
      }
      answer = await api.call("POST", Routes.channelMessages(channel), { body, mayBegin });
    }
    if (answer.kind !== "ok") {
      typing.again();
      return decide(answer);
    }
    typing.end();
    const { id } = answer.data as APIMessage;
    sent.set(key, { content, message: id });
    return { kind: "ok", message: id };
  }

  async function edit(
    id: string,
    page: PageContent,
    mayBegin?: MayBegin,
    urgency: Urgency = "final",
  ): Promise<Written> {
    typing.end();
    const mark = [...sent].find(([, { message }]) => message === id)?.[0];
    const message = formatPage(page, mark === undefined ? "" : nonceOf(session, mark));
    if (message.kind !== "message") return unsendable(message.kind);
    const { content, components } = message;
    // Words may take the place of a file.
    const body = { content, components, attachments: [], allowed_mentions: NOBODY };
    const write = () => api.call("PATCH", Routes.channelMessage(channel, id), { body, mayBegin });
    return inOpenThread(id, write, mayBegin, urgency);
  }

  function remove(id: string, mayBegin?: MayBegin, urgency: Urgency = "final"): Promise<Written> {
    const write = () => api.call("DELETE", Routes.channelMessage(channel, id), { mayBegin });
    return inOpenThread(id, write, mayBegin, urgency);
  }

  /** A post opens an archived thread by itself; anything else has to open it first. */
  async function inOpenThread(
    id: string,
    write: () => Promise<DiscordAnswer>,
    mayBegin: MayBegin | undefined,
    urgency: Urgency,
  ): Promise<Written> {
    const later = await waits(urgency);
    if (later !== undefined) return later;
    const answer = await write();
    if (answer.kind === "ok") return { kind: "ok", message: id };
    if (!isArchived(answer)) return decide(answer);
    const opened = await api.call("PATCH", Routes.channel(channel), { body: { archived: false }, mayBegin });
    if (opened.kind !== "ok") return decide(opened);
    const again = await write();
    return again.kind === "ok" ? { kind: "ok", message: id } : decide(again);
  }

  async function decide(answer: Exclude<DiscordAnswer, { readonly kind: "ok" }>): Promise<Written> {
    if (answer.kind === "rate_limited" && answer.isGlobal === true)
      await pacer.hold(REQUESTS, answer.afterMs);
    if (isLocked(answer)) log.info("the thread is locked: the reply ends");
    else if (isForbidden(answer))
      log.warn("nothing can be written in a thread: a permission is missing", { ...answer });
    return decisionOn(answer);
  }

  /**
   * What stands in the thread from us and carries the key; where it has no button, what says just what was sent, or what would be
   * sent now: the same words in the time of the run, below its other pages.
   */
  async function lookFor(key: string, known?: KnownPost): Promise<string | undefined> {
    const nonce = nonceOf(session, key);
    const own = sent.get(key);
    if (own?.message !== undefined) {
      const answer = await api.call("GET", Routes.channelMessage(channel, own.message));
      if (answer.kind === "ok") return own.message;
      if (isUnknownMessage(answer)) return undefined;
      if (answer.kind === "refused") return undefined;
      throw unsearched(answer);
    }
    const after = known && newerOf(snowflakeAt(known.since - CLOCKS_APART_MS), known.below);
    const answer = await api.call("GET", Routes.channelMessages(channel), {
      query: { limit: PAGE_LIMIT, ...(after === undefined ? {} : { after }) },
    });
    // Discord keeps a second post with one nonce from doubling the first for some minutes, so a guess is no harm there.
    if (answer.kind === "refused") return undefined;
    if (answer.kind !== "ok") throw unsearched(answer);
    const wanted = known?.page === undefined ? undefined : formatPage(known.page, nonce);
    const words = [own?.content, wanted?.kind === "message" ? wanted.content : undefined];
    const taken = new Set([...sent.values()].map(({ message }) => message));
    return (answer.data as readonly APIMessage[]).find((message) => {
      if (message.author.bot !== true || taken.has(message.id)) return false;
      const marks = marksOf(message);
      // Another page's mark is no page of ours, whatever it says.
      return (
        message.nonce === nonce ||
        marks.includes(nonce) ||
        (marks.length === 0 && words.includes(message.content))
      );
    })?.id;
  }

  return {
    limits: { pageSize: PAGE_SIZE, footerSize: FOOTER_SIZE, measure, editEveryMs },
    post,
    edit,
    remove,
    async find(key, known) {
      const found = await lookFor(key, known);
      if (found !== undefined) typing.end();
      return found;
    },
    leave: () => turns.leave(),
    show(presence) {
      // What was begun before has a page mostly, and one that is gone comes at once.
      if (presence === "starting") typing.begin();
      else if (presence !== "working") typing.end();
    },
    rename: (title) => threads.rename(session, title),
  };
}

function marksOf({ components }: APIMessage): readonly string[] {
  return (components ?? []).flatMap((row) =>
    "components" in row
      ? row.components.flatMap((one) => {
          const id = "custom_id" in one && typeof one.custom_id === "string" ? one.custom_id : "";
          const mark = readCustomId(id)?.mark ?? "";
          return mark === "" ? [] : [mark];
        })
      : [],
  );
}

function unsendable(kind: "too_long" | "blank"): Written {
  return kind === "too_long" ? { kind } : { kind: "refused", why: "the page shows nothing" };
}
