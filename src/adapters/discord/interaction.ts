/** Clicks, slash commands and the menus of messages: what each asks for. Pure. */

import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionType,
  MessageFlags,
  type APIInteraction,
  type APIMessage,
} from "discord-api-types/v10";
import type { Command } from "../../core/command/command.ts";
import type { CommandRequest } from "../../core/command/commands.ts";
import { parseCommand } from "../../core/command/parse.ts";
import { quoted } from "../../core/context/quoted.ts";
import type { Author, MessageInbound, Where } from "../../core/inbound.ts";
import type { RunId } from "../../core/ids.ts";
import type { ThreadPlace } from "../../core/ports/thread-places.ts";
import { authorOf } from "./author.ts";
import { kindOf, type ChannelKind } from "./channels.ts";
import { readCustomId } from "./format.ts";
import { discordInboundId, sessionIn, type DiscordBot } from "./identity.ts";
import { nameOf, partsOf } from "./message-parts.ts";
import { isWritten, nameOfThread } from "./parse.ts";
import { timeOf } from "./snowflake.ts";

export type Asked =
  | { readonly kind: "command"; readonly command: Command; readonly request: CommandRequest }
  /** To answer what stands in a message. `place`: where the thread will hang that this begins. */
  | { readonly kind: "message"; readonly inbound: MessageInbound; readonly place?: ThreadPlace }
  /** Nothing can be done about it, for this reason. */
  | { readonly kind: "nothing"; readonly why: string };

/** What stands in the menu of each message, by its name there: a message to answer, or a command for its thread. */
export const MENUS: Readonly<Record<string, { readonly command?: Command }>> = {
  "Ask about this": {},
  "Branch from here": { command: { name: "branch" } },
  "Reset thread": { command: { name: "reset" } },
};

const ABSENT = "I am not in this server. Ask somebody who manages it to invite me, or write to me directly.";
const NOT_HERE = "That cannot be done here.";
const NOTHING_SAID = "Nobody has written that message, so there is nothing to ask about.";

/** Where it was asked, and by whom. */
interface Asking {
  readonly id: string;
  readonly author: Author;
  readonly person: string;
  readonly guild: string | undefined;
  readonly channel: string;
  readonly kind: ChannelKind;
  readonly where: Where;
}

/**
 * Undefined for one that is not ours.
 * @param channelName of the channels that are known, for mentions of them.
 */
export function askedBy(
  interaction: APIInteraction,
  bot: DiscordBot,
  channelName: (id: string) => string | undefined = () => undefined,
): Asked | undefined {
  switch (interaction.type) {
    case InteractionType.ApplicationCommand: {
      const { data } = interaction;
      if (data.type === ApplicationCommandType.ChatInput) {
        const command = parseCommand(data.name, { slash: "optional" });
        return command && asking(interaction, (one) => commandOf(one, one.channel, command, bot));
      }
      if (data.type !== ApplicationCommandType.Message || !Object.hasOwn(MENUS, data.name)) return undefined;
      const target = data.resolved.messages[data.target_id];
      const wanted = MENUS[data.name]?.command;
      const command = wanted?.name === "branch" ? { ...wanted, message: data.target_id } : wanted;
      if (command !== undefined)
        return asking(interaction, (one) => commandOf(one, threadAt(one, data.target_id), command, bot));
      return asking(interaction, (one) => messageOf(one, target, bot, channelName));
    }
    case InteractionType.MessageComponent: {
      const clicked = readCustomId(interaction.data.custom_id);
      if (clicked === undefined) return undefined;
      const command = { name: clicked.action };
      return asking(interaction, (one) => commandOf(one, one.channel, command, bot, clicked.value as RunId));
    }
    default:
      return undefined;
  }
}

function asking(interaction: APIInteraction, then: (one: Asking) => Asked): Asked {
  const { id, guild_id: guild, member, channel } = interaction;
  const user = member?.user ?? interaction.user;
  if (user === undefined || channel === undefined) return { kind: "nothing", why: NOT_HERE };
  const owners = interaction.authorizing_integration_owners as
    | APIInteraction["authorizing_integration_owners"]
    | undefined;
  // Somebody brought the bot along for themselves: it sees nothing there, and cannot write.
  if (guild !== undefined && owners?.[ApplicationIntegrationType.GuildInstall] === undefined && owners)
    return { kind: "nothing", why: ABSENT };
  const kind = kindOf(channel.type);
  const parent = kind === "thread" && "parent_id" in channel ? channel.parent_id : undefined;
  return then({
    id,
    author: authorOf(user, member, guild),
    person: user.id,
    guild,
    channel: channel.id,
    kind,
    where: guild === undefined ? { isDirect: true } : typeof parent === "string" ? { parent } : {},
  });
}

/** A message in a channel has its thread below it, with its own id. */
function threadAt({ kind, channel }: Asking, message: string): string {
  return kind === "text" ? message : channel;
}

function commandOf(one: Asking, thread: string, command: Command, bot: DiscordBot, run?: RunId): Asked {
  const { id, author, guild, channel, where } = one;
  const request: CommandRequest = {
    session: sessionIn(guild, thread),
    author,
    where: thread === channel ? where : { parent: channel },
    id: discordInboundId(bot.app, { guild, channel }, "command", id),
    at: timeOf(id),
    ...(run === undefined ? {} : { run }),
  };
  return { kind: "command", command, request };
}

/** Whoever asks about a message twice has asked once: it is theirs, and the message stays whose it is. */
function messageOf(
  one: Asking,
  target: APIMessage | undefined,
  bot: DiscordBot,
  channelName: (id: string) => string | undefined,
): Asked {
  const { id, author, person, guild, channel, kind } = one;
  if (kind === "other") return { kind: "nothing", why: NOT_HERE };
  const isHidden = ((target?.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
  if (target === undefined || !isWritten(target) || isHidden) return { kind: "nothing", why: NOTHING_SAID };
  const subject = partsOf(target, { user: bot.user, role: undefined, channelName });
  const text = subject.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n");
  const speaker = target.author.id === bot.user ? bot.name : nameOf(target.author);
  const isBot = target.author.bot === true || target.webhook_id !== undefined;
  const said = { id: target.id, speaker, isBot, text, at: timeOf(target.id) };
  const whose = target.author.id === person ? "of mine" : isBot ? `from ${speaker}` : `of ${speaker}'s`;
  const inbound: MessageInbound = {
    v: 1,
    kind: "message",
    id: discordInboundId(bot.app, { guild, channel }, "message", `${target.id}-about-${person}`),
    session: sessionIn(guild, threadAt(one, target.id)),
    author,
    at: timeOf(id),
    addressed: true,
    where: kind === "text" ? { parent: channel } : one.where,
    message: id,
    parts: [
      { kind: "text", text: `What do you say to this message ${whose}?` },
      { kind: "note", text: `This is the message. ${quoted([said])}` },
      ...subject.filter((part) => part.kind === "file"),
    ],
  };
  if (kind !== "text") return { kind: "message", inbound };
  return { kind: "message", inbound, place: { parent: channel, name: nameOfThread(text, bot) } };
}
