// agents.sessions.*, assistant.threads.* and reactions.*: what stands beside the messages.
import { Refusal, type ApiCall } from "./call.ts";
import { knownChannel } from "./reach.ts";
import type { JsonObject, StoredMessage } from "../message.ts";
import type { Platform } from "../platform.ts";
import type { SessionStatus } from "../agent-sessions.ts";

const statuses: readonly string[] = ["active", "processing", "suspended", "closed"] satisfies SessionStatus[];
export const isStatus = (text: string): text is SessionStatus => statuses.includes(text);

export function setSessionStatus(call: ApiCall, platform: Platform): JsonObject {
  const root = agentThread(call, platform);
  const status = call.required("status");
  if (!isStatus(status)) throw new Refusal("invalid_arguments", { field: "status" });
  const title = call.optional("title");
  if (title !== undefined && title.length > 200) throw new Refusal("invalid_arguments", { field: "title" });
  const session = platform.sessions.setStatus(root.channel, root.ts, status, title);
  return {
    agent_status: session.status,
    status: session.status,
    ...(session.title === undefined ? {} : { title: session.title }),
    ...(platform.app.botEvents.has("agent_session_stopped")
      ? {}
      : { warning: "missing_agent_session_stopped_event_subscription" }),
  };
}

export function renameSession(call: ApiCall, platform: Platform): JsonObject {
  const root = agentThread(call, platform);
  const session = platform.sessions.session(root.channel, root.ts);
  if (!session) throw new Refusal("not_authorized");
  const title = call.required("title");
  if (title.length > 200) throw new Refusal("invalid_arguments", { field: "title" });
  session.title = title.replaceAll(":", "_");
  return { title: session.title };
}

export function setThreadStatus(call: ApiCall, platform: Platform): JsonObject {
  const root = threadRoot(call, platform);
  if (!call.has("status")) throw new Refusal("invalid_arguments", { field: "status" });
  const messages = call.json("loading_messages", "invalid_arguments");
  if (Array.isArray(messages) && messages.length > 10) throw new Refusal("invalid_arguments");
  platform.sessions.setLine(root.channel, root.ts, call.optional("status") ?? "");
  return {};
}

export function setThreadTitle(call: ApiCall, platform: Platform): JsonObject {
  threadRoot(call, platform);
  call.required("title");
  return {};
}

export function setSuggestedPrompts(call: ApiCall, platform: Platform): JsonObject {
  knownChannel(call, platform, "channel_id");
  const prompts = call.json("prompts", "invalid_arguments");
  if (!Array.isArray(prompts) || prompts.length > 4)
    throw new Refusal("invalid_arguments", { field: "prompts" });
  return {};
}

export function addReaction(call: ApiCall, platform: Platform): JsonObject {
  const { channel, message, users, name } = reactionOf(call, platform);
  if (users.has(platform.app.botUserId)) throw new Refusal("already_reacted");
  message.reactions.set(name, users.add(platform.app.botUserId));
  platform.events.reacted("added", channel, message, name, platform.app.botUserId);
  return {};
}

export function removeReaction(call: ApiCall, platform: Platform): JsonObject {
  const { channel, message, users, name } = reactionOf(call, platform);
  if (!users.delete(platform.app.botUserId)) throw new Refusal("no_reaction");
  platform.events.reacted("removed", channel, message, name, platform.app.botUserId);
  return {};
}

function reactionOf(call: ApiCall, platform: Platform) {
  const channel = knownChannel(call, platform);
  if (channel.isArchived) throw new Refusal("is_archived");
  if (!channel.members.has(platform.app.botUserId)) throw new Refusal("not_in_channel");
  const message = platform.workspace.find(channel.id, call.required("timestamp", "no_item_specified"));
  if (!message || message.state === "gone") throw new Refusal("message_not_found");
  const name = call.required("name", "invalid_name");
  if (!/^[a-z0-9_+'-]+$/.test(name)) throw new Refusal("invalid_name");
  return { channel, message, name, users: message.reactions.get(name) ?? new Set<string>() };
}

function agentThread(call: ApiCall, platform: Platform): StoredMessage {
  if (!platform.app.isAgent) throw new Refusal("not_agent_app");
  return threadRoot(call, platform);
}

function threadRoot(call: ApiCall, platform: Platform): StoredMessage {
  const channel = knownChannel(call, platform, "channel_id");
  if (!channel.members.has(platform.app.botUserId)) throw new Refusal("not_in_channel");
  const root = platform.workspace.find(channel.id, call.required("thread_ts"));
  // A root that was deleted and has replies is still a thread.
  if (!root || root.state === "gone") throw new Refusal("thread_not_found");
  if (root.threadTs !== undefined) throw new Refusal("invalid_thread_ts");
  return root;
}
