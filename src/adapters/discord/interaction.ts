/** Clicks, slash commands and the menus of messages: what each asks for. Pure. */

import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionType,
  MessageFlags,
  type APIApplicationCommandInteractionDataOption,
  type APIInteraction,
  type APIMessage,
} from "discord-api-types/v10";
import { clickOf, UNKNOWN_BUTTON, type About } from "../../core/command/button.ts";
import type { Command, CommandName } from "../../core/command/command.ts";
import type { CommandRequest } from "../../core/command/commands.ts";
import { goalInFields, isGoalPart } from "../../core/command/goal-parts.ts";
import { setsGoal, type GoalThreadAsked } from "../../core/command/goal-thread.ts";
import { COMMANDS, commandOf } from "../../core/command/table.ts";
import { quoted } from "../../core/context/quoted.ts";
import { writtenIn, type Begun } from "../../core/goal/form.ts";
import type { Author, MessageInbound, Where } from "../../core/inbound.ts";
import type { InboundId } from "../../core/ids.ts";
import type { ThreadPlace } from "../../core/ports/thread-places.ts";
import { headOf } from "../../core/text.ts";
import { authorOf } from "./author.ts";
import { kindOf, type ChannelKind, type Channels } from "./channels.ts";
import { readCustomId } from "./format.ts";
import { submittedIn } from "./goal-form.ts";
import { discordInboundId, sessionIn, type DiscordBot } from "./identity.ts";
import { nameOf, partsOf } from "./message-parts.ts";
import { isWritten, nameOfThread } from "./parse.ts";
import { timeOf } from "./snowflake.ts";

export type Asked =
  /** `named`: the thread that shows a name, which a new title may change. */
  | {
      readonly kind: "command";
      readonly command: Command;
      readonly request: CommandRequest;
      readonly named?: string;
    }
  /** To answer what stands in a message. `place`: where the thread will hang that this begins. */
  | { readonly kind: "message"; readonly inbound: MessageInbound; readonly place?: ThreadPlace }
  /** A goal is given where there is no thread: it gets one. */
  | { readonly kind: "goal_thread"; readonly asked: GoalThreadAsked }
  /** Somebody wants to write the goal of this thread, or to change it. `begun`: what they said of it already. */
  | { readonly kind: "goal_form"; readonly request: CommandRequest; readonly begun?: Begun }
  /** Nothing can be done about it, for this reason. */
  | { readonly kind: "nothing"; readonly why: string };

/** What stands in the menu of each message, by its name there: a message to answer, or a command for its thread. */
export const MENUS: Readonly<Record<string, { readonly command?: CommandName }>> = {
  "Ask about this": {},
  "Branch from here": { command: "branch" },
  "Reset thread": { command: "reset" },
  Details: { command: "details" },
};

const OUTDATED = "Your Discord has an older form of this command. Begin to type it anew.";
const ABSENT = "I am not in this server. Ask somebody who manages it to invite me, or write to me directly.";
const NOT_HERE = "That cannot be done here.";
const ELSEWHERE = "That message is not in this server. Ask there.";
const OTHER_CHANNEL = "That message is in another channel. Ask there.";
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

/** What is known of channels, for names of them and for threads that are asked about from elsewhere. */
export type KnownChannels = Pick<Channels, "get" | "nameOf">;

/** A command and what was given for it, while it is being typed. */
export interface Typing {
  readonly name: CommandName;
  readonly typed: string;
  readonly request: CommandRequest;
}

