/** The channels that the gateway has told of: what kind each is, where a thread hangs, and which role is the bot's own. */

import {
  ChannelType,
  type APIChannel,
  type APIRole,
  type GatewayGuildCreateDispatchData,
} from "discord-api-types/v10";

export type ChannelKind =
  /** A message in it may begin a thread. */
  | "text"
  | "thread"
  | "direct"
  /** Where people speak and have a chat beside it, in which no thread can be. */
  | "talk"
  | "other";

export interface KnownChannel {
  readonly id: string;
  readonly guild: string | undefined;
  readonly kind: ChannelKind;
  readonly name: string | undefined;
  /** The channel in which a thread hangs. */
  readonly parent: string | undefined;
  /** A thread that only those see who were asked into it. */
  readonly isPrivate?: true;
  /** The newest message when the gateway told of it. */
  readonly newest: string | undefined;
}

const KINDS: Readonly<Partial<Record<ChannelType, ChannelKind>>> = {
  [ChannelType.GuildText]: "text",
  [ChannelType.GuildAnnouncement]: "text",
  [ChannelType.PublicThread]: "thread",
  [ChannelType.PrivateThread]: "thread",
  [ChannelType.AnnouncementThread]: "thread",
  [ChannelType.DM]: "direct",
  [ChannelType.GuildVoice]: "talk",
  [ChannelType.GuildStageVoice]: "talk",
};

export const kindOf = (type: ChannelType): ChannelKind => KINDS[type] ?? "other";

/** Other channels hang in a category, which says nothing of them. */
function isThread(type: ChannelType): boolean {
  return kindOf(type) === "thread";
}

export function knownOf(channel: APIChannel, guild: string | undefined): KnownChannel {
  return {
    id: channel.id,
    guild: "guild_id" in channel ? (channel.guild_id ?? guild) : guild,
    kind: kindOf(channel.type),
    name: "name" in channel ? (channel.name ?? undefined) : undefined,
    parent: isThread(channel.type) && "parent_id" in channel ? (channel.parent_id ?? undefined) : undefined,
    ...(channel.type === ChannelType.PrivateThread ? { isPrivate: true } : {}),
    newest: "last_message_id" in channel ? (channel.last_message_id ?? undefined) : undefined,
  };
}

/** Grows with the channels that are open; those that were deleted go. */
export class Channels {
  readonly #bot: string;
  readonly #known = new Map<string, KnownChannel>();
  /** The bot's own role by guild. */
  readonly #roles = new Map<string, string>();

  /** @param bot the bot's user id. */
  constructor(bot: string) {
    this.#bot = bot;
  }

  get(id: string): KnownChannel | undefined {
    return this.#known.get(id);
  }

  nameOf(id: string): string | undefined {
    return this.#known.get(id)?.name;
  }

  roleIn(guild: string | undefined): string | undefined {
    return guild === undefined ? undefined : this.#roles.get(guild);
  }

  keep(channel: KnownChannel): void {
    this.#known.set(channel.id, channel);
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  forgetGuild(guild: string): void {
    for (const channel of this.#known.values()) if (channel.guild === guild) this.#known.delete(channel.id);
    this.#roles.delete(guild);
  }

  keepRoles(guild: string, roles: readonly APIRole[]): void {
    const own = roles.find(({ tags }) => tags?.bot_id === this.#bot);
    if (own !== undefined) this.#roles.set(guild, own.id);
  }

  /** @returns the channels and threads of the guild. */
  keepGuild(guild: GatewayGuildCreateDispatchData): readonly KnownChannel[] {
    this.keepRoles(guild.id, guild.roles);
    const told = [...guild.channels, ...guild.threads].map((channel) => knownOf(channel, guild.id));
    for (const channel of told) this.keep(channel);
    return told;
  }
}
