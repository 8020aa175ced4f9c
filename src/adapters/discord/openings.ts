/**
 * A new thread beside one of Discord's: below a message of ours in the same channel, whose id it has, or a new post of the same
 * forum. Discord knows the message by its nonce for some minutes, and later it is found by the key in its small print.
 */

import {
  ChannelType,
  MessageFlags,
  Routes,
  type APIChannel,
  type APIMessage,
  type APIThreadChannel,
} from "discord-api-types/v10";
import type { Log } from "../../core/ports/log.ts";
import type { Opened, Opening, Openings } from "../../core/ports/openings.ts";
import type { MayBegin } from "../../core/ports/surface.ts";
import type { ThreadPlaces } from "../../core/ports/thread-places.ts";
import { headOf } from "../../core/text.ts";
import { threadOf } from "../../core/thread.ts";
import type { DiscordApi } from "./api.ts";
import type { DiscordFailure } from "./api-failure.ts";
import { formatPage } from "./format.ts";
import { DIRECT, sessionIn } from "./identity.ts";
import { decisionOn, isForbidden, isFull, unsearched } from "./refusals.ts";
import { snowflakeAt } from "./snowflake.ts";
import { NOBODY } from "./surface.ts";
import { startThread } from "./threads.ts";

export interface DiscordOpeningsDeps {
  readonly api: DiscordApi;
  readonly places: Pick<ThreadPlaces, "keep">;
  readonly log: Log;
}

/** How far the clocks of this machine and of Discord may be apart, ms. */
const CLOCKS_APART_MS = 10 * 60_000;
const AGAIN_MS = 1_000;
const NAME_UNITS = 80;
const PAGE = 100;
const FORUMS: ReadonlySet<ChannelType> = new Set([ChannelType.GuildForum, ChannelType.GuildMedia]);
const TEXTS: ReadonlySet<ChannelType> = new Set([ChannelType.GuildText, ChannelType.GuildAnnouncement]);
const OPEN_THREADS: ReadonlySet<ChannelType> = new Set([
  ChannelType.PublicThread,
  ChannelType.AnnouncementThread,
]);

const later: Opened = { kind: "later", afterMs: AGAIN_MS };
const never = (why: string): Opened => ({ kind: "never", why });
const ONE_SESSION =
  "A direct conversation on Discord is one thread, and another one cannot be opened beside it.";
const NO_THREADS = "No threads can be opened in this channel.";
const PRIVATE = "This thread is private, and the new one would be open to everybody in the channel.";
const FORBIDDEN =
  "I need the permissions *Send Messages*, *Create Public Threads* and *Send Messages in Threads* in the channel.";
const FULL =
  "This server has as many open threads as Discord allows. Please close some of them, and try again.";
const DELETED = "The first message of the new thread was deleted.";

interface Wanted extends Opening {
  readonly guild: string;
  readonly content: string;
}

