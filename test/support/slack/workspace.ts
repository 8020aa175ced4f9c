// The state of the local Slack's one workspace: channels, people, messages. It knows the rules of threads (what a deleted
// root does, what is shown in the channel), and nothing of HTTP, tokens or events.
import type {
  Channel,
  ChannelKind,
  EphemeralMessage,
  JsonObject,
  Profile,
  StoredMessage,
} from "./message.ts";
import { readable } from "./rendering.ts";

export interface NewMessage {
  readonly user: string;
  readonly text: string;
  readonly threadTs?: string | undefined;
  readonly botId?: string;
  readonly appId?: string;
  readonly subtype?: string | undefined;
  readonly blocks?: readonly JsonObject[] | undefined;
  readonly attachments?: readonly JsonObject[] | undefined;
  readonly files?: readonly JsonObject[] | undefined;
  readonly metadata?: StoredMessage["metadata"];
  readonly isBroadcast?: boolean;
  readonly clientMsgId?: string;
}

export type MessageChange = Partial<
  Pick<StoredMessage, "text" | "blocks" | "attachments" | "metadata" | "edited">
>;

/** Seconds and microseconds, as Slack writes them; never twice the same. */
export type NextTs = () => string;

export function createTsSource(nowMs: () => number): NextTs {
  let last = 0;
  return () => {
    last = Math.max(last + 1, Math.floor(nowMs() * 1000));
    const digits = String(last).padStart(16, "0");
    return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
  };
}

export function createIdSource(): (prefix: string) => string {
  let counter = 0;
  return (prefix) => `${prefix}0${(++counter).toString(36).toUpperCase().padStart(9, "0")}`;
}

const prefixOf: Record<ChannelKind, string> = { public: "C", private: "C", im: "D", mpim: "C" };

export class Workspace {
  readonly teamId: string;
  readonly channels = new Map<string, Channel>();
  readonly profiles = new Map<string, Profile>();
  readonly ephemerals: EphemeralMessage[] = [];
  readonly nextTs: NextTs;
  /** By channel, then by ts, in the order in which they were posted. */
  readonly #messages = new Map<string, Map<string, StoredMessage>>();
  /** By channel and root. */
  readonly #replies = new Map<string, StoredMessage[]>();
  /** An id of Slack's form, such as `U0000000A3`; of all workspaces none is twice. */
  readonly newId: (prefix: string) => string;

  constructor(teamId: string, nextTs: NextTs, newId = createIdSource()) {
    this.teamId = teamId;
    this.nextTs = nextTs;
    this.newId = newId;
  }

  addProfile(profile: Omit<Profile, "id"> & { readonly id?: string }): Profile {
    const whole = { ...profile, id: profile.id ?? this.newId("U") };
    this.profiles.set(whole.id, whole);
    return whole;
  }

  deactivate(id: string): void {
    const profile = this.profiles.get(id);
    if (profile !== undefined) profile.isDeactivated = true;
  }

  addChannel(name: string, kind: ChannelKind, members: Iterable<string>, isShared: boolean): Channel {
    const channel: Channel = {
      id: this.newId(prefixOf[kind]),
      name,
      kind,
      members: new Set(members),
      isShared,
      isArchived: false,
    };
    this.channels.set(channel.id, channel);
    return channel;
  }

  /** By itself, its id or its name. Throws when there is none. */
  channelFor(channel: Channel | string): Channel {
    if (typeof channel !== "string") return channel;
    const name = channel.replace(/^#/, "");
    const found = this.channels.get(channel) ?? [...this.channels.values()].find((one) => one.name === name);
    if (!found) throw new Error(`there is no channel ${channel}`);
    return found;
  }

  /** The conversation of exactly these members; made when there is none. */
  direct(members: readonly string[]): Channel {
    const wanted = new Set(members);
    for (const channel of this.channels.values()) {
      if (channel.kind !== "im" && channel.kind !== "mpim") continue;
      if (channel.members.size === wanted.size && channel.members.isSubsetOf(wanted)) return channel;
    }
    const kind = wanted.size > 2 ? "mpim" : "im";
    const names = [...wanted].map((id) => this.profiles.get(id)?.name ?? id);
    return this.addChannel(
      kind === "mpim" ? `mpdm-${names.join("--")}-1` : "directmessage",
      kind,
      wanted,
      false,
    );
  }

  post(channel: Channel, message: NewMessage): StoredMessage {
    const stored: StoredMessage = {
      channel: channel.id,
      ts: this.nextTs(),
      threadTs: message.threadTs,
      user: message.user,
      ...(message.botId === undefined ? {} : { botId: message.botId }),
      ...(message.appId === undefined ? {} : { appId: message.appId }),
      ...(message.clientMsgId === undefined ? {} : { clientMsgId: message.clientMsgId }),
      subtype: message.subtype,
      text: message.text,
      blocks: message.blocks,
      attachments: message.attachments,
      files: message.files,
      metadata: message.metadata,
      edited: undefined,
      isBroadcast: message.isBroadcast ?? false,
      reactions: new Map(),
      versions: [],
      state: "shown",
    };
    note(stored, "posted");
    const all = this.#messages.get(channel.id) ?? new Map<string, StoredMessage>();
    this.#messages.set(channel.id, all.set(stored.ts, stored));
    if (stored.threadTs !== undefined) {
      const key = `${channel.id} ${stored.threadTs}`;
      this.#replies.set(key, [...(this.#replies.get(key) ?? []), stored]);
    }
    return stored;
  }

  /** @returns the message as it was. */
  change(message: StoredMessage, change: MessageChange): StoredMessage {
    const before = { ...message };
    Object.assign(message, change);
    note(message, "edited");
    return before;
  }

  /** @returns the message as it was. A root with replies stays as a tombstone. */
  remove(message: StoredMessage): StoredMessage {
    const before = { ...message };
    const hasReplies = message.threadTs === undefined && this.repliesTo(message).length > 0;
    if (message.state === "shown") note(message, "deleted");
    if (!hasReplies) {
      message.state = "gone";
      return before;
    }
    message.state = "tombstone";
    message.subtype = "tombstone";
    message.user = "USLACKBOT";
    message.text = "This message was deleted.";
    message.blocks = undefined;
    message.attachments = undefined;
    message.edited = undefined;
    message.files = undefined;
    message.metadata = undefined;
    return before;
  }

  /** Deleted ones too. */
  everyIn(channelId: string): readonly StoredMessage[] {
    return [...(this.#messages.get(channelId)?.values() ?? [])];
  }

  /** Whatever its state. */
  find(channelId: string, ts: string): StoredMessage | undefined {
    return this.#messages.get(channelId)?.get(ts);
  }

  repliesTo(root: Pick<StoredMessage, "channel" | "ts">): readonly StoredMessage[] {
    const replies = this.#replies.get(`${root.channel} ${root.ts}`) ?? [];
    return replies.filter((message) => message.state !== "gone");
  }

  /** What stands in the channel itself: roots, and replies that were sent to the channel as well. */
  topOf(channelId: string): readonly StoredMessage[] {
    return this.everyIn(channelId).filter(
      (message) => (message.threadTs === undefined || message.isBroadcast) && message.state !== "gone",
    );
  }
}

function note(message: StoredMessage, kind: "posted" | "edited" | "deleted"): void {
  message.versions.push({ kind, atMs: performance.now(), text: kind === "deleted" ? "" : readable(message) });
}
