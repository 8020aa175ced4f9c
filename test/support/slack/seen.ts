// What a person has on the screen: the messages of a thread or a channel, from the state and from nothing else.
import type { Channel, EphemeralMessage, JsonObject, StoredMessage, Version } from "./message.ts";
import { controlsOf, readable, type SeenControl } from "./rendering.ts";
import type { Workspace } from "./workspace.ts";

export interface SeenMessage {
  readonly channel: string;
  readonly ts: string;
  /** The thread it stands in, or that it would begin. */
  readonly root: string;
  /** The author's name. */
  readonly author: string;
  readonly userId: string;
  readonly text: string;
  readonly controls: readonly SeenControl[];
  readonly isEdited: boolean;
  /** It has the look of something that is still written. */
  readonly isStreaming: boolean;
  /** Only this one person sees it. */
  readonly ephemeralTo: string | undefined;
  readonly files: readonly JsonObject[];
  readonly reactions: readonly string[];
  readonly blocks: readonly JsonObject[] | undefined;
  readonly metadata: StoredMessage["metadata"];
  readonly versions: readonly Version[];
}

export interface PastMessage extends SeenMessage {
  readonly state: StoredMessage["state"];
}

export interface LookOptions {
  /** Whose screen it is: their ephemeral messages are there too. */
  readonly as?: { readonly id: string };
}

/** The root and its replies. Of a deleted root only the tombstone is left, if there are replies. */
export function seenThread(
  workspace: Workspace,
  channel: Channel,
  root: string,
  { as }: LookOptions,
): SeenMessage[] {
  const found = workspace.find(channel.id, root);
  const shown = found === undefined || found.state === "gone" ? [] : [found];
  const replies = workspace.repliesTo({ channel: channel.id, ts: root });
  const whispers = whispersTo(workspace, channel, as, root);
  return inOrder([...[...shown, ...replies].map((one) => seen(workspace, one)), ...whispers]);
}

/** What stands in the channel itself. */
export function seenTop(workspace: Workspace, channel: Channel, { as }: LookOptions): SeenMessage[] {
  const top = workspace.topOf(channel.id).map((one) => seen(workspace, one));
  return inOrder([...top, ...whispersTo(workspace, channel, as, undefined)]);
}

/** Every message that was ever posted there, whatever became of it. */
export function everSeen(workspace: Workspace, channel: Channel): PastMessage[] {
  return workspace.everyIn(channel.id).map((one) => ({ ...seen(workspace, one), state: one.state }));
}

export function seen(workspace: Workspace, message: StoredMessage): SeenMessage {
  return {
    channel: message.channel,
    ts: message.ts,
    root: message.threadTs ?? message.ts,
    author: workspace.profiles.get(message.user)?.name ?? message.user,
    userId: message.user,
    text: readable(message),
    controls: controlsOf(message.blocks),
    isEdited: message.edited !== undefined,
    isStreaming: message.stream?.state === "in_progress",
    ephemeralTo: undefined,
    files: message.files ?? [],
    reactions: [...message.reactions].filter(([, users]) => users.size > 0).map(([name]) => name),
    blocks: message.blocks,
    metadata: message.metadata,
    versions: message.versions,
  };
}

function whispersTo(
  workspace: Workspace,
  channel: Channel,
  as: LookOptions["as"],
  root: string | undefined,
): SeenMessage[] {
  return workspace.ephemerals
    .filter((one) => one.channel === channel.id && one.to === as?.id && one.threadTs === root && !one.isGone)
    .map(seenWhisper);
}

function seenWhisper(message: EphemeralMessage): SeenMessage {
  return {
    channel: message.channel,
    ts: message.ts,
    root: message.threadTs ?? message.ts,
    author: "the app, only visible to you",
    userId: "",
    text: readable({ ...message, attachments: undefined }),
    controls: controlsOf(message.blocks),
    isEdited: false,
    isStreaming: false,
    ephemeralTo: message.to,
    files: [],
    reactions: [],
    blocks: message.blocks,
    metadata: undefined,
    versions: [],
  };
}

function inOrder(messages: SeenMessage[]): SeenMessage[] {
  return messages.sort((a, b) => (a.ts < b.ts ? -1 : 1));
}
