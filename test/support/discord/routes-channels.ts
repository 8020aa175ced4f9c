// Channels and threads over REST: start a thread from a message, look it up, archive it, name it anew.
import { ApiError, channelOf, messageOf, need, wrongForm, type Call, type Route } from "./call.ts";
import { CHANNEL_TYPES, FLAGS, MANAGE_GUILD, type JsonObject } from "./model.ts";
import { beginThread, channelEvent, messageEvent, type Platform } from "./platform.ts";
import { readWords } from "./routes-messages.ts";
import { channelJson, memberJson, messageJson, userJson } from "./wire.ts";

const MOST_ACTIVE = 1_000;
const DURATIONS: ReadonlySet<unknown> = new Set([60, 1440, 4320, 10_080]);

function checkName(name: unknown): string {
  const text = typeof name === "string" ? name.trim() : "";
  if (text.length === 0 || text.length > 100)
    throw wrongForm("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.");
  return text;
}

function startFromMessage(call: Call, platform: Platform): JsonObject {
  const { state, bot } = platform;
  const channel = channelOf(call, platform);
  need(platform, channel, "CreatePublicThreads");
  if (channel.type !== CHANNEL_TYPES.text && channel.type !== CHANNEL_TYPES.announcement)
    throw new ApiError(400, 50024, "Cannot execute action on this channel type");
  const message = messageOf(call, platform, channel);
  if (message.hasThread)
    throw new ApiError(400, 160004, "A thread has already been created for this message");
  const name = checkName(call.body["name"]);
  const minutes = call.body["auto_archive_duration"];
  if (minutes !== undefined && !DURATIONS.has(minutes))
    throw wrongForm("auto_archive_duration", "BASE_TYPE_CHOICES", "One of 60, 1440, 4320, 10080.");
  if (channel.guild !== undefined && state.threadsOf(channel.guild, "active").length >= MOST_ACTIVE)
    throw new ApiError(400, 160006, "Maximum number of active threads reached");
  const thread = beginThread(platform, channel, message, {
    name,
    owner: bot.id,
    ...(typeof minutes === "number" ? { minutes } : {}),
  });
  return channelJson(thread);
}

/** A post of a forum, with its first message, whose id is the thread's. Discord knows no nonce here. */
function publish(call: Call, platform: Platform): JsonObject {
  const { state, bot } = platform;
  const forum = channelOf(call, platform);
  if (forum.type !== CHANNEL_TYPES.forum)
    throw new ApiError(400, 50024, "Cannot execute action on this channel type");
  need(platform, forum, "SendMessages");
  const name = checkName(call.body["name"]);
  const message = call.body["message"] as JsonObject | undefined;
  if (message === undefined) throw wrongForm("message", "BASE_TYPE_REQUIRED", "This field is required");
  const { content, components } = readWords("a post of a forum", message, platform);
  if (content === "" && components.length === 0)
    throw new ApiError(400, 50006, "Cannot send an empty message");
  const thread = state.startThread(forum, { name, owner: bot.id });
  channelEvent(platform, "THREAD_CREATE", thread, { newly_created: true });
  const flags = Number(message["flags"] ?? 0) & FLAGS.suppressEmbeds;
  const first = state.post(thread, { id: thread.id, author: bot.id, content, components, flags });
  messageEvent(platform, "CREATE", first);
  return { ...channelJson(thread), message: messageJson(state, first, { bot, hasContent: true }) };
}

