/**
 * A message of Discord's becomes an Inbound, or nothing for a reason. Pure. What is decided here is what the message itself says;
 * whether a session lies in its thread is decided where it is stored.
 */

import { MessageFlags, MessageType, type APIMessage } from "discord-api-types/v10";
import { isAside } from "../../core/aside.ts";
import type { Author, DeleteInbound, EditInbound, MessageInbound, Where } from "../../core/inbound.ts";
import { labelOf } from "../../core/label.ts";
import type { ThreadPlace } from "../../core/ports/thread-places.ts";
import { headOf } from "../../core/text.ts";
import type { SessionId } from "../../core/thread.ts";
import { authorOf, type Member } from "./author.ts";
import type { ChannelKind } from "./channels.ts";
import { discordInboundId, sessionIn, type DiscordBot } from "./identity.ts";
import { partsOf } from "./message-parts.ts";
import { timeOf } from "./snowflake.ts";
import { addresseeOf, mentions } from "./text.ts";

export type Nothing =
  | "own"
  | "other_bot"
  /** Joins, pins, names of threads and whatever else is no word of a person. */
  | "system"
  | "not_for_bot"
  | "to_another"
  | "aside"
  /** A link's preview came, or a thread below it. */
  | "unchanged"
  | "malformed";

export type Parsed =
  | {
      readonly kind: "inbound";
      readonly inbound: MessageInbound | EditInbound | DeleteInbound;
      /** Where the thread will hang that this message begins. */
      readonly place?: ThreadPlace;
    }
  /** Somebody wrote in this thread, and Discord does not let the bot read what. */
  | { readonly kind: "unreadable"; readonly session: SessionId }
  | { readonly kind: "nothing"; readonly why: Nothing };

/** What a message is read with. */
export interface Reading {
  readonly bot: DiscordBot;
  readonly guild: string | undefined;
  readonly kind: ChannelKind;
  /** The channel in which a thread hangs. */
  readonly parent?: string | undefined;
  /** The bot's own role in the guild, which people often mention in its place. */
  readonly role: string | undefined;
  channelName(id: string): string | undefined;
}

/** As it comes from the gateway or out of a history, where nobody is a member. */
export type Message = APIMessage & { readonly member?: Member | undefined };

const SPOKEN: ReadonlySet<MessageType> = new Set([MessageType.Default, MessageType.Reply]);
/** Types of messages that somebody wrote or had written; everything else is told by the system. */
const WRITTEN: ReadonlySet<MessageType> = new Set([
  ...SPOKEN,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
]);
/** Discord takes a hundred characters for the name of a thread. */
const NAME_UNITS = 80;

/** A thread shows the message that it was started from, which stands in its channel. */
export function starterOr(message: APIMessage): APIMessage {
  const { referenced_message: started } = message;
  return message.type === MessageType.ThreadStarterMessage && started != null ? started : message;
}

export function isWritten({ type }: Pick<APIMessage, "type">): boolean {
  return WRITTEN.has(type);
}

export function parseMessage(message: Message, reading: Reading): Parsed {
  const { bot, guild, kind, role } = reading;
  const { content, id, channel_id: channel } = message;
  const isDirect = kind === "direct";
  const isMentioned = mentions(content, bot.user, role);
  const refused = refusal(message, bot);
  // Whether another bot is heard that calls ours is no question of what Discord's message is.
  if (refused !== undefined && !(refused === "other_bot" && isMentioned)) return nothing(refused);
  const session = sessionOf(message, reading);
  const addressed = isDirect || isMentioned;
  if (!addressed && kind === "thread" && isUnreadable(message)) return { kind: "unreadable", session };
  const others = forOthers(content, addressed, kind);
  if (others !== undefined) return nothing(others);
  const parts = partsOf(message, { ...reading, user: bot.user });
  const inbound: MessageInbound = {
    v: 1,
    kind: "message",
    id: discordInboundId(bot.app, { guild, channel }, "message", id),
    session,
    author: authorIn(message, guild),
    at: timeOf(id),
    addressed,
    ...whereOf(message, reading),
    message: id,
    parts,
  };
  if (kind !== "text") return { kind: "inbound", inbound };
  const firstText = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join(" ");
  return { kind: "inbound", inbound, place: { parent: channel, name: nameOfThread(firstText, bot) } };
}

