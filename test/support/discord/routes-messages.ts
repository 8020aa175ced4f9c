// Messages over REST: post, read, edit, delete, with Discord's limits and its nonces.
import { ApiError, channelOf, messageOf, need, wrongForm, type Call, type Route } from "./call.ts";
import { FLAGS, type Channel, type JsonObject, type StoredMessage } from "./model.ts";
import { deleteEvent, messageEvent, unarchive, type Platform } from "./platform.ts";
import { timeOfSnowflake } from "./snowflake.ts";
import { messageJson } from "./wire.ts";

const LONGEST = 2_000;
const LONGEST_NONCE = 25;
/** "The past few minutes". */
const NONCE_MS = 3 * 60_000;
const OLD_MS = 3_600_000;
const MOST_FILES = 10;
const LARGEST_FILE = 10 * 2 ** 20;
const MOST_ROWS = 5;
const MOST_BUTTONS = 5;

export function seenByBot(platform: Platform, message: StoredMessage): JsonObject {
  const { state, bot, gateway } = platform;
  return messageJson(state, message, { bot, hasContent: gateway.mayReadContent });
}

/** What is wrong with the words, and what they would do to people. */
export function readWords(
  where: string,
  body: JsonObject,
  platform: Platform,
): { readonly content: string; readonly components: readonly JsonObject[] } {
  const content = typeof body["content"] === "string" ? body["content"].trim() : "";
  if (content.length > LONGEST)
    throw wrongForm("content", "BASE_TYPE_MAX_LENGTH", `Must be ${LONGEST} or fewer in length.`);
  const components = Array.isArray(body["components"]) ? (body["components"] as readonly JsonObject[]) : [];
  checkComponents(components);
  platform.complaints.aboutWords(where, content, body["allowed_mentions"] as JsonObject | undefined);
  return { content, components };
}