export function createDiscordOpenings({ api, places, log }: DiscordOpeningsDeps): Openings {
  function failed(failure: DiscordFailure): Opened {
    const decision = decisionOn(failure);
    if (decision.kind === "later") return decision;
    if (decision.kind === "unknown") return later;
    log.warn("a thread could not be opened", { ...failure });
    if (decision.kind === "gone" && decision.what === "message") return never(DELETED);
    if (isFull(failure)) return never(FULL);
    return never(isForbidden(failure) ? FORBIDDEN : NO_THREADS);
  }

  async function channelOf(id: string): Promise<APIChannel | DiscordFailure> {
    const answer = await api.call("GET", Routes.channel(id));
    return answer.kind === "ok" ? (answer.data as APIChannel) : answer;
  }

  /** The message of ours in the channel that says the key. Rejects when that cannot be known: then nothing may be posted. */
  async function found(parent: string, { key, sinceMs }: Wanted): Promise<string | undefined> {
    let after = snowflakeAt(sinceMs - CLOCKS_APART_MS);
    for (;;) {
      const query = { after, limit: String(PAGE) };
      const answer = await api.call("GET", Routes.channelMessages(parent), { query });
      // Where nothing may be read a second post may come, and Discord keeps it from doubling the first for some minutes.
      if (answer.kind === "refused") return undefined;
      if (answer.kind !== "ok") throw unsearched(answer);
      const page = answer.data as readonly APIMessage[];
      const ours = page.find(({ author, content }) => author.bot === true && content.includes(key));
      if (ours !== undefined) return ours.id;
      const [newest] = page;
      if (page.length < PAGE || newest === undefined) return undefined;
      after = newest.id;
    }
  }

  async function below(parent: string, wanted: Wanted, mayBegin: MayBegin): Promise<Opened> {
    const { key, content, isAgain, guild } = wanted;
    let message = isAgain ? await found(parent, wanted) : undefined;
    if (message === undefined) {
      const answer = await api.call("POST", Routes.channelMessages(parent), {
        body: { ...bodyOf(content), nonce: key, enforce_nonce: true },
        mayBegin,
      });
      if (answer.kind !== "ok") return failed(answer);
      message = (answer.data as APIMessage).id;
    }
    const session = sessionIn(guild, message);
    const place = { parent, name: nameOf(wanted) };
    // Whoever posts in the thread first opens it, should we not come to it.
    await places.keep(session, place);
    const failure = await startThread(api, message, place, mayBegin);
    if (failure === undefined) return { kind: "opened", session };
    const answer = failed(failure);
    // A message below which nothing can hang would stand in the channel for nothing.
    if (answer.kind === "never") await api.call("DELETE", Routes.channelMessage(parent, message));
    return answer;
  }

  /** A post of a forum has the id of its first message, and no nonce. Undefined where there is none of ours with the key. */
  async function foundPost(forum: string, wanted: Wanted): Promise<string | undefined> {
    const answer = await api.call("GET", Routes.guildActiveThreads(wanted.guild));
    if (answer.kind !== "ok") throw unsearched(answer);
    const { threads } = answer.data as { readonly threads: readonly APIThreadChannel[] };
    const since = BigInt(snowflakeAt(wanted.sinceMs - CLOCKS_APART_MS));
    for (const { id, parent_id: parent } of threads) {
      if (parent !== forum || BigInt(id) < since) continue;
      const first = await api.call("GET", Routes.channelMessage(id, id));
      if (first.kind === "refused") continue;
      if (first.kind !== "ok") throw unsearched(first);
      const { author, content } = first.data as APIMessage;
      if (author.bot === true && content.includes(wanted.key)) return id;
    }
    return undefined;
  }

  async function inForum(forum: string, wanted: Wanted, mayBegin: MayBegin): Promise<Opened> {
    const known = wanted.isAgain ? await foundPost(forum, wanted) : undefined;
    if (known !== undefined) return { kind: "opened", session: sessionIn(wanted.guild, known) };
    const body = { name: nameOf(wanted), message: bodyOf(wanted.content) };
    const answer = await api.call("POST", Routes.threads(forum), { body, mayBegin });
    if (answer.kind !== "ok") return failed(answer);
    return { kind: "opened", session: sessionIn(wanted.guild, (answer.data as APIThreadChannel).id) };
  }

  async function open(thread: string, guild: string, opening: Opening, mayBegin: MayBegin): Promise<Opened> {
    const message = formatPage({ ...opening.page, footer: opening.key });
    if (message.kind !== "message") return never("Its first message cannot be shown.");
    const from = await channelOf(thread);
    if ("kind" in from) return failed(from);
    if (from.type === ChannelType.PrivateThread) return never(PRIVATE);
    const wanted: Wanted = { ...opening, guild, content: message.content };
    if (TEXTS.has(from.type)) return below(thread, wanted, mayBegin);
    const parent = "parent_id" in from ? from.parent_id : undefined;
    if (!OPEN_THREADS.has(from.type) || typeof parent !== "string") return never(NO_THREADS);
    const channel = await channelOf(parent);
    if ("kind" in channel) return failed(channel);
    if (FORUMS.has(channel.type)) return inForum(parent, wanted, mayBegin);
    return TEXTS.has(channel.type) ? below(parent, wanted, mayBegin) : never(NO_THREADS);
  }

  return {
    refusal: (beside) => (threadOf(beside).space === DIRECT ? ONE_SESSION : undefined),
    async open(beside, opening, mayBegin) {
      const { space, channel } = threadOf(beside);
      try {
        return await open(channel, space, opening, mayBegin);
      } catch (error) {
        log.warn("a thread could not be opened now", { session: beside, error });
        return later;
      }
    },
    addressOf(session) {
      const { space, channel } = threadOf(session);
      const guild = space === DIRECT ? "@me" : space;
      return Promise.resolve(`https://discord.com/channels/${guild}/${channel}`);
    },
  };
}

function bodyOf(content: string) {
  return { content, flags: MessageFlags.SuppressEmbeds, allowed_mentions: NOBODY };
}

function nameOf({ name }: Opening): string {
  return headOf(name, NAME_UNITS);
}