/** Discord sends an update also for previews, pins and threads: an edit has a new time of editing. */
export function parseUpdate(message: Message, reading: Reading): Parsed {
  const { bot, guild, kind, role } = reading;
  const editedAt = message.edited_timestamp == null ? Number.NaN : Date.parse(message.edited_timestamp);
  if (Number.isNaN(editedAt)) return nothing("unchanged");
  const refused = refusal(message, bot);
  if (refused !== undefined) return nothing(refused);
  const { content, id, channel_id: channel } = message;
  const hasThread = ((message.flags ?? 0) & MessageFlags.HasThread) !== 0;
  // Channel talk that was not for the bot costs no look into the store.
  if ((kind === "text" || kind === "talk") && !hasThread && !mentions(content, bot.user, role))
    return nothing("not_for_bot");
  if (isUnreadable(message)) return nothing("not_for_bot");
  const isAddressed = kind === "direct" || mentions(content, bot.user, role);
  return {
    kind: "inbound",
    inbound: {
      v: 1,
      kind: "edit",
      id: discordInboundId(bot.app, { guild, channel }, "edit", `${id}-${editedAt}`),
      session: sessionOf(message, reading),
      author: authorIn(message, guild),
      at: editedAt,
      addressed: false,
      ...whereOf(message, reading),
      message: id,
      parts: partsOf(message, { ...reading, user: bot.user }),
      ...(forOthers(content, isAddressed, kind) === undefined ? {} : { isAside: true }),
    },
  };
}

/** Why what a person wrote is for others and not for the bot; undefined where it is for the bot. */
function forOthers(content: string, addressed: boolean, kind: ChannelKind): Nothing | undefined {
  if (isAside(content)) return "aside";
  if (addressed) return undefined;
  if (kind !== "thread") return "not_for_bot";
  return addresseeOf(content) === undefined ? undefined : "to_another";
}

/** Of a message that is gone Discord tells nothing but its id. */
export function parseDelete(
  gone: { readonly id: string; readonly channel_id: string },
  reading: Reading,
  now: number,
): Parsed {
  const { bot, guild } = reading;
  const { id, channel_id: channel } = gone;
  return {
    kind: "inbound",
    inbound: {
      v: 1,
      kind: "delete",
      id: discordInboundId(bot.app, { guild, channel }, "delete", id),
      session: sessionOf(gone, reading),
      author: { id: "unknown", name: "Somebody" },
      at: now,
      addressed: false,
      message: id,
    },
  };
}

/** A thread has the id of the message below which it hangs, also before it is there. */
function sessionOf(
  { id, channel_id: channel }: { readonly id: string; readonly channel_id: string },
  { guild, kind }: Reading,
): SessionId {
  return sessionIn(guild, kind === "text" ? id : channel);
}

function refusal(message: Message, bot: DiscordBot): Nothing | undefined {
  const { author, type } = message;
  if (author === undefined) return "malformed";
  if (author.id === bot.user) return "own";
  if (author.system === true || !SPOKEN.has(type)) return "system";
  if (isBots(message)) return "other_bot";
  return undefined;
}

/** What comes over a webhook is written by a program, whatever it is called. */
function isBots({ author, webhook_id: webhook }: Message): boolean {
  return author.bot === true || webhook !== undefined;
}

/** Without the right to read it a message comes with nothing in it at all, which nobody can send. */
function isUnreadable(message: Message): boolean {
  const {
    content,
    attachments,
    embeds,
    sticker_items: stickers,
    message_snapshots: snapshots,
    poll,
  } = message;
  const has = [attachments, embeds, stickers, snapshots].some(
    (list) => list !== undefined && list.length > 0,
  );
  return content === "" && !has && poll === undefined;
}

function authorIn(message: Message, guild: string | undefined): Author {
  const author = authorOf(message.author, message.member, guild);
  return isBots(message) ? { id: author.id, name: author.name, kind: "bot" } : author;
}

function whereOf({ channel_id: channel }: Message, { kind, parent }: Reading): { readonly where?: Where } {
  if (kind === "direct") return { where: { isDirect: true } };
  const hangsIn = kind === "text" ? channel : parent;
  return hangsIn === undefined ? {} : { where: { parent: hangsIn } };
}

/** What a thread is called that begins with these words. */
export function nameOfThread(firstText: string, bot: DiscordBot): string {
  const line = firstText.replaceAll(/\s+/g, " ").trim();
  return line === "" ? `A talk with ${bot.name}` : headOf(labelOf({ firstText: line }), NAME_UNITS);
}

function nothing(why: Nothing): Parsed {
  return { kind: "nothing", why };
}
