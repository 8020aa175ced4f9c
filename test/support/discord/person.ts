// Somebody on Discord: what they write, change, delete, click and command, as the events that Discord makes of it.
import {
  FLAGS,
  CHANNEL_TYPES,
  type Channel,
  type JsonObject,
  type Profile,
  type StoredMessage,
} from "./model.ts";
import {
  beginThread,
  channelEvent,
  deleteEvent,
  messageEvent,
  reactionEvent,
  unarchive,
  type Platform,
} from "./platform.ts";
import { optionsGiven } from "./command-options.ts";
import type { Interaction } from "./interactions.ts";
import type { SeenMessage } from "./seen.ts";
import { channelJson, memberJson, messageJson, userJson } from "./wire.ts";

/** The kind of an interaction: somebody is typing a command. */
const TYPING = 4;
/** A form was filled in and sent. */
const FORM = 5;

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
  /** Opens a thread below a message in a channel, as anybody may; it is there afterwards, whoever was first. */
  openThread(message: Said, name: string): void;
  edit(message: Said, content: string): void;
  delete(message: Said): void;
  /** @param emoji a sign, or `<:name:id>` for one of the server's own. */
  react(message: Said, emoji: string): void;
  unreact(message: Said, emoji: string): void;
  /** As a moderator takes away all of them, or all of one. */
  clearReactions(message: Said, emoji?: string): void;
  /** Resolves when the bot has answered for the first time, or is too late. */
  click(message: SeenMessage, label: string): Promise<"answered" | "failed">;
  /**
   * @param name and that of its part, where it has parts: `goal set`.
   * @param options by their names.
   */
  command(
    channel: Channel | string,
    name: string,
    options?: Readonly<Record<string, string | number>>,
  ): Promise<"answered" | "failed">;
  /** The form on the screen, with its title and what stands in its fields. */
  form(): { readonly title: string; readonly fields: Readonly<Record<string, string>> } | undefined;
  /** Fills in the form on the screen and sends it. @param entries by the ids of its fields. */
  submit(entries: Readonly<Record<string, string>>): Promise<"answered" | "failed">;
  /** Types this for the first option of a command. @returns what is suggested. */
  types(channel: Channel | string, name: string, typed: string): Promise<readonly string[]>;
  /** What stands in the menu of a message. */
  menu(message: Said, name: string): Promise<"answered" | "failed">;
}

