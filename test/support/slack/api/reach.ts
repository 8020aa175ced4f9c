// Which conversation a call means, and whether the bot may write or read there.
import { Refusal, type ApiCall } from "./call.ts";
import type { Channel, StoredMessage } from "../message.ts";
import type { Platform } from "../platform.ts";

const readScope = { public: "channels", private: "groups", im: "im", mpim: "mpim" } as const;

/** A channel by id or name, or the direct messages with a person. Private ones that the bot is not in do not exist for it. */
export function knownChannel(call: ApiCall, platform: Platform, argument = "channel"): Channel {
  const { workspace, app } = platform;
  const asked = call.required(argument, "channel_not_found");
  const named = asked.replace(/^#/, "");
  let channel = workspace.channels.get(asked);
  channel ??= [...workspace.channels.values()].find(
    ({ name, kind }) => name === named && (kind === "public" || kind === "private"),
  );
  if (!channel && workspace.profiles.has(asked)) channel = workspace.direct([asked, app.botUserId]);
  if (!channel) throw new Refusal("channel_not_found");
  if (channel.kind !== "public" && !channel.members.has(app.botUserId))
    throw new Refusal("channel_not_found");
  return channel;
}

/** @throws {Refusal} `not_in_channel`, `is_archived` and what `knownChannel` throws. */
export function writableChannel(call: ApiCall, platform: Platform, argument = "channel"): Channel {
  const channel = knownChannel(call, platform, argument);
  if (channel.isArchived) throw new Refusal("is_archived");
  const { botUserId, scopes } = platform.app;
  if (!channel.members.has(botUserId) && !scopes.has("chat:write.public"))
    throw new Refusal("not_in_channel");
  return channel;
}

/** @param what `history` to read messages, `read` to read about the channel. */
export function readableChannel(call: ApiCall, platform: Platform, what: "history" | "read"): Channel {
  const channel = knownChannel(call, platform);
  const needed = `${readScope[channel.kind]}:${what}`;
  if (!platform.app.scopes.has(needed)) throw missingScope(needed, platform);
  if (what === "history" && !channel.members.has(platform.app.botUserId)) throw new Refusal("not_in_channel");
  return channel;
}

export function missingScope(needed: string, { app, complaints }: Platform): Refusal {
  complaints.add("scope", `a call needs ${needed}`);
  return new Refusal("missing_scope", { needed, provided: [...app.scopes].join(",") });
}

/** A message that the bot itself posted and that is still there. */
export function ownMessage(
  call: ApiCall,
  platform: Platform,
  refusal: string,
): { readonly channel: Channel; readonly message: StoredMessage } {
  const channel = knownChannel(call, platform);
  const message = platform.workspace.find(channel.id, call.required("ts", "message_not_found"));
  if (!message || message.state === "gone") throw new Refusal("message_not_found");
  if (message.botId !== platform.app.botId) throw new Refusal(refusal);
  if (channel.isArchived) throw new Refusal("is_archived");
  return { channel, message };
}

/** Whatever goes on in it, Slack ends a stream so long after it was begun. */
const streamLifeMs = 5 * 60_000;

/** Whether the message is streamed now. */
export function isStreamed({ stream }: StoredMessage, { nowMs }: Platform): boolean {
  if (stream?.state !== "in_progress") return false;
  if (nowMs() - stream.sinceMs >= streamLifeMs) stream.state = "completed";
  return stream.state === "in_progress";
}
