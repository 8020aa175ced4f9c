// The state of the local Discord: who may do what where, and what stands there. It knows nothing of HTTP and of the gateway.
import {
  CHANNEL_TYPES,
  MANAGE_GUILD,
  PERMISSIONS,
  type Channel,
  type Guild,
  type JsonObject,
  type Permission,
  type Profile,
  type StoredMessage,
} from "./model.ts";
import { createSnowflakes, type NewSnowflake, type Snowflakes } from "./snowflake.ts";

export interface NewMessage {
  readonly author: string;
  readonly content: string;
  /** Default an id of now. */
  readonly id?: string;
  readonly type?: number;
  readonly flags?: number;
  readonly components?: readonly JsonObject[];
  readonly attachments?: readonly JsonObject[];
  readonly nonce?: string | number;
  readonly webhook?: string;
  readonly reference?: JsonObject;
  readonly snapshots?: readonly JsonObject[];
}

const TYPING_MS = 10_000;

export class DiscordState {
  readonly newId: NewSnowflake;
  readonly newMoment: Snowflakes["newMoment"];
  readonly nowMs: () => number;
  /** Who is in no server any more. */
  readonly left = new Set<string>();
  /** Who is not in a server, and who manages one, as `server person`; others are in all, and manage what moderators do. */
  readonly absent = new Set<string>();
  readonly managers = new Set<string>();
  readonly profiles = new Map<string, Profile>();
  /** Of the files that the bot has sent, by their ids. */
  readonly texts = new Map<string, string>();
  readonly guilds = new Map<string, Guild>();
  readonly channels = new Map<string, Channel>();
  /** Until when somebody types, by channel and person. */
  readonly #typing = new Map<string, number>();
  readonly #messages = new Map<string, Map<string, StoredMessage>>();

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
    const { newId, newMoment } = createSnowflakes(nowMs);
    this.newId = newId;
    this.newMoment = newMoment;
  }

  addProfile(
    name: string,
    kind: Profile["kind"],
    { isModerator = false, roles = [] }: Partial<Pick<Profile, "isModerator" | "roles">> = {},
  ): Profile {
    const profile = { id: this.newId(), name, kind, isModerator, roles };
    this.profiles.set(profile.id, profile);
    return profile;
  }

  addGuild(name: string, permissions: readonly Permission[]): Guild {
    const id = this.newId();
    const guild: Guild = {
      id,
      name,
      botRole: this.newId(),
      botPermissions: new Set(permissions),
      hasBot: true,
      joinedAtMs: this.newMoment(),
      isAway: false,
    };
    this.guilds.set(id, guild);
    return guild;
  }

  /** One that the bot is not in, and hears nothing of. */
  addStrangeGuild(name: string): Guild {
    const nowhere = { botPermissions: new Set<Permission>(), hasBot: false, joinedAtMs: 0, isAway: false };
    return { id: this.newId(), name, botRole: this.newId(), ...nowhere };
  }

  addChannel(channel: Pick<Channel, "type" | "name"> & Partial<Channel>): Channel {
    const whole: Channel = {
      id: this.newId(),
      denied: new Set(),
      lastMessage: undefined,
      isDeleted: false,
      ...channel,
    };
    this.channels.set(whole.id, whole);
    return whole;
  }

  startThread(
    parent: Channel,
    options: { id?: string; name: string; owner: string; minutes?: number },
  ): Channel {
    return this.addChannel({
      ...(options.id === undefined ? {} : { id: options.id }),
      type:
        parent.type === CHANNEL_TYPES.announcement ? CHANNEL_TYPES.announcementThread : CHANNEL_TYPES.thread,
      name: options.name,
      parent: parent.id,
      ...(parent.guild === undefined ? {} : { guild: parent.guild }),
      thread: {
        owner: options.owner,
        createdAtMs: this.nowMs(),
        isArchived: false,
        isLocked: false,
        autoArchiveMinutes: options.minutes ?? 4320,
      },
    });
  }

  /** By itself, its id or its name. Throws when there is none. */
  channelFor(channel: Channel | string): Channel {
    if (typeof channel !== "string") return channel;
    const found =
      this.channels.get(channel) ?? [...this.channels.values()].find(({ name }) => name === channel);
    if (found === undefined) throw new Error(`there is no channel ${channel}`);
    return found;
  }

  direct(person: string): Channel {
    const found = [...this.channels.values()].find(({ recipient }) => recipient === person);
    return found ?? this.addChannel({ type: CHANNEL_TYPES.dm, name: "direct", recipient: person });
  }

  threadsOf(guild: Guild, which: "active" | "all"): readonly Channel[] {
    return [...this.channels.values()].filter(
      (channel) =>
        channel.guild === guild &&
        channel.thread !== undefined &&
        !channel.isDeleted &&
        (which === "all" || !channel.thread.isArchived),
    );
  }

  /** The bot's. */
  presentGuilds(): readonly Guild[] {
    return [...this.guilds.values()].filter(({ hasBot }) => hasBot);
  }

  isMember({ id }: Profile, guild: Guild): boolean {
    return !this.left.has(id) && !this.absent.has(`${guild.id} ${id}`);
  }

  guildsOf(profile: Profile): readonly Guild[] {
    return [...this.guilds.values()].filter((guild) => this.isMember(profile, guild));
  }

  /** What a person may do in the whole server. */
  bitsOf({ id, isModerator }: Profile, guild: Guild): bigint {
    return isModerator || this.managers.has(`${guild.id} ${id}`) ? MANAGE_GUILD : 0n;
  }

  /** The role of those who manage a server. */
  managersOf(guild: Guild): string {
    return String(BigInt(guild.id) + 1n);
  }

  botMay(channel: Channel, permission: Permission): boolean {
    const { guild } = channel;
    // In a direct conversation everything is allowed that there is.
    if (guild === undefined) return true;
    if (!guild.hasBot || guild.isAway) return false;
    const parent = channel.parent === undefined ? undefined : this.channels.get(channel.parent);
    const denied = [channel, ...(parent === undefined ? [] : [parent])];
    return guild.botPermissions.has(permission) && !denied.some((place) => place.denied.has(permission));
  }

  botBits(guild: Guild): string {
    return String([...guild.botPermissions].reduce((bits, name) => bits | PERMISSIONS[name], 0n));
  }

  /** Somebody types: seen for ten seconds, or until they have written. */
  types(channel: Channel, who: string): void {
    this.#typing.set(`${channel.id} ${who}`, this.nowMs() + TYPING_MS);
  }

  isTyping(channel: string, who: string): boolean {
    return (this.#typing.get(`${channel} ${who}`) ?? 0) > this.nowMs();
  }

  post(channel: Channel, message: NewMessage): StoredMessage {
    const stored: StoredMessage = {
      type: 0,
      attachments: [],
      ...message,
      id: message.id ?? this.newId(),
      channel: channel.id,
      components: message.components ?? [],
      flags: message.flags ?? 0,
      embeds: [],
      editedAtMs: undefined,
      isDeleted: false,
      reactions: new Map(),
      hasThread: false,
      versions: [],
    };
    const all = this.#messages.get(channel.id) ?? new Map<string, StoredMessage>();
    this.#messages.set(channel.id, all.set(stored.id, stored));
    channel.lastMessage = stored.id;
    this.#typing.delete(`${channel.id} ${stored.author}`);
    note(stored, "posted");
    return stored;
  }

  change(
    message: StoredMessage,
    change: Partial<Pick<StoredMessage, "content" | "components" | "flags">>,
  ): void {
    Object.assign(message, change);
    message.editedAtMs = Math.max(this.nowMs(), (message.editedAtMs ?? 0) + 1);
    note(message, "edited");
  }

  remove(message: StoredMessage): void {
    message.isDeleted = true;
    note(message, "deleted");
  }

  /** Whatever became of it. */
  find(channel: string, id: string): StoredMessage | undefined {
    return this.#messages.get(channel)?.get(id);
  }

  /** Deleted ones too, in the order in which they were posted. */
  everyIn(channel: string): readonly StoredMessage[] {
    return [...(this.#messages.get(channel)?.values() ?? [])];
  }

  shownIn(channel: string): readonly StoredMessage[] {
    return this.everyIn(channel).filter(({ isDeleted }) => !isDeleted);
  }
}

function note(message: StoredMessage, kind: "posted" | "edited" | "deleted"): void {
  message.versions.push({ kind, atMs: performance.now(), text: kind === "deleted" ? "" : message.content });
}
