// conversations.*: what was said, and where.
import { Refusal, type ApiCall } from "./call.ts";
import { knownChannel, missingScope, readableChannel } from "./reach.ts";
import type { Channel, JsonObject, StoredMessage } from "../message.ts";
import type { Platform } from "../platform.ts";

const typeOf = { public: "public_channel", private: "private_channel", im: "im", mpim: "mpim" };

function readScopeOf(type: string): string {
  const scope = {
    public_channel: "channels:read",
    private_channel: "groups:read",
    im: "im:read",
    mpim: "mpim:read",
  }[type];
  if (scope === undefined) throw new Refusal("invalid_types");
  return scope;
}

/** The root first, then its replies, oldest first; the root begins each page. */
export function replies(call: ApiCall, platform: Platform): JsonObject {
  const channel = readableChannel(call, platform, "history");
  const root = platform.workspace.find(channel.id, call.required("ts", "thread_not_found"));
  if (!root || root.state === "gone") throw new Refusal("thread_not_found");
  const below = platform.workspace.repliesTo(root).filter(isWithin(call));
  const { page, cursor } = pageOf(call, below, 1000, platform.longestPage);
  const messages = [root, ...page].map((message) => withDetails(call, platform, message));
  return { messages, has_more: cursor !== "", response_metadata: { next_cursor: cursor } };
}

/** Newest first, without the replies. */
export function history(call: ApiCall, platform: Platform): JsonObject {
  const channel = readableChannel(call, platform, "history");
  const top = platform.workspace.topOf(channel.id).filter(isWithin(call)).toReversed();
  const { page, cursor } = pageOf(call, top, 100, platform.longestPage);
  const messages = page.map((message) => withDetails(call, platform, message));
  return { messages, has_more: cursor !== "", pin_count: 0, response_metadata: { next_cursor: cursor } };
}

export function info(call: ApiCall, platform: Platform): JsonObject {
  return { channel: channelShape(readableChannel(call, platform, "read"), platform) };
}

export function list(call: ApiCall, platform: Platform): JsonObject {
  const types = (call.optional("types") ?? "public_channel").split(",");
  const { botUserId } = platform.app;
  const visible = [...platform.workspace.channels.values()].filter(
    ({ kind, members }) => types.includes(typeOf[kind]) && (kind === "public" || members.has(botUserId)),
  );
  const { page, cursor } = pageOf(call, visible, 100);
  const channels = page.map((channel) => channelShape(channel, platform));
  return { channels, response_metadata: { next_cursor: cursor } };
}

/** Those of somebody: public ones, and of the others those in which the bot is as well. */
export function ofUser(call: ApiCall, platform: Platform): JsonObject {
  const { app, workspace } = platform;
  const types = (call.optional("types") ?? "public_channel").split(",");
  const lacking = types.map(readScopeOf).filter((scope) => !app.scopes.has(scope));
  if (lacking.length > 0) throw missingScope(lacking.join(","), platform);
  // The token of a whole organisation says nothing of a workspace.
  if (app.org?.isWide === true) call.required("team_id", "missing_argument");
  const user = call.optional("user") ?? app.botUserId;
  if (!workspace.profiles.has(user)) throw new Refusal("user_not_found");
  const theirs = [...workspace.channels.values()].filter(
    ({ kind, members: all }) =>
      types.includes(typeOf[kind]) && all.has(user) && (kind === "public" || all.has(app.botUserId)),
  );
  const { page, cursor } = pageOf(call, theirs, 100);
  const channels = page.map((channel) => channelShape(channel, platform));
  return { channels, response_metadata: { next_cursor: cursor } };
}

export function members(call: ApiCall, platform: Platform): JsonObject {
  const channel = readableChannel(call, platform, "read");
  const { page, cursor } = pageOf(call, [...channel.members], 100);
  return { members: page, response_metadata: { next_cursor: cursor } };
}

export function open(call: ApiCall, platform: Platform): JsonObject {
  const { workspace, app } = platform;
  const users = call.optional("users")?.split(",");
  if (!users) return { channel: channelShape(knownChannel(call, platform), platform) };
  for (const user of users) if (!workspace.profiles.has(user)) throw new Refusal("user_not_found");
  const channel = workspace.direct([...users, app.botUserId]);
  return { channel: call.flag("return_im") ? channelShape(channel, platform) : { id: channel.id } };
}

function channelShape(channel: Channel, { app, workspace }: Platform): JsonObject {
  const { id, name, kind } = channel;
  const other = [...channel.members].find((member) => member !== app.botUserId);
  return {
    id,
    ...(kind === "im" ? { user: other } : { name, name_normalized: name }),
    is_channel: kind === "public",
    is_group: kind === "private",
    is_im: kind === "im",
    is_mpim: kind === "mpim",
    is_private: kind !== "public",
    is_archived: channel.isArchived,
    is_member: channel.members.has(app.botUserId),
    is_shared: channel.isShared,
    is_ext_shared: channel.isShared,
    context_team_id: workspace.teamId,
    num_members: channel.members.size,
  };
}

function withDetails(call: ApiCall, platform: Platform, message: StoredMessage): JsonObject {
  const below = message.threadTs === undefined ? platform.workspace.repliesTo(message) : [];
  const last = below.at(-1);
  return {
    ...platform.events.shape(message),
    ...(call.flag("include_all_metadata") && message.metadata ? { metadata: message.metadata } : {}),
    ...(message.reactions.size === 0
      ? {}
      : {
          reactions: [...message.reactions].map(([name, users]) => ({
            name,
            users: [...users],
            count: users.size,
          })),
        }),
    ...(last === undefined
      ? {}
      : {
          // A root says so of itself as soon as it has replies.
          thread_ts: message.ts,
          reply_count: below.length,
          reply_users: [...new Set(below.map(({ user }) => user))],
          latest_reply: last.ts,
        }),
  };
}

/** Borders are left out unless `inclusive` is said. ts are compared as strings: all have the same form. */
function isWithin(call: ApiCall): (message: StoredMessage) => boolean {
  const oldest = call.optional("oldest");
  const latest = call.optional("latest");
  const isInclusive = call.flag("inclusive");
  return ({ ts }) => {
    if (oldest !== undefined && (isInclusive ? ts < oldest : ts <= oldest)) return false;
    return latest === undefined || (isInclusive ? ts <= latest : ts < latest);
  };
}

function pageOf<T>(
  call: ApiCall,
  all: readonly T[],
  fallback: number,
  longest = 1000,
): { readonly page: readonly T[]; readonly cursor: string } {
  const asked = call.integer("limit", fallback);
  if (asked < 1 || asked > 1000) throw new Refusal("invalid_limit");
  const limit = Math.min(asked, longest);
  const from = call.optional("cursor");
  const start = from === undefined ? 0 : Number(Buffer.from(from, "base64url").toString().replace("at:", ""));
  if (!Number.isInteger(start) || start < 0) throw new Refusal("invalid_cursor");
  const end = start + limit;
  return {
    page: all.slice(start, end),
    cursor: end < all.length ? Buffer.from(`at:${end}`).toString("base64url") : "",
  };
}