function checkComponents(rows: readonly JsonObject[]): void {
  if (rows.length > MOST_ROWS)
    throw wrongForm("components", "BASE_TYPE_BAD_LENGTH", "Must be 1-5 in length.");
  for (const row of rows) {
    const buttons = Array.isArray(row["components"]) ? (row["components"] as readonly JsonObject[]) : [];
    if (row["type"] !== 1 || buttons.length === 0 || buttons.length > MOST_BUTTONS)
      throw wrongForm("components", "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "A row has one to five buttons.");
    for (const button of buttons) {
      const [label, id] = [textIn(button, "label"), textIn(button, "custom_id")];
      if (button["type"] !== 2 || label.length === 0 || label.length > 80)
        throw wrongForm("components", "BASE_TYPE_BAD_LENGTH", "A label has 1 to 80 characters.");
      if (id.length === 0 || id.length > 100)
        throw wrongForm("components", "BASE_TYPE_BAD_LENGTH", "A custom_id has 1 to 100 characters.");
    }
  }
  const ids = rows.flatMap((row) =>
    (row["components"] as readonly JsonObject[]).map((one) => one["custom_id"]),
  );
  if (new Set(ids).size < ids.length)
    throw wrongForm("components", "COMPONENT_CUSTOM_ID_DUPLICATED", "Custom ids have to differ.");
}

function textIn(fields: JsonObject, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

function mayWrite(channel: Channel, platform: Platform): void {
  if (channel.thread === undefined) {
    need(platform, channel, "SendMessages");
    return;
  }
  need(platform, channel, "SendMessagesInThreads");
  if (channel.thread.isLocked && !platform.state.botMay(channel, "ManageThreads"))
    throw new ApiError(403, 160005, "This thread is locked");
}

function create(call: Call, platform: Platform): JsonObject {
  const { state, bot } = platform;
  const channel = channelOf(call, platform);
  mayWrite(channel, platform);
  const { body, files } = call;
  const { content, components } = readWords("a post", body, platform);
  if (files.length > MOST_FILES) throw new ApiError(400, 30015, "Maximum number of attachments reached (10)");
  if (files.length > 0) need(platform, channel, "AttachFiles");
  if (files.some(({ size }) => size > LARGEST_FILE))
    throw new ApiError(413, 40005, "Request entity too large");
  if (content === "" && files.length === 0 && components.length === 0)
    throw new ApiError(400, 50006, "Cannot send an empty message");
  const nonce = body["nonce"] as string | number | undefined;
  if (String(nonce ?? "").length > LONGEST_NONCE)
    throw wrongForm("nonce", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.");
  if (body["enforce_nonce"] === true && nonce !== undefined) {
    const before = [...state.channels.keys()]
      .flatMap((id) => state.everyIn(id))
      .find((one) => one.author === bot.id && one.nonce === nonce && ageOf(one, platform) < NONCE_MS);
    if (before?.isDeleted === true) throw new ApiError(404, 10008, "Unknown Message");
    if (before !== undefined) return { ...seenByBot(platform, before), nonce };
  }
  unarchive(platform, channel);
  const message = state.post(channel, {
    author: bot.id,
    content,
    components,
    flags: Number(body["flags"] ?? 0) & (FLAGS.suppressEmbeds | (1 << 12)),
    attachments: files.map((file, index) => ({
      ...attachmentOf(file, platform),
      ...describedIn(body, index),
    })),
    ...(nonce === undefined ? {} : { nonce }),
  });
  messageEvent(platform, "CREATE", message);
  return { ...seenByBot(platform, message), ...(nonce === undefined ? {} : { nonce }) };
}

const LONGEST_DESCRIPTION = 1_024;

/** What a post says of its n-th file. */
function describedIn(body: JsonObject, index: number): JsonObject {
  const listed: unknown = body["attachments"];
  const entry: unknown = Array.isArray(listed)
    ? listed.find((one: unknown) => (one as JsonObject)["id"] === index)
    : undefined;
  const description = textIn((entry ?? {}) as JsonObject, "description");
  if (description.length > LONGEST_DESCRIPTION)
    throw wrongForm("description", "BASE_TYPE_MAX_LENGTH", "Must be 1024 or fewer in length.");
  return description === "" ? {} : { description };
}

function attachmentOf(file: File, { state, origin }: Platform): JsonObject {
  const id = state.newId();
  const url = `${origin}/attachments/${id}/${file.name}`;
  const attachment = {
    id,
    filename: file.name,
    size: file.size,
    url,
    proxy_url: url,
    content_type: file.type,
  };
  file.text().then(
    (text) => state.texts.set(id, text),
    () => {},
  );
  return attachment;
}

function list(call: Call, platform: Platform): unknown {
  const channel = channelOf(call, platform);
  need(platform, channel);
  // Without the right to read what was said before there is nothing, and no error.
  if (!platform.state.botMay(channel, "ReadMessageHistory")) return [];
  const limit = Number(call.query["limit"] ?? 50);
  if (!(limit >= 1 && limit <= 100)) throw wrongForm("limit", "NUMBER_TYPE_MAX", "1 to 100.");
  const { before, after } = call.query;
  if (before !== undefined && after !== undefined)
    throw wrongForm("after", "BASE_TYPE_CHOICES", "Only one of them.");
  const shown = platform.state.shownIn(channel.id).toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
  const wanted = shown.filter(
    ({ id }) =>
      (after === undefined || BigInt(id) > BigInt(after)) &&
      (before === undefined || BigInt(id) < BigInt(before)),
  );
  const page = after === undefined ? wanted.slice(-limit) : wanted.slice(0, limit);
  return page.toReversed().map((message) => seenByBot(platform, message));
}

function edit(call: Call, platform: Platform): JsonObject {
  const { state, bot, limits, complaints } = platform;
  const channel = channelOf(call, platform);
  need(platform, channel);
  const message = messageOf(call, platform, channel);
  if (message.author !== bot.id)
    throw new ApiError(403, 50005, "Cannot edit a message authored by another user");
  if (channel.thread?.isArchived === true) throw new ApiError(400, 50083, "Thread is archived");
  if (ageOf(message, platform) > OLD_MS) {
    const waitS = limits.takeOldEdit(channel.id);
    if (waitS !== undefined) {
      const text = "Maximum number of edits to messages older than 1 hour reached.";
      throw new ApiError(429, 30046, text, { retryAfterS: waitS });
    }
  }
  const { content, components } = readWords("an edit", call.body, platform);
  const next = {
    content: "content" in call.body ? content : message.content,
    components: "components" in call.body ? components : message.components,
    attachments: attachmentsKept(call, message),
  };
  if (next.content === "" && next.components.length === 0)
    throw new ApiError(400, 50006, "Cannot send an empty message");
  if (
    next.content === message.content &&
    JSON.stringify(next.components) === JSON.stringify(message.components)
  )
    complaints.add("edits", `an edit of ${message.id} that changes nothing`);
  state.change(message, next);
  messageEvent(platform, "UPDATE", message);
  return seenByBot(platform, message);
}

/** Those that an edit names stay; one that names none says nothing of them. */
function attachmentsKept(call: Call, { attachments }: StoredMessage): readonly JsonObject[] {
  const named = call.body["attachments"];
  if (!Array.isArray(named)) return attachments;
  const ids = new Set(named.map((one: JsonObject) => one["id"]));
  return attachments.filter(({ id }) => ids.has(id));
}

function remove(call: Call, platform: Platform): undefined {
  const channel = channelOf(call, platform);
  need(platform, channel);
  const message = messageOf(call, platform, channel);
  if (message.author !== platform.bot.id) throw new ApiError(403, 50013, "Missing Permissions");
  platform.state.remove(message);
  deleteEvent(platform, message);
  return undefined;
}

function ageOf({ id }: StoredMessage, { state }: Platform): number {
  return state.nowMs() - timeOfSnowflake(id);
}

export const messageRoutes: readonly Route[] = [
  { name: "POST /channels/:channel/messages", auth: "bot", run: create },
  { name: "GET /channels/:channel/messages", auth: "bot", run: list },
  {
    name: "GET /channels/:channel/messages/:message",
    auth: "bot",
    run(call, platform) {
      const channel = channelOf(call, platform);
      need(platform, channel, "ReadMessageHistory");
      return seenByBot(platform, messageOf(call, platform, channel));
    },
  },
  { name: "PATCH /channels/:channel/messages/:message", auth: "bot", run: edit },
  { name: "DELETE /channels/:channel/messages/:message", auth: "bot", run: remove },
];
