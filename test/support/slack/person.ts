// Somebody in the workspace: what they write, change, delete and press, as the events and interactions that Slack makes of it.
import type { EventOptions, Sent } from "./event-source.ts";
import type { StoredFile } from "./file-store.ts";
import { createInteractions, type Interactions } from "./interactions.ts";
import type { Channel, JsonObject, MessageRef, Profile, StoredMessage } from "./message.ts";
import type { Platform } from "./platform.ts";
import type { Delivery } from "./delivery.ts";
import { richTextOf, typedText } from "./wire-text.ts";

export interface Said extends MessageRef, Sent {
  /** The thread that it is in or begins. */
  readonly root: string;
}

export interface SayOptions extends EventOptions {
  /** Replies in the thread of this root. */
  readonly thread?: string | { readonly root: string };
  /** With `thread`: sends the reply to the channel as well. */
  readonly alsoToChannel?: boolean;
  readonly files?: readonly StoredFile[];
  readonly subtype?: string;
  /** Such as forwarded messages. */
  readonly attachments?: readonly JsonObject[];
  /** Instead of the rich text that the client makes of the words. */
  readonly blocks?: readonly JsonObject[];
  /** The same for a message that the client sends twice. */
  readonly clientMsgId?: string;
}

/** Who can write. People and other bots alike. */
export interface Writer {
  readonly id: string;
  readonly name: string;
  /** `<@U…>` */
  readonly mention: string;
  /** Sends words as they stand on the wire: `<@U…>` is a mention, `&lt;` a sign. Throws where the client would not let them. */
  say(channel: Channel | string, wireText: string, options?: SayOptions): Said;
  edit(message: MessageRef, wireText: string): Sent;
  delete(message: MessageRef): Sent;
}

export interface Person extends Writer, Interactions {
  readonly profile: Profile;
  /** Sends words as they are typed: the client escapes signs and makes `@name` a mention. */
  type(channel: Channel | string, typed: string, options?: SayOptions): Said;
  /** Writes to the bot directly. */
  dm(wireText: string, options?: SayOptions): Said;
  /** The direct messages with the bot. */
  readonly directChannel: Channel;
  react(message: MessageRef, name: string): Sent;
  unreact(message: MessageRef, name: string): Sent;
  /** Comes into the channel; a system message says so. */
  join(channel: Channel | string): Said;
}

export interface Identity {
  readonly botId?: string;
  readonly appId?: string;
}

export function createWriter(profile: Profile, platform: Platform, identity: Identity = {}): Writer {
  const { workspace, events } = platform;
  const own = (ref: MessageRef): { channel: Channel; message: StoredMessage } => {
    const message = workspace.find(ref.channel, ref.ts);
    if (!message || message.state !== "shown") throw new Error(`the message ${ref.ts} is not there`);
    if (message.user !== profile.id) throw new Error(`the message ${ref.ts} is not from ${profile.name}`);
    return { channel: workspace.channelFor(ref.channel), message };
  };
  return {
    id: profile.id,
    name: profile.name,
    mention: `<@${profile.id}>`,
    say(where, wireText, options = {}) {
      const channel = workspace.channelFor(where);
      if (channel.isArchived) throw new Error(`nobody can write in ${channel.name}: it is archived`);
      if (!channel.members.has(profile.id)) throw new Error(`${profile.name} is not in ${channel.name}`);
      const thread = typeof options.thread === "string" ? options.thread : options.thread?.root;
      const isBroadcast = thread !== undefined && options.alsoToChannel === true;
      const files = options.files ?? [];
      for (const file of files) file.channels.add(channel.id);
      const subtype =
        options.subtype ?? (files.length > 0 ? "file_share" : isBroadcast ? "thread_broadcast" : undefined);
      const isPerson = identity.botId === undefined;
      const message = workspace.post(channel, {
        ...identity,
        user: profile.id,
        text: wireText,
        threadTs: thread,
        subtype,
        isBroadcast,
        attachments: options.attachments,
        blocks: options.blocks ?? (isPerson && wireText !== "" ? [richTextOf(wireText)] : undefined),
        ...(files.length > 0 ? { files: files.map((file) => platform.files.stub(file)) } : {}),
        ...(isPerson ? { clientMsgId: options.clientMsgId ?? crypto.randomUUID() } : {}),
      });
      const { delivered } = events.posted(channel, message, options);
      return { channel: channel.id, ts: message.ts, root: thread ?? message.ts, delivered };
    },
    edit(ref, wireText) {
      const { channel, message } = own(ref);
      const edited = { user: profile.id, ts: workspace.nextTs() };
      const blocks = identity.botId === undefined ? [richTextOf(wireText)] : undefined;
      const before = workspace.change(message, { text: wireText, blocks, edited });
      return events.editedBy(channel, message, before);
    },
    delete(ref) {
      const { channel, message } = own(ref);
      const before = workspace.remove(message);
      return events.deleted(channel, message, before);
    },
  };
}

export function createPerson(profile: Profile, platform: Platform, delivery: Delivery): Person {
  const { workspace, events, app } = platform;
  const writer = createWriter(profile, platform);
  const idOf = (name: string): string | undefined =>
    [...workspace.profiles.values()].find((one) => one.name === name)?.id;
  const direct = (): Channel => workspace.direct([profile.id, app.botUserId]);
  const reaction = (kind: "added" | "removed", ref: MessageRef, name: string): Sent => {
    const channel = workspace.channelFor(ref.channel);
    const message = workspace.find(ref.channel, ref.ts);
    if (!message || message.state !== "shown") throw new Error(`the message ${ref.ts} is not there`);
    const users = message.reactions.get(name) ?? new Set();
    if (kind === "added") users.add(profile.id);
    else users.delete(profile.id);
    message.reactions.set(name, users);
    return events.reacted(kind, channel, message, name, profile.id);
  };
  return {
    ...writer,
    ...createInteractions(profile, platform, delivery),
    profile,
    type: (channel, typed, options) => writer.say(channel, typedText(typed, idOf), options),
    dm: (wireText, options) => writer.say(direct(), wireText, options),
    get directChannel() {
      return direct();
    },
    react: (ref, name) => reaction("added", ref, name),
    unreact: (ref, name) => reaction("removed", ref, name),
    join(where) {
      const channel = workspace.channelFor(where);
      channel.members.add(profile.id);
      return writer.say(channel, `<@${profile.id}> has joined the channel`, { subtype: "channel_join" });
    },
  };
}
