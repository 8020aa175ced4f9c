// What the local Discord is made of: people, guilds, channels, threads and messages, as they stand in its memory.

export type JsonObject = Readonly<Record<string, unknown>>;

export interface Profile {
  readonly id: string;
  readonly name: string;
  readonly kind: "person" | "bot";
  /** May write where a thread is locked, and manage the server. */
  readonly isModerator: boolean;
  /** In every server. */
  readonly roles: readonly string[];
}

export const CHANNEL_TYPES = {
  text: 0,
  dm: 1,
  voice: 2,
  announcement: 5,
  announcementThread: 10,
  thread: 11,
  forum: 15,
} as const;

/** What a bot may be allowed, with Discord's bits. */
export const PERMISSIONS = {
  AddReactions: 1n << 6n,
  ViewChannel: 1n << 10n,
  SendMessages: 1n << 11n,
  EmbedLinks: 1n << 14n,
  AttachFiles: 1n << 15n,
  ReadMessageHistory: 1n << 16n,
  ManageThreads: 1n << 34n,
  CreatePublicThreads: 1n << 35n,
  SendMessagesInThreads: 1n << 38n,
} as const;

/** May manage the server. */
export const MANAGE_GUILD = 1n << 5n;

export type Permission = keyof typeof PERMISSIONS;

export interface Guild {
  readonly id: string;
  readonly name: string;
  readonly botRole: string;
  /** Of the bot, in all channels. */
  botPermissions: Set<Permission>;
  /** Whether the bot is in it, and whether Discord itself can reach it. */
  hasBot: boolean;
  /** When the bot came there the last time. */
  joinedAtMs: number;
  isAway: boolean;
}

export interface ThreadState {
  readonly owner: string;
  readonly createdAtMs: number;
  isArchived: boolean;
  /** When that was last changed. */
  archivedAtMs?: number;
  isLocked: boolean;
  autoArchiveMinutes: number;
}

export interface Channel {
  readonly id: string;
  readonly type: number;
  name: string;
  /** Absent for direct messages. */
  readonly guild?: Guild;
  /** The channel that a thread hangs in. */
  readonly parent?: string;
  /** Who is in a direct conversation with the bot. */
  readonly recipient?: string;
  /** What the bot may not do here. */
  readonly denied: Set<Permission>;
  readonly thread?: ThreadState;
  lastMessage: string | undefined;
  isDeleted: boolean;
}

export interface Version {
  readonly kind: "posted" | "edited" | "deleted";
  /** As `performance.now()` counts. */
  readonly atMs: number;
  readonly text: string;
}

export interface StoredMessage {
  readonly id: string;
  readonly channel: string;
  readonly author: string;
  readonly type: number;
  content: string;
  flags: number;
  components: readonly JsonObject[];
  readonly attachments: readonly JsonObject[];
  readonly nonce?: string | number;
  readonly webhook?: string;
  readonly reference?: JsonObject;
  readonly snapshots?: readonly JsonObject[];
  editedAtMs: number | undefined;
  /** Whether a preview of a link was added by Discord. */
  embeds: readonly JsonObject[];
  isDeleted: boolean;
  /** Who has given which emoji, by how it is written. */
  readonly reactions: Map<string, Set<string>>;
  /** A thread was started from it. */
  hasThread: boolean;
  readonly versions: Version[];
}

/** 1 << 2: no previews; 1 << 5: a thread hangs below; 1 << 6: only one person sees it. */
export const FLAGS = { suppressEmbeds: 4, hasThread: 32, ephemeral: 64, snapshot: 1 << 14 } as const;
