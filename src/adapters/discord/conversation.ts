/** What was said on Discord, by anyone: the history of a thread or of the channel that it hangs in. */

import {
  ChannelType,
  Routes,
  type APIChannel,
  type APIMessage,
  type APITextChannel,
} from "discord-api-types/v10";
import { orAborted } from "../../core/agent/abort.ts";
import type { MessageInbound } from "../../core/inbound.ts";
import type { OpenConversation, Said } from "../../core/ports/conversation.ts";
import { threadOf } from "../../core/thread.ts";
import type { DiscordAnswer, DiscordApi, DiscordCall } from "./api.ts";
import { readCustomId } from "./format.ts";
import { DIRECT, type DiscordBot } from "./identity.ts";
import type { Members } from "./members.ts";
import { nameOf, namedIn } from "./message-parts.ts";
import { isWritten, parseMessage, starterOr, type Reading } from "./parse.ts";
import { isUnknownChannel } from "./refusals.ts";
import { isAfter, timeOf } from "./snowflake.ts";
import { readText } from "./text.ts";

/** All that Discord gives at once. */
const PAGE = 100;
const THREADS: ReadonlySet<ChannelType> = new Set([
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
  ChannelType.AnnouncementThread,
]);

export function createDiscordConversation(
  { api, members }: { readonly api: DiscordApi; readonly members: Members },
  bot: DiscordBot,
): OpenConversation {
  async function ask(route: `/${string}`, call: DiscordCall, signal: AbortSignal): Promise<DiscordAnswer> {
    signal.throwIfAborted();
    const raced = await orAborted(api.call("GET", route, call), signal);
    if (raced.kind === "value") return raced.value;
    throw raced.kind === "threw" ? raced.error : signal.reason;
  }

  /** Where the thread hangs; a direct conversation is its own channel. */
  async function parentOf(channel: string, signal: AbortSignal): Promise<string> {
    const answer = await ask(Routes.channel(channel), {}, signal);
    if (answer.kind !== "ok") throw unreadable(answer);
    const found = answer.data as APIChannel;
    return THREADS.has(found.type) ? ((found as APITextChannel).parent_id ?? channel) : channel;
  }

  /** Newest first. */
  async function history(
    channel: string,
    limit: number,
    beforeId: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly messages: readonly APIMessage[]; readonly hasMore: boolean }> {
    const messages: APIMessage[] = [];
    let before = beforeId;
    while (messages.length < limit) {
      const query = { limit: String(PAGE), ...(before === undefined ? {} : { before }) };
      const answer = await ask(Routes.channelMessages(channel), { query }, signal);
      // A thread that is not there yet has said nothing.
      if (answer.kind !== "ok" && isUnknownChannel(answer)) return { messages, hasMore: false };
      if (answer.kind !== "ok") throw unreadable(answer);
      const page = answer.data as readonly APIMessage[];
      messages.push(...page);
      before = page.at(-1)?.id;
      if (page.length < PAGE) return { messages, hasMore: false };
    }
    return { messages, hasMore: true };
  }

  return {
    async read(session, { where, limit, beforeId }, signal) {
      const { channel } = threadOf(session);
      signal.throwIfAborted();
      // Nothing in a thread is older than the message that it was started from.
      if (where === "thread" && beforeId !== undefined && !isAfter(beforeId, channel))
        return { messages: [], isPartial: false };
      const place = where === "thread" ? channel : await parentOf(channel, signal);
      const { messages, hasMore } = await history(place, limit, beforeId, signal);
      const written = messages
        .map(starterOr)
        .filter((message) => isWritten(message) && !isUnderWay(message, bot));
      return {
        messages: written
          .slice(0, limit)
          .map((message) => saidBy(message, bot))
          .toReversed(),
        isPartial: hasMore || written.length > limit,
        ...(place === channel ? { isOwnThread: true } : {}),
      };
    },
    async after(session, { message }, limit, signal) {
      const { channel, space } = threadOf(session);
      const guild = space === DIRECT ? undefined : space;
      const reading: Reading = {
        bot,
        guild,
        kind: guild === undefined ? "direct" : "thread",
        role: undefined,
        channelName: () => undefined,
      };
      const query = { after: message, limit: String(PAGE) };
      const answer = await ask(Routes.channelMessages(channel), { query }, signal);
      if (answer.kind !== "ok" && isUnknownChannel(answer)) return [];
      if (answer.kind !== "ok") throw unreadable(answer);
      const missed = (answer.data as readonly APIMessage[])
        .filter((later) => parseMessage(later, reading).kind === "inbound")
        .slice(0, limit)
        .toReversed();
      const inbounds: MessageInbound[] = [];
      for (const later of missed) {
        signal.throwIfAborted();
        const parsed = parseMessage(await members.withMember(later, guild), reading);
        if (parsed.kind === "inbound" && parsed.inbound.kind === "message") inbounds.push(parsed.inbound);
      }
      return inbounds;
    },
  };
}

/** A reply of the bot's that can still be stopped is nothing that was said. */
function isUnderWay(message: APIMessage, bot: DiscordBot): boolean {
  if (message.author.id !== bot.user) return false;
  return (message.components ?? []).some(
    (row) =>
      "components" in row &&
      row.components.some(
        (one) => "custom_id" in one && readCustomId(String(one.custom_id))?.action === "stop",
      ),
  );
}

function saidBy(message: APIMessage, bot: DiscordBot): Said {
  const text = readText(message.content, namedIn(message, { channelName: () => undefined })).trim();
  const files = (message.attachments ?? []).map(({ filename }) => `[file ${filename}]`);
  return {
    id: message.id,
    speaker: message.author.id === bot.user ? bot.name : nameOf(message.author),
    isBot: message.author.bot === true || message.webhook_id !== undefined,
    ...(message.author.id === bot.user ? { isOwn: true } : {}),
    author: message.author.id,
    text: [...(text === "" ? [] : [text]), ...files].join("\n"),
    at: timeOf(message.id),
  };
}

function unreadable(answer: Exclude<DiscordAnswer, { readonly kind: "ok" }>): Error {
  return new Error(
    `Discord did not let this be read: ${answer.kind === "refused" ? answer.code : answer.kind}`,
  );
}
