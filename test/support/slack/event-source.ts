// What happens in the workspace, as the events that the app is subscribed to: the envelope around them, the two copies of a
// mention, and the shapes of edits and deletions.
import { hears, type AppIdentity } from "./app-identity.ts";
import type { Delivery, Outcome } from "./delivery.ts";
import { channelTypeOf, type Channel, type JsonObject, type StoredMessage } from "./message.ts";
import type { Workspace } from "./workspace.ts";
import { mentionsIn } from "./wire-text.ts";

export interface EventOptions {
  /** Which copy of a mention goes first. Default `message first`. */
  readonly order?: "message first" | "mention first";
  /** Only these copies are made. Default both. */
  readonly copies?: "both" | "only the message" | "only the mention";
  /** Changes the envelope, such as its `team_id` or `authorizations` for Slack Connect and org installs. */
  readonly envelope?: (envelope: JsonObject) => JsonObject;
}

/** What goes to the app, and how each event fares in the end: that may take minutes, and never rejects. */
export interface Sent {
  readonly delivered: Promise<readonly Outcome[]>;
}

export class EventSource {
  readonly #app: AppIdentity;
  readonly #workspace: Workspace;
  readonly #delivery: Delivery;
  readonly #nowMs: () => number;

  constructor(app: AppIdentity, workspace: Workspace, delivery: Delivery, nowMs: () => number) {
    this.#app = app;
    this.#workspace = workspace;
    this.#delivery = delivery;
    this.#nowMs = nowMs;
  }

