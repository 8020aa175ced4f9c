// chat.*: posts, edits, deletions, whispers.
import { Refusal, type ApiCall } from "./call.ts";
import { readContent, type Content } from "./content.ts";
import { isStreamed, ownMessage, writableChannel } from "./reach.ts";
import type { Channel, JsonObject, StoredMessage } from "../message.ts";
import type { Platform } from "../platform.ts";

/** Messages of the system that cannot hold a thread. */
const noThread = new Set([
  "channel_join",
  "channel_leave",
  "channel_topic",
  "channel_purpose",
  "channel_name",
]);

export function postMessage(call: ApiCall, platform: Platform): JsonObject {
  const { workspace, complaints, sessions, events } = platform;
  const channel = writableChannel(call, platform);
  const content = readContent(call, platform, "post");
  const root = threadOf(call, platform, channel);
  complaints.aboutPace("posts", channel.id);
  const where = `chat.postMessage in ${channel.name}`;
  for (const flag of ["unfurl_links", "unfurl_media"]) {
    if (!call.has(flag) || call.flag(flag)) complaints.add("unfurl", `${where} does not switch ${flag} off`);
  }
  if (call.optional("parse") === "full" || call.flag("link_names")) {
    complaints.add("ping", `${where} lets Slack look for names`);
  }
  const message = workspace.post(channel, {
    ...author(platform),
    ...withoutNothing(content),
    text: content.text ?? "",
    threadTs: root?.ts,
    isBroadcast: root !== undefined && call.flag("reply_broadcast"),
    ...(root !== undefined && call.flag("reply_broadcast") ? { subtype: "thread_broadcast" } : {}),
  });
  complaints.aboutWords(where, message);
  if (root) sessions.clearAfterPost(channel.id, root.ts);
  events.posted(channel, message);
  return {
    channel: channel.id,
    ts: message.ts,
    message: events.shape(message),
    ...(content.warning === undefined ? {} : { warning: content.warning }),
  };
}

/**
 * The root that a post belongs to. A root that was deleted is no error: Slack takes the post and puts it into the channel.
 * @throws {Refusal} for a thread that never was, or that cannot be.
 */
export function threadOf(call: ApiCall, platform: Platform, channel: Channel): StoredMessage | undefined {
  const asked = call.optional("thread_ts");
  if (asked === undefined) return undefined;
  if (!/^\d{1,11}\.\d{6}$/.test(asked)) throw new Refusal("invalid_thread_ts");
  const found = platform.workspace.find(channel.id, asked);
  if (!found) throw new Refusal("thread_not_found");
  if (noThread.has(found.subtype ?? "")) throw new Refusal("cannot_reply_to_message");
  if (found.state !== "shown") return undefined;
  if (found.threadTs === undefined) return found;
  platform.complaints.add("thread", `chat.postMessage in ${channel.name} replies to a reply`);
  return platform.workspace.find(channel.id, found.threadTs);
}

export function update(call: ApiCall, platform: Platform): JsonObject {
  const { workspace, complaints, events, app } = platform;
  const { channel, message } = ownMessage(call, platform, "cant_update_message");
  if (isStreamed(message, platform)) throw new Refusal("streaming_state_conflict");
  const content = readContent(call, platform, "edit");
  complaints.aboutPace("edits", `${channel.name} ${message.ts}`);
  // Text without blocks takes the blocks away and shows as edited; an edit with blocks does not.
  const edited =
    content.blocks === undefined ? { user: app.botUserId, ts: workspace.nextTs() } : message.edited;
  const before = workspace.change(message, {
    text: content.text ?? "",
    blocks: content.blocks,
    attachments: content.attachments ?? (content.blocks === undefined ? undefined : message.attachments),
    metadata: content.metadata ?? message.metadata,
    edited,
  });
  complaints.aboutWords(`chat.update in ${channel.name}`, message);
  events.changed(channel, message, before);
  return { channel: channel.id, ts: message.ts, text: message.text, message: events.shape(message) };
}

export function remove(call: ApiCall, platform: Platform): JsonObject {
  const { channel, message } = ownMessage(call, platform, "cant_delete_message");
  if (message.state === "tombstone") throw new Refusal("message_not_found");
  const before = platform.workspace.remove(message);
  platform.events.deleted(channel, message, before);
  return { channel: channel.id, ts: message.ts };
}

export function postEphemeral(call: ApiCall, platform: Platform): JsonObject {
  const { workspace, complaints } = platform;
  const channel = writableChannel(call, platform);
  const to = call.required("user");
  if (!channel.members.has(to)) throw new Refusal("user_not_in_channel");
  const content = readContent(call, platform, "post");
  const root = threadOf(call, platform, channel);
  const ephemeral = {
    channel: channel.id,
    ts: workspace.nextTs(),
    threadTs: root?.ts,
    to,
    text: content.text ?? "",
    blocks: content.blocks,
    isGone: false,
  };
  workspace.ephemerals.push(ephemeral);
  complaints.aboutWords(`chat.postEphemeral in ${channel.name}`, { ...ephemeral, attachments: undefined });
  return { message_ts: ephemeral.ts };
}

export function getPermalink(call: ApiCall, platform: Platform): JsonObject {
  const channel = call.required("channel", "channel_not_found");
  const ts = call.required("message_ts", "message_not_found");
  const message = platform.workspace.find(channel, ts);
  if (!message || message.state === "gone") throw new Refusal("message_not_found");
  const thread = message.threadTs === undefined ? "" : `?thread_ts=${message.threadTs}&cid=${channel}`;
  return {
    channel,
    permalink: `https://local.slack.com/archives/${channel}/p${ts.replace(".", "")}${thread}`,
  };
}

export function author({ app }: Platform): { user: string; botId: string; appId: string } {
  return { user: app.botUserId, botId: app.botId, appId: app.appId };
}

function withoutNothing(content: Content): Omit<Content, "warning"> {
  const { text, blocks, attachments, metadata } = content;
  return { text, blocks, attachments, metadata };
}
