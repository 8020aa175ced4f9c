// What the parts of the local Discord share. Each part owns its own state; this only names them.
import type { Complaints } from "./complaints.ts";
import type { Gateway } from "./gateway.ts";
import type { Interactions } from "./interactions.ts";
import type { Channel, Guild, JsonObject, Profile, StoredMessage } from "./model.ts";
import type { RateLimits } from "./rate-limits.ts";
import type { DiscordState } from "./state.ts";
import { channelJson, eventFields, guildJson, memberJson, messageJson, userJson } from "./wire.ts";

interface Asking {
  readonly authorization: string | undefined;
}

export interface Platform {
  readonly state: DiscordState;
  readonly bot: Profile;
  readonly applicationId: string;
  readonly complaints: Complaints;
  readonly gateway: Gateway;
  readonly interactions: Interactions;
  readonly limits: RateLimits;
  /** People who sign in elsewhere with Discord. */
  readonly oauth: {
    exchange(call: Asking & { readonly body: JsonObject; readonly type: string }): JsonObject;
    personOf(call: Asking, scope: string): Profile | undefined;
  };
  /** Where the application may be installed: 0 servers, 1 people. */
  readonly installs: Set<number>;
  /** As the application has them registered, by scope: `global` or a guild's id. */
  readonly commands: Map<string, readonly JsonObject[]>;
  /** `http://127.0.0.1:port` */
  readonly origin: string;
}

/** Events of the gateway, made from the state as it is when they are sent. */
export function messageEvent(
  { state, bot, gateway }: Platform,
  kind: "CREATE" | "UPDATE",
  message: StoredMessage,
): void {
  const channel = state.channelFor(message.channel);
  // What is sent is what stood there at that moment.
  const [open, closed] = [true, false].map((hasContent) => ({
    ...messageJson(state, message, { bot, hasContent }),
    ...eventFields(state, message),
    ...(message.nonce === undefined ? {} : { nonce: message.nonce }),
  }));
  gateway.dispatch({ t: `MESSAGE_${kind}`, channel, d: ({ hasContent }) => (hasContent ? open! : closed!) });
}

export function deleteEvent({ state, gateway }: Platform, message: StoredMessage): void {
  const channel = state.channelFor(message.channel);
  const place = channel.guild === undefined ? {} : { guild_id: channel.guild.id };
  const d = { id: message.id, channel_id: message.channel, ...place };
  gateway.dispatch({ t: "MESSAGE_DELETE", channel, d: () => d });
}

/** `person` for what one of them did; all of them, or all of one emoji, are taken away by a moderator. @param emoji as people write it. */
export function reactionEvent(
  { state, gateway }: Platform,
  kind: "ADD" | "REMOVE" | "REMOVE_ALL" | "REMOVE_EMOJI",
  message: StoredMessage,
  { person, emoji }: { readonly person?: Profile; readonly emoji?: string },
): void {
  const channel = state.channelFor(message.channel);
  const [, name, id = null] = /^<a?:(\w+):(\d+)>$/.exec(emoji ?? "") ?? [undefined, emoji];
  const isInGuild = channel.guild !== undefined;
  const d = {
    channel_id: channel.id,
    message_id: message.id,
    ...(isInGuild ? { guild_id: channel.guild.id } : {}),
    ...(emoji === undefined ? {} : { emoji: { id, name } }),
    ...(person === undefined ? {} : { user_id: person.id, burst: false, type: 0 }),
    ...(kind === "ADD" ? { message_author_id: message.author } : {}),
    ...(kind === "ADD" && isInGuild && person !== undefined
      ? { member: { ...memberJson(person.roles), user: userJson(person) } }
      : {}),
  };
  gateway.dispatch({ t: `MESSAGE_REACTION_${kind}`, channel, d: () => d });
}

export function channelEvent(
  { gateway }: Platform,
  t: string,
  channel: Channel,
  more: JsonObject = {},
): void {
  const d = { ...channelJson(channel), ...more };
  gateway.dispatch({ t, channel, d: () => d });
}

/** The bot comes into a guild, or the guild back to it; it leaves, or only cannot be reached. */
export function guildEvent({ gateway, state, bot }: Platform, guild: Guild): void {
  const isThere = guild.hasBot && !guild.isAway;
  gateway.dispatch({
    t: isThere ? "GUILD_CREATE" : "GUILD_DELETE",
    guild: guild.id,
    d: () =>
      isThere
        ? guildJson(state, guild, bot)
        : { id: guild.id, ...(guild.isAway ? { unavailable: true } : {}) },
  });
}

/** Brings an archived thread back, as a message in it does. */
export function unarchive(platform: Platform, channel: Channel): void {
  if (channel.thread === undefined || !channel.thread.isArchived) return;
  channel.thread.isArchived = false;
  channelEvent(platform, "THREAD_UPDATE", channel);
}

/** Below a message that has none yet, with all that Discord tells of it. */
export function beginThread(
  platform: Platform,
  channel: Channel,
  message: StoredMessage,
  options: { readonly name: string; readonly owner: string; readonly minutes?: number },
): Channel {
  const { state } = platform;
  const thread = state.startThread(channel, { id: message.id, ...options });
  message.hasThread = true;
  channelEvent(platform, "THREAD_CREATE", thread, { newly_created: true });
  messageEvent(platform, "UPDATE", message);
  const reference = { channel_id: channel.id, message_id: message.id, guild_id: channel.guild?.id };
  messageEvent(
    platform,
    "CREATE",
    state.post(thread, { author: message.author, content: "", type: 21, reference }),
  );
  return thread;
}