  /** Nothing goes out when the app does not listen. `name` is the subscription's, such as `message.channels`. */
  emit(name: string, event: JsonObject, channel?: Channel, options: EventOptions = {}): Sent {
    if (!hears(this.#app, name)) return sent();
    const body = this.envelope({ event_ts: this.#workspace.nextTs(), ...event }, channel);
    return sent(this.#delivery.send({ kind: "event", body: options.envelope?.(body) ?? body }));
  }

  /** One outcome for each copy that goes to the app. */
  posted(channel: Channel, message: StoredMessage, options: EventOptions = {}): Sent {
    if (!this.#isThere(channel)) return sent();
    const { order = "message first", copies = "both" } = options;
    const sendMessage = (): Sent => {
      if (copies === "only the mention") return sent();
      const event = { ...this.shape(message), ...this.#place(channel), event_ts: message.ts };
      return this.emit(subscriptionOf(channel), event, channel, options);
    };
    const sendMention = (): Sent =>
      copies === "only the message" ? sent() : this.#mentioned(channel, message, message.ts, options);
    const first = order === "message first" ? sendMessage() : sendMention();
    const second = order === "message first" ? sendMention() : sendMessage();
    return both(first, second);
  }

  /** A person's edit of a message that mentions the bot is one more `app_mention`, with the old ts and a new event id. */
  editedBy(channel: Channel, message: StoredMessage, before: StoredMessage): Sent {
    const changed = this.changed(channel, message, before);
    const mentioned = this.#mentioned(channel, message, message.edited?.ts ?? message.ts, {});
    return both(changed, mentioned);
  }

  changed(channel: Channel, message: StoredMessage, before: StoredMessage): Sent {
    if (!this.#isThere(channel)) return sent();
    const event = {
      type: "message",
      subtype: "message_changed",
      message: { ...this.shape(message), source_team: this.#workspace.teamId },
      previous_message: this.shape(before),
      hidden: true,
      ts: this.#workspace.nextTs(),
      ...this.#place(channel),
    };
    return this.emit(subscriptionOf(channel), event, channel);
  }

  /** A root with replies is changed into a tombstone instead, which goes with the last of them. */
  deleted(channel: Channel, message: StoredMessage, before: StoredMessage): Sent {
    if (message.state === "tombstone") return this.changed(channel, message, before);
    if (!this.#isThere(channel)) return sent();
    const event = {
      type: "message",
      subtype: "message_deleted",
      previous_message: this.shape(before),
      deleted_ts: message.ts,
      hidden: true,
      ts: this.#workspace.nextTs(),
      ...this.#place(channel),
    };
    const own = this.emit(subscriptionOf(channel), event, channel);
    const root = message.threadTs && this.#workspace.find(channel.id, message.threadTs);
    const isLast = root && root.state === "tombstone" && this.#workspace.repliesTo(root).length === 0;
    if (!isLast) return own;
    const tombstone = this.deleted(channel, root, this.#workspace.remove(root));
    return both(own, tombstone);
  }

  reacted(
    kind: "added" | "removed",
    channel: Channel,
    message: StoredMessage,
    name: string,
    by: string,
  ): Sent {
    if (!this.#isThere(channel)) return sent();
    const item = { type: "message", channel: channel.id, ts: message.ts };
    const event = { type: `reaction_${kind}`, user: by, reaction: name, item, item_user: message.user };
    return this.emit(`reaction_${kind}`, event, channel);
  }

  /** A message as it stands in events and in history. */
  shape(message: StoredMessage): JsonObject {
    const { teamId } = this.#workspace;
    const team = this.#workspace.profiles.get(message.user)?.teamId ?? teamId;
    const root = message.threadTs;
    const rootUser = root && this.#workspace.find(message.channel, root)?.user;
    const isShared = this.#workspace.channels.get(message.channel)?.isShared === true;
    const optional: Record<string, unknown> = {
      subtype: message.subtype,
      client_msg_id: message.clientMsgId,
      thread_ts: root,
      parent_user_id: rootUser,
      bot_id: message.botId,
      app_id: message.appId,
      blocks: message.blocks,
      attachments: message.attachments,
      edited: message.edited,
      streaming_state: message.stream?.state,
      hidden: message.state === "tombstone" ? true : undefined,
      ...(message.files === undefined ? {} : { files: message.files, upload: false }),
      ...(isShared ? { user_team: team, source_team: team } : {}),
    };
    return {
      type: "message",
      user: message.user,
      text: message.text,
      ts: message.ts,
      team,
      ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    };
  }

  envelope(event: JsonObject, channel: Channel | undefined): JsonObject {
    const { teamId } = this.#workspace;
    const isShared = channel?.isShared === true;
    const { org } = this.#app;
    const enterprise = org?.id ?? null;
    return {
      token: "not-used",
      team_id: teamId,
      context_team_id: teamId,
      context_enterprise_id: enterprise,
      ...(org === undefined ? {} : { enterprise_id: org.id }),
      api_app_id: this.#app.appId,
      event,
      type: "event_callback",
      event_id: this.#workspace.newId("Ev"),
      event_time: Math.floor(this.#nowMs() / 1000),
      authorizations: [
        {
          enterprise_id: enterprise,
          team_id: teamId,
          user_id: this.#app.botUserId,
          is_bot: true,
          is_enterprise_install: org?.isWide === true,
        },
      ],
      is_ext_shared_channel: isShared,
      event_context: `4-${this.#workspace.newId("E")}`,
    };
  }

  /** Nothing where the bot is not mentioned, or cannot be. */
  #mentioned(channel: Channel, message: StoredMessage, eventTs: string, options: EventOptions): Sent {
    const isOwn = message.user === this.#app.botUserId;
    const isMention = mentionsIn(message.text).includes(this.#app.botUserId) && channel.kind !== "im";
    if (!isMention || isOwn || !this.#isThere(channel)) return sent();
    // This copy has no channel type, and of the teams only those that the other copy has in `user_team`.
    const { team, ...rest } = this.shape(message);
    const event = {
      ...rest,
      ...(channel.isShared ? {} : { team }),
      type: "app_mention",
      channel: channel.id,
      event_ts: eventTs,
    };
    return this.emit("app_mention", event, channel, options);
  }

  #isThere(channel: Channel): boolean {
    return channel.members.has(this.#app.botUserId);
  }

  #place(channel: Channel): JsonObject {
    return { channel: channel.id, channel_type: channelTypeOf[channel.kind] };
  }
}

function sent(...outcomes: readonly Promise<Outcome>[]): Sent {
  return { delivered: Promise.all(outcomes) };
}

function both(first: Sent, second: Sent): Sent {
  return { delivered: Promise.all([first.delivered, second.delivered]).then((outcomes) => outcomes.flat()) };
}

function subscriptionOf(channel: Channel): string {
  return { public: "message.channels", private: "message.groups", im: "message.im", mpim: "message.mpim" }[
    channel.kind
  ];
}