export function createPerson(profile: Profile, platform: Platform): Person {
  const { state, gateway, interactions } = platform;

  function own(said: Said): StoredMessage {
    const message = there(said);
    if (message.author !== profile.id) throw new Error(`the message ${said.id} is not from ${profile.name}`);
    return message;
  }

  function there({ channel, id }: Said): StoredMessage {
    const message = state.find(channel, id);
    if (message === undefined || message.isDeleted) throw new Error(`the message ${id} is not there`);
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
    return begin(channel, type, data, message).settled;
  }

  const shownForm = (): Interaction | undefined =>
    interactions.all.findLast(({ person, modal }) => person === profile.id && modal !== undefined);
  const fieldsOf = (modal: JsonObject): readonly JsonObject[] =>
    ((modal["components"] ?? []) as readonly JsonObject[]).flatMap(
      (row) => (row["components"] ?? []) as readonly JsonObject[],
    );

  function begin(channel: Channel, type: number, data: JsonObject, message?: StoredMessage): Interaction {
    const id = state.newId();
    const interaction = interactions.begin({
      id,
      channel: channel.id,
      person: profile.id,
      message: message?.id,
      isTyping: type === TYPING,
      isForm: type === FORM,
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
            member: { ...memberJson(profile.roles), user: person, permissions: "2147483647" },
            context: 0,
          }),
      locale: "en-US",
      guild_locale: "en-US",
      entitlements: [],
      authorizing_integration_owners: isStrange(channel)
        ? { "1": profile.id }
        : { "0": channel.guild?.id ?? "0" },
      app_permissions: "309237763136",
      attachment_size_limit: 10_485_760,
      data,
      ...(message === undefined
        ? {}
        : { message: { id: message.id, channel_id: channel.id, type: 0, flags: 0 } }),
    };
    const guild = channel.guild === undefined ? {} : { guild: channel.guild.id };
    gateway.dispatch({ t: "INTERACTION_CREATE", channel, ...guild, d: () => d });
    return interaction;
  }

  const isStrange = ({ guild }: Channel): boolean => guild !== undefined && !state.guilds.has(guild.id);

  function known(type: number, name: string, channel: Channel): JsonObject {
    const found = platform.commands
      .get("global")
      ?.find((one) => one["name"] === name && one["type"] === type);
    const contexts = (found?.["contexts"] ?? []) as readonly number[];
    const installs = (found?.["integration_types"] ?? []) as readonly number[];
    if (found === undefined || !contexts.includes(channel.guild === undefined ? 1 : 0))
      throw new Error(`there is no ${name} in ${channel.name}`);
    if (isStrange(channel) && !installs.includes(1)) throw new Error(`${name} cannot be brought along`);
    return found;
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
    openThread({ channel, id }, name) {
      const parent = state.channelFor(channel);
      const message = state.find(channel, id);
      if (message === undefined || message.isDeleted) throw new Error(`the message ${id} is not there`);
      if (!message.hasThread) beginThread(platform, parent, message, { name, owner: profile.id });
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
    react(said, emoji) {
      const message = there(said);
      const people = message.reactions.get(emoji) ?? new Set();
      message.reactions.set(emoji, people.add(profile.id));
      reactionEvent(platform, "ADD", message, { person: profile, emoji });
    },
    unreact(said, emoji) {
      const message = there(said);
      if (message.reactions.get(emoji)?.delete(profile.id) !== true)
        throw new Error(`${profile.name} has not given ${emoji}`);
      reactionEvent(platform, "REMOVE", message, { person: profile, emoji });
    },
    clearReactions(said, emoji) {
      const message = there(said);
      if (emoji === undefined) message.reactions.clear();
      else message.reactions.delete(emoji);
      reactionEvent(platform, emoji === undefined ? "REMOVE_ALL" : "REMOVE_EMOJI", message, {
        ...(emoji === undefined ? {} : { emoji }),
      });
    },
    async click(shown, label) {
      const button = shown.buttons.find((one) => one.label === label);
      const message = state.find(shown.channel, shown.id);
      if (button === undefined || message === undefined || message.isDeleted)
        throw new Error(`there is no button ${label}`);
      const data = { custom_id: button.customId, component_type: 2 };
      return interact(state.channelFor(shown.channel), 3, data, message);
    },
    async command(where, name, given = {}) {
      const channel = state.channelFor(where);
      const [first = "", part] = name.split(" ");
      const found = known(1, first, channel);
      const options = optionsGiven(found, name, part, given);
      return interact(channel, 2, { id: found["id"], name: first, type: 1, options });
    },
    form() {
      const modal = shownForm()?.modal;
      if (modal === undefined) return undefined;
      const fields = fieldsOf(modal).map((field) => [String(field["custom_id"]), textIn(field)]);
      return { title: String(modal["title"]), fields: Object.fromEntries(fields) as Record<string, string> };
    },
    async submit(entries) {
      const shown = shownForm();
      if (shown?.modal === undefined) throw new Error(`${profile.name} has no form open`);
      const { modal } = shown;
      shown.modal = undefined;
      const components = fieldsOf(modal).map((field) => {
        const id = String(field["custom_id"]);
        const value = entries[id] ?? textIn(field);
        if (field["required"] !== false && value === "") throw new Error(`the client asks for ${id}`);
        if (value.length > Number(field["max_length"] ?? 4_000))
          throw new Error(`the client takes no more in ${id}`);
        return { type: 1, components: [{ type: 4, custom_id: id, value }] };
      });
      const data = { custom_id: modal["custom_id"], components };
      return interact(state.channelFor(shown.channel), FORM, data);
    },
    async types(where, name, typed) {
      const channel = state.channelFor(where);
      const found = known(1, name, channel);
      const [option] = (found["options"] ?? []) as readonly JsonObject[];
      if (option?.["autocomplete"] !== true) throw new Error(`nothing is suggested for /${name}`);
      const options = [{ name: option["name"], type: option["type"], value: typed, focused: true }];
      const interaction = begin(channel, TYPING, { id: found["id"], name, type: 1, options });
      await interaction.settled;
      return interaction.suggested.map((one) => String(one["name"]));
    },
    async menu(said, name) {
      const channel = state.channelFor(said.channel);
      const message = state.find(said.channel, said.id);
      if (message === undefined || message.isDeleted) throw new Error(`the message ${said.id} is not there`);
      const found = known(3, name, channel);
      // With its words, whatever the bot may read else.
      const target = messageJson(state, message, { bot: platform.bot, hasContent: true });
      const resolved = { messages: { [message.id]: target } };
      return interact(channel, 2, { id: found["id"], name, type: 3, target_id: message.id, resolved });
    },
  };
}

function textIn({ value }: JsonObject): string {
  return typeof value === "string" ? value : "";
}
