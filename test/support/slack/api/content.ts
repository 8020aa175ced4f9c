// Text, blocks and metadata of a message that a bot sends, held against Slack's sizes.
import { Refusal, type ApiCall } from "./call.ts";
import { faultsInBlocks, mostMarkdown } from "../block-rules.ts";
import type { JsonObject, MessageMetadata } from "../message.ts";
import type { Platform } from "../platform.ts";
import { objectsIn, stringIn } from "../rendering.ts";
import { storedText } from "../wire-text.ts";

const mostText = { post: 40_000, edit: 4000 };

export interface Content {
  readonly text: string | undefined;
  readonly blocks: readonly JsonObject[] | undefined;
  readonly attachments: readonly JsonObject[] | undefined;
  readonly metadata: MessageMetadata | undefined;
  readonly warning?: string;
}

/** @throws {Refusal} with the code that Slack gives. */
export function readContent(call: ApiCall, platform: Platform, kind: "post" | "edit"): Content {
  const metadata = readMetadata(call);
  const markdown = call.optional("markdown_text");
  if (markdown !== undefined) {
    if (call.optional("text") !== undefined || call.has("blocks"))
      throw new Refusal("markdown_text_conflict");
    if (markdown.length > mostMarkdown) throw new Refusal("msg_too_long");
    if (markdown.trim() === "") throw new Refusal("no_text");
    // Kept as a block: it is Markdown and not Slack's own markup.
    return {
      text: storedText(markdown),
      blocks: [{ type: "markdown", text: markdown }],
      attachments: undefined,
      metadata,
    };
  }
  const blocks = readBlocks(call);
  const attachments = readAttachments(call);
  const text = call.optional("text");
  const isBlank = text === undefined || text.trim() === "";
  if (isBlank && blocks === undefined && attachments === undefined) throw new Refusal("no_text");
  const shown = isBlank && blocks !== undefined ? "This content can't be displayed." : (text ?? "");
  if (shown.length <= mostText[kind]) return { text: storedText(shown), blocks, attachments, metadata };
  if (kind === "edit") throw new Refusal("msg_too_long");
  platform.complaints.add("size", `${call.method} is cut at ${mostText.post} characters`);
  return {
    text: storedText(shown.slice(0, mostText.post)),
    blocks,
    attachments,
    metadata,
    warning: "message_truncated",
  };
}

function readBlocks(call: ApiCall): readonly JsonObject[] | undefined {
  const blocks = call.json("blocks", "invalid_blocks_format");
  if (blocks === undefined) return undefined;
  if (!Array.isArray(blocks)) throw new Refusal("invalid_blocks_format");
  if (blocks.length === 0) return undefined;
  const faults = faultsInBlocks(blocks, "message");
  if (faults.length > 0) {
    throw new Refusal("invalid_blocks", { errors: faults, response_metadata: { messages: faults } });
  }
  const objects = objectsIn(blocks);
  const markdown = objects
    .filter(({ type }) => type === "markdown")
    .reduce((sum, block) => sum + stringIn(block, "text").length, 0);
  if (markdown > mostMarkdown) throw new Refusal("msg_blocks_too_long");
  // Slack names the blocks that have no name; it does not keep the names of Markdown blocks.
  return objects.map((block, index) =>
    block["type"] === "markdown" || typeof block["block_id"] !== "string"
      ? { ...block, block_id: `b${index}` }
      : block,
  );
}

function readAttachments(call: ApiCall): readonly JsonObject[] | undefined {
  const attachments = call.json("attachments", "invalid_attachments");
  if (attachments === undefined) return undefined;
  if (!Array.isArray(attachments)) throw new Refusal("invalid_attachments");
  if (attachments.length > 100) throw new Refusal("too_many_attachments");
  return attachments.length === 0 ? undefined : objectsIn(attachments);
}

export function readMetadata(call: ApiCall): MessageMetadata | undefined {
  const metadata = call.json("metadata", "invalid_metadata_format");
  if (metadata === undefined) return undefined;
  if (typeof metadata !== "object" || metadata === null) throw new Refusal("invalid_metadata_format");
  const { event_type: type, event_payload: payload } = metadata as JsonObject;
  if (typeof type !== "string" || typeof payload !== "object" || payload === null) {
    throw new Refusal("invalid_metadata_schema");
  }
  if (JSON.stringify(payload).length > 8000) throw new Refusal("metadata_too_large");
  return { event_type: type, event_payload: payload as JsonObject };
}