function change(call: Call, platform: Platform): JsonObject {
  const channel = channelOf(call, platform);
  need(platform, channel);
  const { thread } = channel;
  const { body } = call;
  const mayManage = platform.state.botMay(channel, "ManageThreads") || thread?.owner === platform.bot.id;
  if (thread?.isLocked === true && !platform.state.botMay(channel, "ManageThreads"))
    throw new ApiError(403, 160005, "This thread is locked");
  if (thread?.isArchived === true && body["archived"] !== false)
    throw new ApiError(400, 50083, "Thread is archived");
  const isOnlyReopening = Object.keys(body).every((key) => key === "archived") && body["archived"] === false;
  if (!isOnlyReopening && !mayManage) throw new ApiError(403, 50013, "Missing Permissions");
  if ("name" in body) {
    const waitS = platform.limits.takeRename(channel.id);
    if (waitS !== undefined)
      throw new ApiError(429, 20028, "The resource is being rate limited.", { retryAfterS: waitS });
    channel.name = checkName(body["name"]);
  }
  if (thread !== undefined) {
    if (typeof body["archived"] === "boolean") thread.isArchived = body["archived"];
    if (typeof body["locked"] === "boolean") thread.isLocked = body["locked"];
  }
  channelEvent(platform, thread === undefined ? "CHANNEL_UPDATE" : "THREAD_UPDATE", channel);
  return channelJson(channel);
}

export const channelRoutes: readonly Route[] = [
  { name: "POST /channels/:channel/messages/:message/threads", auth: "bot", run: startFromMessage },
  { name: "POST /channels/:channel/threads", auth: "bot", run: publish },
  {
    name: "GET /channels/:channel",
    auth: "bot",
    run(call, platform) {
      const channel = channelOf(call, platform);
      need(platform, channel);
      return channelJson(channel);
    },
  },
  { name: "PATCH /channels/:channel", auth: "bot", run: change },
  {
    name: "DELETE /channels/:channel",
    auth: "bot",
    run(call, platform) {
      const channel = channelOf(call, platform);
      // Whoever started a thread may not delete it for that.
      need(platform, channel, "ManageThreads");
      if (channel.thread === undefined) throw new ApiError(403, 50013, "Missing Permissions");
      channel.isDeleted = true;
      channelEvent(platform, "THREAD_DELETE", channel);
      return channelJson(channel);
    },
  },
  {
    name: "POST /channels/:channel/typing",
    auth: "bot",
    run(call, platform) {
      const channel = channelOf(call, platform);
      need(platform, channel);
      platform.state.types(channel, platform.bot.id);
      return undefined;
    },
  },
  {
    name: "GET /guilds/:guild/threads/active",
    auth: "bot",
    run({ params }, { state }) {
      const guild = state.guilds.get(params["guild"] ?? "");
      if (guild === undefined) throw new ApiError(404, 10004, "Unknown Guild");
      return { threads: state.threadsOf(guild, "active").map(channelJson), members: [] };
    },
  },
  {
    name: "GET /guilds/:guild/members/:user",
    auth: "bot",
    run({ params }, { state }) {
      const guild = state.guilds.get(params["guild"] ?? "");
      if (guild === undefined) throw new ApiError(404, 10004, "Unknown Guild");
      const profile = state.profiles.get(params["user"] ?? "");
      if (profile === undefined || !state.isMember(profile, guild))
        throw new ApiError(404, 10007, "Unknown Member");
      const { roles } = profile;
      const own = state.bitsOf(profile, guild) === 0n ? roles : [...roles, state.managersOf(guild)];
      return { ...memberJson(own), user: userJson(profile) };
    },
  },
  {
    name: "GET /guilds/:guild",
    auth: "bot",
    run({ params }, { state }) {
      const guild = state.guilds.get(params["guild"] ?? "");
      if (guild === undefined) throw new ApiError(404, 10004, "Unknown Guild");
      if (!guild.hasBot) throw new ApiError(403, 50001, "Missing Access");
      const roles = [
        { id: guild.id, name: "@everyone", permissions: "0" },
        { id: state.managersOf(guild), name: "Managers", permissions: String(MANAGE_GUILD) },
      ];
      return { id: guild.id, name: guild.name, owner_id: "1", roles };
    },
  },
  {
    name: "POST /users/@me/channels",
    auth: "bot",
    run({ body }, { state }) {
      const person = String(body["recipient_id"]);
      if (!state.profiles.has(person)) throw new ApiError(400, 50033, "Invalid Recipient(s)");
      return channelJson(state.direct(person));
    },
  },
];
