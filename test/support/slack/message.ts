// What the local Slack keeps of a message, of a channel and of the people in it.

export type JsonObject = { readonly [key: string]: unknown };

/** One state of a message and the moment at which it began to be so. */
export interface Version {
  readonly kind: "posted" | "edited" | "deleted";
  /** Milliseconds since the start of the process, as `performance.now()` counts. */
  readonly atMs: number;
  /** As a person would read it. */
  readonly text: string;
}

export interface MessageMetadata {
  readonly event_type: string;
  readonly event_payload: JsonObject;
}

export interface Stream {
  state: "in_progress" | "completed";
  /** Since 1970. */
  readonly sinceMs: number;
  /** All that was sent for it. */
  bytes: number;
  isStoppedByUser?: true;
}

export interface StoredMessage {
  readonly channel: string;
  readonly ts: string;
  /** The root's ts, on replies only. */
  threadTs: string | undefined;
  user: string;
  readonly botId?: string;
  readonly appId?: string;
  subtype: string | undefined;
  text: string;
  blocks: readonly JsonObject[] | undefined;
  attachments: readonly JsonObject[] | undefined;
  files: readonly JsonObject[] | undefined;
  metadata: MessageMetadata | undefined;
  edited: { readonly user: string; readonly ts: string } | undefined;
  /** Also shown in the channel. */
  readonly isBroadcast: boolean;
  readonly clientMsgId?: string;
  /** Emoji name to the people who set it. */
  readonly reactions: Map<string, Set<string>>;
  readonly versions: Version[];
  /** Of a message that was streamed. */
  stream?: Stream;
  /** A deleted root that still has replies leaves a tombstone; everything else that is deleted is gone. */
  state: "shown" | "tombstone" | "gone";
}

/** A message, whoever has it from wherever. */
export interface MessageRef {
  readonly channel: string;
  readonly ts: string;
}

/** Only one person sees it, and it is in no history. */
export interface EphemeralMessage {
  readonly channel: string;
  readonly ts: string;
  readonly threadTs: string | undefined;
  readonly to: string;
  text: string;
  blocks: readonly JsonObject[] | undefined;
  isGone: boolean;
}

export type ChannelKind = "public" | "private" | "im" | "mpim";

export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly kind: ChannelKind;
  readonly members: Set<string>;
  /** A Slack Connect channel: people of other workspaces may be in it. */
  readonly isShared: boolean;
  isArchived: boolean;
}

export interface Profile {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly teamId: string;
  readonly kind: "person" | "bot" | "system";
  readonly role: "member" | "admin" | "owner" | "guest" | "single-channel guest";
  /** Somebody took the account away. */
  isDeactivated?: true;
}

/** The inner `channel_type` of message events. */
export const channelTypeOf = { public: "channel", private: "group", im: "im", mpim: "mpim" } as const;
