// Somebody on Discord: what they write, change, delete, click and command, as the events that Discord makes of it.
import {
  FLAGS,
  CHANNEL_TYPES,
  type Channel,
  type JsonObject,
  type Profile,
  type StoredMessage,
} from "./model.ts";
import { channelEvent, deleteEvent, messageEvent, unarchive, type Platform } from "./platform.ts";
import type { SeenMessage } from "./seen.ts";
import { channelJson, memberJson, userJson } from "./wire.ts";

export interface Said {
  readonly id: string;
  readonly channel: string;
}

export interface SayOptions {
  readonly files?: readonly { readonly name: string; readonly bytes: number; readonly type: string }[];
  /** Forwards this text of somebody else instead of writing. */
  readonly forwarded?: string;
  /** Says it as a reply to this message. */
  readonly replyTo?: Said;
  readonly type?: number;
  readonly webhook?: boolean;
}

export interface Person {
  readonly id: string;
  readonly name: string;
  /** `<@…>` */
  readonly mention: string;
  say(channel: Channel | string | { readonly id: string }, content: string, options?: SayOptions): Said;
  /** To the bot alone. */
  dm(content: string, options?: SayOptions): Said;
  readonly directChannel: Channel;
  /** A new post in a forum; its thread has the id of its first message. */
  publish(forum: Channel, title: string, content: string): Said;
  edit(message: Said, content: string): void;
  delete(message: Said): void;
  /** Resolves when the bot has answered for the first time, or is too late. */
  click(message: SeenMessage, label: string): Promise<"answered" | "failed">;
  command(channel: Channel | string, name: string): Promise<"answered" | "failed">;
}

export function createPerson(profile: Profile, platform: Platform): Person {
  const { state, gateway, interactions } = platform;

  function own({ channel, id }: Said): StoredMessage {
    const message = state.find(channel, id);
    if (message === undefined || message.isDeleted) throw new Error(`the message ${id} is not there`);
    if (message.author !== profile.id) throw new Error(`the message ${id} is not from ${profile.name}`);
    return message;
  }

  function mayWrite(channel: Channel): void {
    if (channel.isDeleted) throw new Error(`${channel.name} is not there any more`);
    if (channel.type === CHANNEL_TYPES.forum) throw new Error("a forum has posts and no messages");
    if (channel.thread?.isLocked === true && !profile.isModerator)
      throw new Error(`${channel.name} is locked, and ${profile.name} is no moderator`);
  }

  function post(channel: Channel, content: string, options: SayOptions, id?: string): Said {
    mayWrite(channel);
    unarchive(platform, channel);
    const files = (options.files ?? []).map(({ name, bytes, type }) => {
      const file = state.newId();
      const url = `${platform.origin}/attachments/${file}/${name}?ex=1&is=1&hm=1`;
      return { id: file, filename: name, size: bytes, content_type: type, url, proxy_url: url };
    });
    const { forwarded, replyTo } = options;
    const snapshot = {
      message: { content: forwarded, attachments: [], embeds: [], timestamp: "2026-01-01", type: 0 },
    };
    const message = state.post(channel, {
      author: profile.id,
      content,
      ...(id === undefined ? {} : { id }),
      type: options.type ?? (replyTo === undefined ? 0 : 19),
      attachments: files,
      ...(forwarded === undefined ? {} : { flags: FLAGS.snapshot, snapshots: [snapshot] }),
      ...(replyTo === undefined
        ? {}
        : { reference: { message_id: replyTo.id, channel_id: replyTo.channel } }),
      ...(options.webhook === true ? { webhook: state.newId() } : {}),
    });
    messageEvent(platform, "CREATE", message);
    return { id: message.id, channel: channel.id };
  }

  async function interact(
    channel: Channel,
    type: number,
    data: JsonObject,
    message?: StoredMessage,
  ): Promise<"answered" | "failed"> {
    const id = state.newId();
    const interaction = interactions.begin({
      id,
      channel: channel.id,
      person: profile.id,
      message: message?.id,
    });
    const person = { ...userJson(profile) };
    const d = {
      id,
      application_id: platform.applicationId,
      type,
      token: interaction.token,
      version: 1,
      channel_id: channel.id,
      channel: channelJson(channel),
      ...(channel.guild === undefined
        ? { user: person, context: 1 }
        : {
            guild_id: channel.guild.id,
            guild: { id: channel.guild.id, locale: "en-US", features: [] },
            member: { ...memberJson(), user: person, permissions: "2147483647" },
            context: 0,
          }),
      locale: "en-US",
      guild_locale: "en-US",
      entitlements: [],
      authorizing_integration_owners: { "0": channel.guild?.id ?? "0" },
      app_permissions: "309237763136",
      attachment_size_limit: 10_485_760,
      data,
      ...(message === undefined
        ? {}
        : { message: { id: message.id, channel_id: channel.id, type: 0, flags: 0 } }),
    };
    const guild = channel.guild === undefined ? {} : { guild: channel.guild.id };
    gateway.dispatch({ t: "INTERACTION_CREATE", channel, ...guild, d: () => d });
    return interaction.settled;
  }

  return {
    id: profile.id,
    name: profile.name,
    mention: `<@${profile.id}>`,
    say: (where, content, options = {}) =>
      post(
        typeof where === "object" && !("type" in where)
          ? state.channelFor(where.id)
          : state.channelFor(where),
        content,
        options,
      ),
    dm: (content, options = {}) => post(state.direct(profile.id), content, options),
    get directChannel() {
      return state.direct(profile.id);
    },
    publish(forum, title, content) {
      if (forum.type !== CHANNEL_TYPES.forum) throw new Error(`${forum.name} is no forum`);
      const thread = state.startThread(forum, { name: title, owner: profile.id });
      // The thread comes before its first message.
      channelEvent(platform, "THREAD_CREATE", thread, { newly_created: true });
      return post(thread, content, {}, thread.id);
    },
    edit(said, content) {
      const message = own(said);
      state.change(message, { content });
      messageEvent(platform, "UPDATE", message);
    },
    delete(said) {
      const message = own(said);
      state.remove(message);
      deleteEvent(platform, message);
    },
    async click(shown, label) {
      const button = shown.buttons.find((one) => one.label === label);
      const message = state.find(shown.channel, shown.id);
      if (button === undefined || message === undefined || message.isDeleted)
        throw new Error(`there is no button ${label}`);
      const data = { custom_id: button.customId, component_type: 2 };
      return interact(state.channelFor(shown.channel), 3, data, message);
    },
    async command(where, name) {
      const known = platform.commands.get("global")?.find((one) => one["name"] === name);
      if (known === undefined) throw new Error(`there is no command /${name}`);
      const data = { id: known["id"], name, type: 1, options: [] };
      return interact(state.channelFor(where), 2, data);
    },
  };
}