/** Undefined for one that is not ours. */
export function askedBy(
  interaction: APIInteraction,
  bot: DiscordBot,
  channels: KnownChannels,
): Asked | undefined {
  switch (interaction.type) {
    case InteractionType.ApplicationCommand: {
      const { data } = interaction;
      if (data.type === ApplicationCommandType.ChatInput) {
        const name = nameOfCommand(data.name);
        if (name === undefined) return undefined;
        if (name === "goal") return asking(interaction, (one) => ofGoal(one, data.options, bot));
        const given = givenIn(data);
        return asking(interaction, (one) => ofSlash(one, name, given, { bot, channels }));
      }
      if (data.type !== ApplicationCommandType.Message || !Object.hasOwn(MENUS, data.name)) return undefined;
      const { target_id: target } = data;
      const name = MENUS[data.name]?.command;
      if (name === undefined)
        return asking(interaction, (one) => messageOf(one, data.resolved.messages[target], bot, channels));
      const takesMessage = COMMANDS[name].argument.kind === "message";
      const command = commandOf(name, takesMessage ? target : undefined) ?? { name };
      return asking(interaction, (one) => inThread(one, threadAt(one, target), command, bot));
    }
    case InteractionType.MessageComponent: {
      const clicked = readCustomId(interaction.data.custom_id);
      if (clicked === undefined) return undefined;
      if (clicked.action === "edit") return asking(interaction, (one) => formOf(one, bot));
      const asked = clickOf(clicked.action, clicked.value);
      if (asked === undefined) return { kind: "nothing", why: UNKNOWN_BUTTON };
      return asking(interaction, (one) => inThread(one, one.channel, asked.command, bot, asked.about));
    }
    case InteractionType.ModalSubmit: {
      const written = submittedIn(interaction);
      if (written === undefined) return undefined;
      const { text, id } = written;
      const command: Command = { name: "goal", value: writtenIn(written, text) };
      return asking(interaction, (one) =>
        inThread(one, one.channel, command, bot, id === undefined ? {} : { goal: { id } }),
      );
    }
    default:
      return undefined;
  }
}

function formOf(one: Asking, bot: DiscordBot, begun?: Begun): Asked {
  const asked = inThread(one, one.channel, { name: "goal" }, bot);
  if (asked.kind !== "command") return asked;
  return { kind: "goal_form", request: asked.request, ...(begun === undefined ? {} : { begun }) };
}

/** A command with parts has no other form, but what was registered before may still be on somebody's screen. */
function ofGoal(
  one: Asking,
  options: readonly APIApplicationCommandInteractionDataOption[] | undefined,
  bot: DiscordBot,
): Asked {
  const part = options?.[0];
  if (part?.type !== ApplicationCommandOptionType.Subcommand || !isGoalPart(part.name))
    return { kind: "nothing", why: OUTDATED };
  const given = (part.options ?? []).flatMap(({ name, value }) =>
    typeof value === "string" || typeof value === "number" ? [[name, value] as const] : [],
  );
  const said = goalInFields(part.name, Object.fromEntries(given));
  return said.kind === "begun"
    ? formOf(one, bot, said.begun)
    : inThread(one, one.channel, { name: "goal", value: said.asked }, bot);
}

/** What somebody is typing who has a choice; undefined for anything else. */
export function typingIn(interaction: APIInteraction, bot: DiscordBot): Typing | undefined {
  if (interaction.type !== InteractionType.ApplicationCommandAutocomplete) return undefined;
  const name = nameOfCommand(interaction.data.name);
  const asked = asking(interaction, (one) => inThread(one, one.channel, { name: name ?? "help" }, bot));
  if (name === undefined || asked.kind !== "command") return undefined;
  return { name, typed: givenIn(interaction.data), request: asked.request };
}

function nameOfCommand(name: string): CommandName | undefined {
  return Object.hasOwn(COMMANDS, name) ? (name as CommandName) : undefined;
}

/** A command takes one thing at most. */
function givenIn({ options = [] }: { readonly options?: readonly object[] }): string {
  const [option] = options;
  return option !== undefined && "value" in option ? String(option.value) : "";
}

/** The address of a message as Discord copies it. */
const LINK =
  /^https?:\/\/(?:\w+\.)?discord(?:app)?\.com\/channels\/(?<guild>\d+|@me)\/(?<channel>\d+)\/(?<message>\d+)\/?$/;

