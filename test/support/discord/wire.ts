// How things of the state look on the wire, in REST and in the gateway's events.
import {
  CHANNEL_TYPES,
  FLAGS,
  PERMISSIONS,
  type Channel,
  type Guild,
  type JsonObject,
  type Profile,
  type StoredMessage,
} from "./model.ts";
import { timeOfSnowflake } from "./snowflake.ts";
import type { DiscordState } from "./state.ts";

const isoOf = (ms: number): string => new Date(ms).toISOString().replace("Z", "000+00:00");

export function userJson(profile: Profile): JsonObject {
  return {
    id: profile.id,
    username:
      profile.kind === "bot" ? profile.name : profile.name.toLowerCase().replaceAll(/[^a-z0-9_.]/g, "_"),
    global_name: profile.kind === "person" ? profile.name : null,
    discriminator: profile.kind === "person" ? "0" : "1234",
    avatar: null,
    public_flags: 0,
    ...(profile.kind === "bot" ? { bot: true } : {}),
  };
}

export function memberJson(roles: readonly string[] = []): JsonObject {
  return {
    roles,
    joined_at: isoOf(1_700_000_000_000),
    deaf: false,
    mute: false,
    flags: 0,
    nick: null,
    avatar: null,
  };
}

export function channelJson(channel: Channel): JsonObject {
  const { guild, thread } = channel;
  const common = {
    id: channel.id,
    type: channel.type,
    last_message_id: channel.lastMessage ?? null,
    flags: 0,
  };
  if (guild === undefined) return common;
  const inGuild = { ...common, guild_id: guild.id, name: channel.name, rate_limit_per_user: 0 };
  if (thread === undefined) {
    const denied = [...channel.denied].reduce((bits, name) => bits | PERMISSIONS[name], 0n);
    const overwrites =
      denied === 0n ? [] : [{ id: guild.botRole, type: 0, allow: "0", deny: String(denied) }];
    return {
      ...inGuild,
      position: 0,
      parent_id: null,
      nsfw: false,
      topic: null,
      permission_overwrites: overwrites,
    };
  }
  return {
    ...inGuild,
    parent_id: channel.parent,
    owner_id: thread.owner,
    message_count: 0,
    member_count: 1,
    total_message_sent: 0,
    thread_metadata: {
      archived: thread.isArchived,
      locked: thread.isLocked,
      auto_archive_duration: thread.autoArchiveMinutes,
      archive_timestamp: isoOf(thread.archivedAtMs ?? thread.createdAtMs),
      create_timestamp: isoOf(thread.createdAtMs),
    },
  };
}

export function guildJson(state: DiscordState, guild: Guild, bot: Profile): JsonObject {
  const role = (id: string, name: string, permissions: string, tags?: JsonObject): JsonObject => ({
    id,
    name,
    permissions,
    color: 0,
    hoist: false,
    position: 0,
    managed: tags !== undefined,
    mentionable: false,
    flags: 0,
    ...(tags === undefined ? {} : { tags }),
  });
  const channels = [...state.channels.values()].filter(
    (channel) => channel.guild === guild && !channel.isDeleted,
  );
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    owner_id: "1",
    joined_at: isoOf(guild.joinedAtMs),
    large: false,
    unavailable: false,
    member_count: 3,
    roles: [
      role(guild.id, "@everyone", "0"),
      role(guild.botRole, bot.name, state.botBits(guild), { bot_id: bot.id }),
    ],
    channels: channels.filter(({ thread }) => thread === undefined).map(channelJson),
    threads: state.threadsOf(guild, "active").map(channelJson),
    members: [{ ...memberJson([guild.botRole]), user: userJson(bot) }],
    emojis: [],
    stickers: [],
    voice_states: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
    features: [],
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    mfa_level: 0,
    system_channel_flags: 0,
    premium_tier: 0,
    nsfw_level: 0,
    preferred_locale: "en-US",
    afk_timeout: 300,
    premium_progress_bar_enabled: false,
  };
}

export function mentionsIn(content: string): readonly string[] {
  return [...content.matchAll(/<@!?(\d+)>/g)].map(([, id]) => id ?? "");
}

export interface MessageView {
  readonly bot: Profile;
  /** Whether the words of others may be read that do not mention the bot. */
  readonly hasContent: boolean;
}

export function messageJson(
  state: DiscordState,
  message: StoredMessage,
  { bot, hasContent }: MessageView,
): JsonObject {
  const channel = state.channelFor(message.channel);
  const author = state.profiles.get(message.author);
  if (author === undefined) throw new Error(`nobody is ${message.author}`);
  const mentioned = mentionsIn(message.content).flatMap((id) => state.profiles.get(id) ?? []);
  const roles = [...message.content.matchAll(/<@&(\d+)>/g)].map(([, id]) => id ?? "");
  const mayRead =
    hasContent ||
    channel.type === CHANNEL_TYPES.dm ||
    message.author === bot.id ||
    mentioned.some(({ id }) => id === bot.id);
  const started =
    message.type === 21 && channel.parent !== undefined ? state.find(channel.parent, channel.id) : undefined;
  return {
    id: message.id,
    channel_id: message.channel,
    author: userJson(author),
    content: mayRead ? message.content : "",
    timestamp: isoOf(timeOfSnowflake(message.id)),
    edited_timestamp: message.editedAtMs === undefined ? null : isoOf(message.editedAtMs),
    tts: false,
    mention_everyone: /@(?:everyone|here)\b/.test(message.content),
    mentions: mentioned.map(userJson),
    mention_roles: roles,
    attachments: mayRead ? message.attachments : [],
    embeds: mayRead ? message.embeds : [],
    components: mayRead ? message.components : [],
    pinned: false,
    type: message.type,
    flags: message.flags | (message.hasThread ? FLAGS.hasThread : 0),
    ...(message.webhook === undefined ? {} : { webhook_id: message.webhook }),
    ...(message.reference === undefined ? {} : { message_reference: message.reference }),
    ...(message.snapshots === undefined || !mayRead ? {} : { message_snapshots: message.snapshots }),
    ...(started === undefined
      ? {}
      : { referenced_message: messageJson(state, started, { bot, hasContent }) }),
  };
}

/** What a message has only in an event. */
export function eventFields(state: DiscordState, message: StoredMessage): JsonObject {
  const channel = state.channelFor(message.channel);
  const member = memberJson(state.profiles.get(message.author)?.roles);
  return {
    channel_type: channel.type,
    ...(channel.guild === undefined ? {} : { guild_id: channel.guild.id, member }),
  };
}
