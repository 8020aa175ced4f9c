// chat.startStream, chat.appendStream, chat.stopStream: a message that grows, with the limits that Slack was seen to have.
import { Refusal, type ApiCall } from "./call.ts";
import { author, threadOf } from "./chat.ts";
import { readMetadata } from "./content.ts";
import { isStreamed, ownMessage, writableChannel } from "./reach.ts";
import { isStatus } from "./agents.ts";
import { checkTask, faultsInBlocks, mostMarkdown, mostTasks } from "../block-rules.ts";
import type { Channel, JsonObject, StoredMessage } from "../message.ts";
import type { Platform } from "../platform.ts";
import { objectsIn, stringIn } from "../rendering.ts";
import { storedText } from "../wire-text.ts";

/** What one streamed message may weigh: text, titles, and details twice. */
const mostBytes = 10_600;
const displayModes = new Set(["timeline", "plan", "dense"]);
/** What makes Slack fetch a page: streams have no way to switch previews off. */
const liveLink = /(?<![\p{L}\d])(?:https?:\/\/|www\.)\w/u;

export function startStream(call: ApiCall, platform: Platform): JsonObject {
  const { workspace, app, sessions, events, nowMs } = platform;
  const channel = writableChannel(call, platform);
  call.required("thread_ts");
  if (channel.kind !== "im") checkRecipient(call, platform);
  const mode = call.optional("task_display_mode");
  if (mode !== undefined && !displayModes.has(mode)) throw new Refusal("invalid_arguments");
  const chunks = chunksOf(call);
  if (chunks.length === 0) throw new Refusal("no_text");
  const root = threadOf(call, platform, channel);
  if (root === undefined && platform.streamBelowDeleted === "refused") throw new Refusal("thread_not_found");
  const stream = { state: "in_progress", sinceMs: nowMs(), bytes: 0 } as const;
  const grown = grownBy(chunks, { blocks: [], text: "", bytes: 0 });
  const message = workspace.post(channel, {
    ...author(platform),
    text: storedText(grown.text),
    blocks: grown.blocks,
    threadTs: root?.ts,
  });
  message.stream = { ...stream, bytes: grown.bytes };
  complain(call, platform, message, grown.text);
  if (root !== undefined) {
    sessions.clearAfterPost(channel.id, root.ts);
    // It takes no title with it, and leaves one that is there.
    if (app.isAgent) sessions.setStatus(channel.id, root.ts, "processing", undefined);
  }
  events.posted(channel, message);
  return { channel: channel.id, ts: message.ts };
}

export function appendStream(call: ApiCall, platform: Platform): JsonObject {
  const { channel, message } = streamed(call, platform);
  const chunks = chunksOf(call);
  if (chunks.length === 0) throw new Refusal("no_text");
  grow(call, platform, channel, message, chunks, {});
  return { channel: channel.id, ts: message.ts };
}

export function stopStream(call: ApiCall, platform: Platform): JsonObject {
  const { channel, message } = streamed(call, platform);
  const blocks = call.json("blocks", "invalid_blocks_format");
  const last = Array.isArray(blocks) ? [{ type: "blocks", blocks: objectsIn(blocks) }] : [];
  const status = call.optional("session_status");
  if (status !== undefined && !isStatus(status)) throw new Refusal("invalid_arguments");
  const metadata = readMetadata(call);
  const more = metadata === undefined ? {} : { metadata };
  grow(call, platform, channel, message, [...chunksOf(call), ...last], more);
  if (message.stream) message.stream.state = "completed";
  const root = message.threadTs;
  if (status !== undefined && root !== undefined)
    platform.sessions.setStatus(channel.id, root, status, undefined);
  return { channel: channel.id, ts: message.ts, message: platform.events.shape(message) };
}

function streamed(call: ApiCall, platform: Platform): { channel: Channel; message: StoredMessage } {
  const found = ownMessage(call, platform, "message_not_owned_by_app");
  if (isStreamed(found.message, platform)) return found;
  throw new Refusal(
    found.message.stream?.isStoppedByUser ? "stopped_by_user" : "message_not_in_streaming_state",
  );
}