/** Whoever asks about a message by its address asks in the thread that it stands in, or that hangs below it. */
function ofSlash(
  one: Asking,
  name: CommandName,
  given: string,
  { bot, channels }: { readonly bot: DiscordBot; readonly channels: KnownChannels },
): Asked {
  const link = COMMANDS[name].argument.kind === "message" ? LINK.exec(given.trim())?.groups : undefined;
  const command = commandOf(name, link?.["message"] ?? given);
  if (command === undefined) {
    const help: Command = { name: "help", word: headOf(`/${name} ${given}`, 80) };
    return inThread(one, one.channel, help, bot);
  }
  const { guild, channel = "", message = "" } = link ?? {};
  if (link === undefined || channel === one.channel) {
    const thread = link === undefined ? one.channel : threadAt(one, message);
    return inThread(one, thread, command, bot);
  }
  if (one.guild === undefined || guild !== one.guild) return { kind: "nothing", why: ELSEWHERE };
  const { kind = "thread", parent, isPrivate } = channels.get(channel) ?? {};
  const there: Asking = { ...one, channel, kind, where: parent === undefined ? {} : { parent } };
  // What stands in another channel is for those who are in it; only why the bot answered there is asked from anywhere, by admins.
  const isSame = (parent ?? channel) === (one.where.parent ?? one.channel) && isPrivate !== true;
  if (name !== "why" && !isSame) return { kind: "nothing", why: OTHER_CHANNEL };
  const asked = inThread(there, threadAt(there, message), command, bot);
  // It was asked here, wherever that is about.
  return asked.kind === "command" ? { ...asked, request: { ...asked.request, id: idOf(one, bot) } } : asked;
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
    kind: guild === undefined ? "direct" : kind,
    where: guild === undefined ? { isDirect: true } : typeof parent === "string" ? { parent } : {},
  });
}

/** A message in a channel has its thread below it, with its own id. */
function threadAt({ kind, channel }: Asking, message: string): string {
  return kind === "text" ? message : channel;
}

function idOf({ id, guild, channel }: Asking, bot: DiscordBot): InboundId {
  return discordInboundId(bot.app, { guild, channel }, "command", id);
}

function inThread(one: Asking, thread: string, command: Command, bot: DiscordBot, about: About = {}): Asked {
  const { id, author, guild, channel, kind, where } = one;
  const isWhole = kind === "text" && thread === channel;
  if (isWhole && command.name === "goal" && command.value !== undefined && setsGoal(command.value)) {
    const beside = sessionIn(guild, channel);
    const asked = { value: command.value, author, id: idOf(one, bot), at: timeOf(id), beside };
    return { kind: "goal_thread", asked: { ...asked, where: { parent: channel } } };
  }
  const request: CommandRequest = {
    session: sessionIn(guild, thread),
    author,
    where: thread === channel ? where : { parent: channel },
    id: idOf(one, bot),
    at: timeOf(id),
    hasPlatformTime: true,
    ...about,
    ...(kind === "direct" ? { mayBegin: true } : {}),
  };
  const isNamed = kind === "thread" || thread !== channel;
  return { kind: "command", command, request, ...(isNamed ? { named: thread } : {}) };
}

/** Whoever asks about a message twice has asked once: it is theirs, and the message stays whose it is. */
function messageOf(
  one: Asking,
  target: APIMessage | undefined,
  bot: DiscordBot,
  channels: KnownChannels,
): Asked {
  const { id, author, person, guild, channel, kind } = one;
  if (kind === "other") return { kind: "nothing", why: NOT_HERE };
  const isHidden = ((target?.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
  if (target === undefined || !isWritten(target) || isHidden) return { kind: "nothing", why: NOTHING_SAID };
  const subject = partsOf(target, {
    user: bot.user,
    role: undefined,
    channelName: (known) => channels.nameOf(known),
  });
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