function checkRecipient(call: ApiCall, { workspace }: Platform): void {
  const user = call.optional("recipient_user_id");
  if (user === undefined) throw new Refusal("missing_recipient_user_id");
  if (call.optional("recipient_team_id") === undefined) throw new Refusal("missing_recipient_team_id");
  if (!workspace.profiles.has(user)) throw new Refusal("user_not_found");
}

function chunksOf(call: ApiCall): readonly JsonObject[] {
  const markdown = call.optional("markdown_text");
  const chunks = call.json("chunks", "invalid_chunks");
  if (markdown !== undefined && chunks !== undefined)
    throw new Refusal("cannot_provide_both_markdown_text_and_chunks");
  if (markdown !== undefined) return [{ type: "markdown_text", text: markdown }];
  if (chunks !== undefined && !Array.isArray(chunks)) throw new Refusal("invalid_chunks");
  return objectsIn(chunks);
}

interface Grown {
  readonly blocks: readonly JsonObject[];
  readonly text: string;
  readonly bytes: number;
}

function grow(
  call: ApiCall,
  platform: Platform,
  channel: Channel,
  message: StoredMessage,
  chunks: readonly JsonObject[],
  change: Pick<Partial<StoredMessage>, "metadata">,
): void {
  const { workspace, events } = platform;
  const bytes = message.stream?.bytes ?? 0;
  const grown = grownBy(chunks, { blocks: message.blocks ?? [], text: "", bytes });
  const text = message.text + storedText(grown.text);
  const before = workspace.change(message, { text, blocks: grown.blocks, ...change });
  if (message.stream) message.stream.bytes = grown.bytes;
  complain(call, platform, message, grown.text);
  events.changed(channel, message, before);
}

function complain(call: ApiCall, { complaints }: Platform, message: StoredMessage, added: string): void {
  complaints.aboutWords(call.method, message);
  if (liveLink.test(added)) complaints.add("unfurl", `${call.method} brings a link that Slack fetches`);
}

/** @throws {Refusal} for what Slack would not take. */
function grownBy(chunks: readonly JsonObject[], before: Grown): Grown {
  const blocks = [...before.blocks];
  let { text, bytes } = before;
  for (const chunk of chunks) {
    switch (chunk["type"]) {
      case "markdown_text": {
        const added = stringIn(chunk, "text");
        if (added === "") throw new Refusal("no_text");
        if (added.length > mostMarkdown) throw new Refusal("msg_too_long");
        if (!added.isWellFormed()) throw new Refusal("invalid_arguments", { field: "text" });
        const last = blocks.at(-1);
        const grown = { type: "markdown", text: added };
        if (last?.["type"] === "markdown")
          blocks[blocks.length - 1] = { ...last, text: stringIn(last, "text") + added };
        else blocks.push(grown);
        text += added;
        bytes += Buffer.byteLength(added);
        break;
      }
      case "task_update": {
        checkTask(chunk, (why) => {
          throw new Refusal("invalid_chunks", { response_metadata: { messages: [`[ERROR] ${why}`] } });
        });
        const { id, type: _, ...rest } = chunk;
        const card = { type: "task_card", task_id: id, ...rest };
        const at = blocks.findIndex((block) => block["type"] === "task_card" && block["task_id"] === id);
        if (at === -1) blocks.push(card);
        else blocks[at] = card;
        bytes += Buffer.byteLength(stringIn(chunk, "title"));
        bytes += 2 * Buffer.byteLength(stringIn(chunk, "details"));
        break;
      }
      case "plan_update":
        if (stringIn(chunk, "title") === "") throw new Refusal("invalid_chunks");
        bytes += Buffer.byteLength(stringIn(chunk, "title"));
        break;
      case "blocks": {
        const added = chunk["blocks"];
        const faults = faultsInBlocks(added, "message");
        if (faults.length > 0)
          throw new Refusal("invalid_blocks", { response_metadata: { messages: faults } });
        blocks.push(...objectsIn(added));
        break;
      }
      default:
        throw new Refusal("invalid_chunks");
    }
  }
  const tasks = blocks.filter(({ type }) => type === "task_card").length;
  if (blocks.length - tasks > 50 || tasks > mostTasks) throw new Refusal("msg_blocks_too_long");
  if (bytes > mostBytes) throw new Refusal("msg_too_long");
  return { blocks, text, bytes };
}
